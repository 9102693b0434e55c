import { z } from 'zod';
import { parameterValueSchema } from './parameter.ts';

export const wisdomVersion = 1;

/** A run that took times. */
export const wisdomRunSchema = z.object({
  id: z.string(),
  /** ISO 8601, UTC: when it began. */
  date: z.string(),
  command: z.string(),
  commit: z.string().optional(),
  gpu: z.string(),
  driver: z.string(),
  /** Of CUDA. */
  runtime: z.string(),
  nvcc: z.string().optional(),
});
export type WisdomRun = Readonly<z.infer<typeof wisdomRunSchema>>;

/** The variant that was the fastest on a workload, or, of a comparison, one that is within a tolerance of it. */
const wisdomRecordSchema = z.object({
  workload: z.string(),
  variant: z.string(),
  /** SHA-256 of the source that was timed, hex: rendered otherwise now, the time is that of another kernel. */
  source: z.string(),
  /** Id of the run. */
  run: z.string(),
  /** Seconds. */
  median: z.number(),
  /** Seconds of the fastest variant, where that is another one. */
  best: z.number().optional(),
  mad: z.number(),
  tflops: z.number(),
  l2: z.enum(['hot', 'cold']),
  /** The fastest library on the workload in that run. */
  baseline: z.object({ name: z.string(), median: z.number() }).optional(),
  /** Those that matter for the variant; for the reader, the id says the same. */
  parameters: z.record(z.string(), parameterValueSchema),
});
export type WisdomRecord = Readonly<z.infer<typeof wisdomRecordSchema>>;

/** A family's `wisdom/<arch>.json`: what was the fastest where there was a GPU, for libraries that are made without one. */
export const wisdomSchema = z.object({
  version: z.literal(wisdomVersion),
  family: z.string(),
  arch: z.string(),
  runs: z.array(wisdomRunSchema),
  records: z.array(wisdomRecordSchema),
});
export type Wisdom = Readonly<z.infer<typeof wisdomSchema>>;

/**
 * `wisdom/same-code/<arch>.json`: digests of sources that are rendered otherwise than what was timed and compile to the same
 * machine code, by the digest of the timed one. Compared with this nvcc.
 */
export const sameCodeSchema = z.object({ nvcc: z.string(), sources: z.record(z.string(), z.string()) });

/** Times of variants on one workload, or for calls of one key: whom to measure first nearby. They need not hold for today's sources. */
export const timingSchema = z.object({
  /** Id of the workload, or the key. */
  name: z.string(),
  /** Numbers that dispatch compares with those of a call. */
  features: z.record(z.string(), z.number()),
  /** The run, or the GPU and its driver, that they are of. */
  source: z.string(),
  /** Microseconds by variant. */
  times: z.record(z.string(), z.number()),
});
export type Timing = Readonly<z.infer<typeof timingSchema>>;

/** A family's `wisdom/timings/<arch>.json`. */
export const timingsSchema = z.object({
  version: z.literal(wisdomVersion),
  family: z.string(),
  arch: z.string(),
  timings: z.array(timingSchema),
});
export type Timings = Readonly<z.infer<typeof timingsSchema>>;

/** Weights of a family's cost model, fitted to times: `wisdom/costs/<arch>.json`. */
export const costsSchema = z.object({
  version: z.literal(wisdomVersion),
  family: z.string(),
  arch: z.string(),
  gpu: z.string(),
  /** Ids of the runs whose times count, and the number of these. */
  runs: z.array(z.string()),
  times: z.number(),
  /** Of each part of a call's time, by group of variants. */
  weights: z.record(z.string(), z.array(z.number())),
  /** Times of a variant over what the weights of its group give, on average, by variant. */
  factors: z.record(z.string(), z.number()),
});
export type Costs = Readonly<z.infer<typeof costsSchema>>;

/** A wisdom beside the family as it is now: `source` of a record is as rendered now where the machine code is the same. */
export interface FamilyWisdom extends Wisdom {
  /** Under the ids of today. */
  readonly timings?: readonly Timing[];
  readonly costs?: Costs;
  /** Digests of sources as rendered now, by those of timed ones that compile to the same machine code. */
  readonly sameCode?: Readonly<Record<string, string>>;
  /** Variants of its records that the family's space no longer has. */
  readonly gone: readonly string[];
}
