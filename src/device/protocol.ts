import { z } from 'zod';
import { type CompiledKernel, deviceNameSchema } from '../model/artifact.ts';
import { checkEventSchema, measurementEventSchema } from '../model/event.ts';
import type { Measurement } from '../model/measurement.ts';
import type { ParameterValue } from '../model/parameter.ts';
import { type Evidence, evidenceSchema, type VerdictName, verdictNames } from '../model/verdict.ts';
import type { GateCase, Workload } from '../model/workload.ts';
import { parseJson } from '../util/json.ts';

/** A variant as a worker needs it. `parameters` holds the derived values too. */
export interface JobVariant {
  readonly id: string;
  readonly symbol: string;
  /** Absolute path of the cubin or shared object. */
  readonly artifact: string;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  readonly deterministic: boolean;
  /** Dynamic shared memory that the variant was checked for: a launch may ask for no more. */
  readonly sharedBytes?: number;
  /** Attributes of the kernels from the cubin, by name. */
  readonly kernels?: Readonly<Record<string, CompiledKernel>>;
}

/** Thread interleaving and completion of asynchronous operations on the emulated device. */
export interface Schedule {
  readonly seed: number;
  readonly async: 'now' | 'random' | 'late';
  readonly order: 'in-order' | 'random' | 'greedy';
  /** Race detector, uninitialised reads, proxy fences. */
  readonly detect: boolean;
  /** Chance of a switch at each wrapper call and each access. */
  readonly preempt: number;
  /** Chance that a phase of an mbarrier leaves one of its waiting threads behind until no other can go on. */
  readonly lag: number;
}

export interface JobCase extends GateCase {
  /** Indices of the schedules to run under; absent: all. */
  readonly schedules?: readonly number[];
}

export interface GateJob {
  readonly variant: JobVariant;
  readonly cases: readonly JobCase[];
  readonly schedules: readonly Schedule[];
  /** Compare with the family's baselines too, where the device has them. */
  readonly vendor: boolean;
  /** Folder for what each case was given, gave and should have given. */
  readonly dump?: string;
  /** Say in the evidence what other projects' acceptance rules make of the first launch. */
  readonly opinions?: boolean;
}

export interface TimeOptions {
  readonly warmup: number;
  readonly samples: number;
  readonly launchesPerSample: number;
  readonly cold: boolean;
  readonly hot: boolean;
  /** Check every subject again after its last sample. */
  readonly recheck: boolean;
  /** A variant slower than this many times the best is sampled no further; 0: never. */
  readonly earlyStop: number;
  /** Limits of the device, beyond which a time is rejected; 0: unknown. Bytes per second. */
  readonly peakTflops: number;
  readonly bandwidth: number;
}

export interface TimeJob {
  readonly workload: Workload;
  readonly variants: readonly JobVariant[];
  readonly baselines: boolean;
  readonly options: TimeOptions;
}

const deviceInfoSchema = z.object({
  device: deviceNameSchema,
  name: z.string(),
  driver: z.string(),
  runtime: z.string(),
  uuid: z.string(),
  smCount: z.number(),
  /** major * 10 + minor. */
  computeCapability: z.number(),
  memoryBytes: z.number(),
  l2Bytes: z.number(),
  /** MHz, 0: unknown. */
  maxSmClock: z.number(),
  /** Of device memory in theory, bytes per second, 0: unknown. */
  bandwidth: z.number(),
});
export type DeviceInfo = Readonly<z.infer<typeof deviceInfoSchema>>;

const id = z.string();

/** Every line that a worker may write; docs/worker-protocol.md explains them. */
const workerLineSchema = z.discriminatedUnion('event', [
  deviceInfoSchema.extend({ event: z.literal('ready') }),
  z.object({ event: z.literal('unavailable'), reason: z.string() }),
  /** A kernel starts; `subject` only in timing jobs. `seconds`: what it may take beyond the usual. */
  z.object({
    event: z.literal('case'),
    id,
    case: z.string(),
    schedule: z.number(),
    subject: z.string().optional(),
    seconds: z.number().optional(),
  }),
  /** The family's C++ makes a problem, its references and its launch; no kernel runs. */
  z.object({ event: z.literal('preparing'), id, case: z.string(), schedule: z.number() }),
  /** No kernel runs: comparisons on the host, and other libraries' calls. */
  z.object({
    event: z.literal('checking'),
    id,
    case: z.string().optional(),
    schedule: z.number().optional(),
  }),
  z.object({ event: z.literal('sampling'), id, subject: z.string(), round: z.number() }),
  z.object({ event: z.literal('verdict'), id, verdict: z.enum(verdictNames), evidence: evidenceSchema }),
  checkEventSchema.extend({ id }),
  measurementEventSchema.extend({ id }),
  z.object({ event: z.literal('done'), id }),
  z.object({
    event: z.literal('error'),
    id: id.nullable(),
    message: z.string(),
    /**
     * Whose fault it is, where it is not the runner's: `problem`: the oracle refuses what family.ts asks for; `family`: its C++
     * did what it must not; `memory`: there is too little on the host or the device; `size`: the emulated device has no room for a
     * launch; `dump`: the folder for what a case was given and gave cannot be filled.
     */
    blame: z.enum(['problem', 'family', 'memory', 'size', 'dump']).optional(),
    /** Of the family's C++. */
    function: z.string().optional(),
    /** Parameter that the launch code reads and the variant lacks. */
    parameter: z.string().optional(),
    variant: z.string().optional(),
  }),
]);
export type WorkerLine = z.infer<typeof workerLineSchema>;
/** Check of a variant's or baseline's result on a workload, before it is timed there. */
export type Check = Readonly<Omit<z.infer<typeof checkEventSchema>, 'event'>>;

/** The gate's word on a variant. */
export interface GateAnswer {
  readonly verdict: VerdictName;
  readonly evidence: Evidence;
}

/** An event of a timing job. */
export type TimeEvent =
  | { readonly kind: 'check'; readonly check: Check }
  | { readonly kind: 'measurement'; readonly measurement: Measurement };

/** Parses one line of a worker. A line that is not of the protocol is a bug and throws. */
export function parseWorkerLine(text: string): WorkerLine {
  const result = workerLineSchema.safeParse(parseJson(text));
  if (result.success) return result.data;
  throw new Error(
    `the worker wrote a line that the protocol lacks: ${text.slice(0, 200)}\n${z.prettifyError(result.error)}`,
  );
}
