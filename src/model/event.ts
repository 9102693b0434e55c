import { z } from 'zod';
import { deviceNameSchema } from './artifact.ts';
import { measurementSchema } from './measurement.ts';
import { parameterValueSchema } from './parameter.ts';
import { evidenceSchema, gateScopeSchema, verdictNames, verdictSchema } from './verdict.ts';

/** The first line of every run. */
export const startEventSchema = z.object({
  event: z.literal('start'),
  /** Folder of the run. */
  run: z.string(),
  family: z.string(),
  /** `sm_90a`. */
  arch: z.string(),
  preset: z.string().optional(),
  where: z.string().optional(),
  /** True when an earlier, unfinished run goes on. */
  resumed: z.boolean(),
});

/** Size of the search space, before anything is rendered. */
export const spaceEventSchema = z.object({
  event: z.literal('space'),
  points: z.number(),
  legal: z.number(),
  /** Variants that this run looks at: the legal points, or a sample of them. */
  variants: z.number(),
  /** Points ruled out, by the name of the constraint, `not-supported`, `where` or `preset`. */
  rejected: z.record(z.string(), z.number()),
});

/** A variant was compiled for a device, or found in the cache. */
export const artifactEventSchema = z.object({
  event: z.literal('artifact'),
  variant: z.string(),
  device: deviceNameSchema,
  arch: z.string(),
  key: z.string(),
  cached: z.boolean(),
  seconds: z.number(),
  /** Only for the device `cuda`. */
  registers: z.number().optional(),
  /** SHA-256 of the source, hex. */
  source: z.string().optional(),
});

/** The gate's word on one variant. At least one per variant; one per device where several were asked. */
export const verdictEventSchema = verdictSchema.extend({
  event: z.literal('verdict'),
  parameters: z.record(z.string(), parameterValueSchema),
  /** Identity of the code under test: the artifact's key, or the source's hash if there is no artifact. */
  key: z.string().optional(),
  /** By how much of the gate. */
  gate: gateScopeSchema.optional(),
});

/** Check of a variant's or baseline's result on a problem to be timed; a subject that fails is not timed. */
export const checkEventSchema = z.object({
  event: z.literal('check'),
  workload: z.string(),
  /** `cuda:1`. */
  gpu: z.string().exactOptional(),
  subject: z.string(),
  kind: z.enum(['variant', 'baseline']),
  /** `unsupported`: the subject does not take this problem. */
  verdict: z.enum([...verdictNames, 'unsupported']),
  evidence: evidenceSchema,
});

export const measurementEventSchema = measurementSchema.extend({ event: z.literal('measurement') });

/** On what the run runs. Figures in bytes, bytes per second and MHz; 0: unknown. */
export const environmentEventSchema = z.object({
  event: z.literal('environment'),
  /** Of the generator's checkout; `-dirty` where files differ from it, or sources are not in it. */
  commit: z.string().optional(),
  nvcc: z.string().optional(),
  cxx: z.string().optional(),
  host: z.object({ cpu: z.string(), cores: z.number(), node: z.string() }),
  /** All GPUs that variants are gated and timed on, where there are several: `cuda:1` and its name. */
  gpus: z.array(z.object({ id: z.string(), name: z.string() })).exactOptional(),
  /** The first of them. */
  gpu: z
    .object({
      name: z.string(),
      driver: z.string(),
      runtime: z.string(),
      /** major * 10 + minor. */
      computeCapability: z.number(),
      smCount: z.number(),
      maxSmClock: z.number(),
      memoryBytes: z.number(),
      l2Bytes: z.number(),
      /** f16 tensor cores at the highest clock. */
      peakTflops: z.number(),
      /** TFLOPS at the highest clock, by arithmetic. */
      peaks: z.object({ f16: z.number(), tf32: z.number(), f32: z.number() }).exactOptional(),
      /** Of device memory in theory. */
      bandwidth: z.number(),
      /** From L2 into shared memory, measured on a device of this kind. */
      l2Bandwidth: z.number(),
    })
    .optional(),
});

/** Something that the reader ought to know, e.g. why nothing was timed. */
export const noteEventSchema = z.object({
  event: z.literal('note'),
  message: z.string(),
  /** True where it says how far a long job is: the next such note takes its place. */
  passing: z.boolean().optional(),
});

/** The last line of every run that came to its end. */
export const summaryEventSchema = z.object({
  event: z.literal('summary'),
  funnel: z.object({
    points: z.number(),
    legal: z.number(),
    rendered: z.number(),
    compiled: z.number(),
    passed: z.number(),
    timed: z.number(),
  }),
  /** Variants by their last verdict. */
  verdicts: z.record(z.string(), z.number()),
  cache: z.object({ hits: z.number(), compiled: z.number() }),
  /** Wall-clock seconds by stage; compiling and gating overlap, so their sum exceeds `total`. */
  seconds: z.record(z.string(), z.number()),
  /** Folder of the run. */
  run: z.string(),
  /** Folder of the emitted library; null when none was emitted. */
  library: z.string().nullable(),
  /** Folder that the library was installed into; absent when it was not. */
  prefix: z.string().optional(),
  /** Reason that there are no times; absent if there are. */
  untimed: z.string().optional(),
});

/** Something that stopped the command; the exit code is then 2. */
export const errorEventSchema = z.object({
  event: z.literal('error'),
  kind: z.enum(['usage', 'environment', 'interrupted', 'internal']),
  message: z.string(),
});

/** The lines that took work to get, and what they need to be understood later. */
const recordSchemas = [
  environmentEventSchema,
  spaceEventSchema,
  artifactEventSchema,
  verdictEventSchema,
  checkEventSchema,
  measurementEventSchema,
  summaryEventSchema,
] as const;

/** Every line of `--json`. */
export const eventSchema = z.discriminatedUnion('event', [
  startEventSchema,
  ...recordSchemas,
  noteEventSchema,
  errorEventSchema,
]);
export type Event = Readonly<z.infer<typeof eventSchema>>;
export type Summary = Readonly<z.infer<typeof summaryEventSchema>>;
export type EnvironmentEvent = Readonly<z.infer<typeof environmentEventSchema>>;
export type ErrorEvent = Readonly<z.infer<typeof errorEventSchema>>;
export type VerdictEvent = Readonly<z.infer<typeof verdictEventSchema>>;

/** Events that a run's journal keeps. */
export const recordSchema = z.discriminatedUnion('event', recordSchemas);
export type JournalRecord = Readonly<z.infer<typeof recordSchema>>;

const recordNames = new Set<string>(recordSchemas.map(({ shape }) => shape.event.value));

/** Whether a run's journal keeps an event. */
export function isRecord(event: Event): event is JournalRecord {
  return recordNames.has(event.event);
}
