import { z } from 'zod';

/** Times of one variant (or baseline) on one workload. */
export const measurementSchema = z.object({
  /** Variant id, or a baseline's name such as `cublas`. */
  subject: z.string(),
  kind: z.enum(['variant', 'baseline']),
  workload: z.string(),
  /** `cuda:1`: the GPU that took it, together with all else of this workload. */
  gpu: z.string().exactOptional(),
  l2: z.enum(['hot', 'cold']),
  /** Seconds per launch, one per sample. */
  samples: z.array(z.number()),
  median: z.number(),
  /** Median absolute deviation, seconds. */
  mad: z.number(),
  /** Work that counts: for a sparse product 2 * nnzb * bs^2 * N. */
  flops: z.number(),
  /** Fewest bytes that must cross DRAM: every operand once, twice where it is read and written. */
  bytes: z.number(),
  /** flops / median / 1e12. */
  tflops: z.number(),
  /** SM clock in MHz while the samples were taken, the median of their averages; 0 where it could not be read. */
  meanSmClock: z.number().optional(),
  /** Back-to-back launches only: replayed by a CUDA graph; false: enqueued one by one, as for what cannot be captured. */
  graph: z.boolean().optional(),
  /** Reason that the figure is impossible: the limit of the machine that it beats. A rejected figure never counts. */
  rejected: z.string().optional(),
  /** True when racing stopped early because it was clearly slower. */
  stoppedEarly: z.boolean().optional(),
  /** Seconds from the first timing of this workload until this subject had its first figure. */
  elapsed: z.number().optional(),
});
export type Measurement = Readonly<z.infer<typeof measurementSchema>>;

/**
 * The state of L2 whose times decide on a workload: back-to-back launches (`hot`) where variants were timed so, since that is
 * how a library call inside a model finds its operands more often than not.
 */
export function decisiveL2(measurements: readonly Pick<Measurement, 'kind' | 'l2'>[]): Measurement['l2'] {
  return measurements.some(({ l2, kind }) => l2 === 'hot' && kind === 'variant') ? 'hot' : 'cold';
}
