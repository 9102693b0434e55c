import { z } from 'zod';

/** Name of this package's own kernel in bench/compare.py. */
export const ownSystem = 'tilewright';
/** The dense product of the same matrix, which multiplies its zeros too. */
export const denseSystem = 'cublas dense';
/** A product of the same sizes, of a matrix without zeros: another result, what the tensor cores sustain. */
export const fullMatrixSystem = 'cublas dense, full matrix';

const rivalResultSchema = z.object({
  system: z.string(),
  /** Id of the workload whose sizes and pattern were used. */
  workload: z.string(),
  medianUs: z.number(),
  madUs: z.number(),
  /** Work that counts per time; not that on the zeros of a dense product. */
  tflops: z.number(),
  /** Of a dense product: everything that it multiplies, per time. */
  ownTflops: z.number().optional(),
  /** False where the result was wrong. */
  correct: z.boolean().optional(),
  /** The variant that ran; only of our own. */
  variant: z.string().optional(),
  /**
   * Of a system that is tuned: how many of its configurations were timed, of how many. Of the others some cannot run on the GPU,
   * and some were not compiled in time, or not reached; files of before these two were told apart have neither.
   */
  configurations: z
    .object({
      ran: z.number(),
      of: z.number(),
      cannotRun: z.number().optional(),
      late: z.number().optional(),
    })
    .optional(),
  /** The system alone for a second: microseconds a launch, and clock (MHz) and power meanwhile. */
  sustained: z
    .object({ us: z.number(), smClock: z.number().optional(), watts: z.number().optional() })
    .optional(),
  /** Clock (MHz) and power somewhere in the turns of all systems. */
  turns: z.object({ smClock: z.number().optional(), watts: z.number().optional() }).optional(),
  /** A in memory alone, of which each launch reads another copy: time, bytes of all operands and their bandwidth. */
  cold: z.object({ medianUs: z.number(), bytes: z.number(), tbs: z.number() }).optional(),
});
export type RivalResult = Readonly<z.infer<typeof rivalResultSchema>>;

/** Times of other systems beside ours, as `bench/compare.py` writes them. Microseconds. */
export const rivalSchema = z.object({
  command: z.string(),
  /** ISO 8601. */
  date: z.string(),
  commit: z.string().optional(),
  /** `one`: all systems, ours too, were timed in turns by one process on one matrix. */
  process: z.literal('one'),
  environment: z.record(z.string(), z.unknown()),
  results: z.array(rivalResultSchema),
});
export type Rival = Readonly<z.infer<typeof rivalSchema>>;
