import { z } from 'zod';
import { arithmetics } from './arch.ts';
import { environmentEventSchema, summaryEventSchema } from './event.ts';
import { measurementSchema } from './measurement.ts';
import { parameterValueSchema } from './parameter.ts';
import { selectionSchema } from './selection.ts';
import { gateScopeSchema, vendorOpinionSchema, verdictNames, verdictSchema } from './verdict.ts';

export const evidenceVersion = 1;

/** A subject's times on a workload. Samples are kept of finalists and baselines; flops and bytes stand with the workload. */
const evidenceMeasurementSchema = measurementSchema
  .omit({ workload: true, samples: true, flops: true, bytes: true })
  .extend({ samples: z.array(z.number()).optional() });
export type EvidenceMeasurement = Readonly<z.infer<typeof evidenceMeasurementSchema>>;

/** Effect of one parameter on the times of a workload. */
const evidenceEffectSchema = z.object({
  parameter: z.string(),
  /** Value in the fastest variant. */
  best: parameterValueSchema,
  values: z.array(
    z.object({
      value: parameterValueSchema,
      /** Number of timed variants with this value. */
      variants: z.number(),
      /** Slowdown of the fastest variant with this value against the fastest of all: 0.1 is 10 %. */
      loss: z.number(),
      /** Median of time / time with the best value, over so many pairs of variants that differ in this parameter alone. */
      ratio: z.number().optional(),
      pairs: z.number().optional(),
    }),
  ),
});
export type EvidenceEffect = Readonly<z.infer<typeof evidenceEffectSchema>>;

/** Everything that was measured on one workload. */
const evidenceWorkloadSchema = z.object({
  id: z.string(),
  /** As the family makes it; absent where the family no longer has it. */
  problem: z.record(z.string(), z.unknown()).optional(),
  flops: z.number(),
  /** Fewest bytes that cross DRAM. */
  bytes: z.number(),
  /** The math mode whose peak bounds it; absent in older files, which knew f16's alone. */
  arithmetic: z.enum(arithmetics).exactOptional(),
  /** Bytes that must come from L2, where the family knows them. */
  l2Bytes: z.number().optional(),
  /** Fastest variant of each template (`mma`), L2 hot where it was timed so. */
  paths: z.record(z.string(), z.string()),
  /** Variants in the order in which they were tried: their numbers in `measurements` count from it. */
  tried: z.number(),
  /** In the order in which the subjects were tried, hot before cold. `trial`: the variant's number, from 1. */
  measurements: z.array(evidenceMeasurementSchema.extend({ trial: z.number().optional() })),
  /** Subjects that were not timed here, by verdict (`unsupported`: they decline the problem). */
  untimed: z.array(z.object({ subject: z.string(), verdict: z.string(), message: z.string() })),
  /** Parameters with more than one value, those that matter most first. */
  effects: z.array(evidenceEffectSchema).optional(),
});
export type EvidenceWorkload = Readonly<z.infer<typeof evidenceWorkloadSchema>>;

/** Results of the gate on one device, over all variants. */
const evidenceGateSchema = z.object({
  device: verdictSchema.shape.device,
  variants: z.number(),
  passed: z.number(),
  /** Cases that variants passed, added up over all of them. */
  cases: z.number(),
  /** Largest |error| / bound of those that passed; above 1 fails. */
  maxErrorOverBound: z.number(),
  /** The vendor's libraries over the same cases, added up; `disagrees` names each case once. */
  vendor: z.record(z.string(), vendorOpinionSchema),
});
export type EvidenceGate = Readonly<z.infer<typeof evidenceGateSchema>>;

/** One run as a file to be kept and published: what was done, where, and everything that came of it. */
export const runEvidenceSchema = z.object({
  version: z.literal(evidenceVersion),
  run: z.string(),
  /** ISO 8601, UTC: when the run began. */
  date: z.string(),
  command: z.string(),
  commit: z.string().optional(),
  family: z.string(),
  arch: z.string(),
  preset: z.string().optional(),
  where: z.string().optional(),
  /** Of the gate; files of before 2026-11-23 have it in `command` alone. */
  depth: gateScopeSchema.shape.depth.optional(),
  environment: environmentEventSchema.omit({ event: true, commit: true }).optional(),
  funnel: summaryEventSchema.shape.funnel,
  /** Points that were ruled out, by the name of the constraint that did. */
  rejected: z.record(z.string(), z.number()),
  /** Variants by their last verdict. */
  verdicts: z.partialRecord(z.enum(verdictNames), z.number()),
  /** By device; of runs before there was this, absent. */
  gate: z.array(evidenceGateSchema).optional(),
  failures: z.array(
    z.object({
      variant: z.string(),
      device: z.string(),
      verdict: z.enum(verdictNames),
      /** Gate case in which it was seen. */
      case: z.string().exactOptional(),
      message: z.string(),
    }),
  ),
  /** Wall-clock seconds by stage, as in the run's summary; stages overlap. Of a resumed run: all parts that ended. */
  seconds: z.record(z.string(), z.number()),
  /** Variants that came to their last stage per minute of `seconds.total`. */
  variantsPerMinute: z.number().optional(),
  /** Active parameters and registers of the variants that are among the ten fastest somewhere. */
  variants: z.record(
    z.string(),
    z.object({
      registers: z.number().optional(),
      /** SHA-256 of the rendered source, hex. */
      source: z.string().optional(),
      parameters: z.record(z.string(), parameterValueSchema),
    }),
  ),
  workloads: z.array(evidenceWorkloadSchema),
  selection: selectionSchema.optional(),
});
export type RunEvidence = Readonly<z.infer<typeof runEvidenceSchema>>;
