import { z } from 'zod';
import { costsSchema, timingSchema, wisdomRunSchema } from './wisdom.ts';

/** Variant or baseline chosen for a workload, with the evidence for it. */
export const choiceSchema = z.object({
  workload: z.string(),
  problem: z.record(z.string(), z.unknown()),
  /** Variant id, or a baseline's name where the vendor was faster than every variant. */
  winner: z.string(),
  /** Variant that the library runs: the winner, or the best of ours where the vendor won. */
  variant: z.string(),
  /** Seconds of the winner; absent when untimed. */
  median: z.number().optional(),
  /** Seconds of `variant`, where it is not the winner. */
  variantMedian: z.number().optional(),
  /** State of the L2 cache during the samples; absent when untimed. */
  l2: z.enum(['hot', 'cold']).optional(),
  /** Time of `variant` / time of the best variant on this workload, 1 for the best itself; absent when untimed. */
  slowdown: z.number().optional(),
  /** The fastest baseline on this workload. */
  baseline: z.object({ name: z.string(), median: z.number() }).optional(),
  /** Rank of `variant` by its family, where the family ranks accuracy. */
  accuracy: z.number().optional(),
  /** Of those whose rank is worse, the one that would have been chosen: it is faster, or has the higher priority. */
  lessAccurate: z
    .object({ variant: z.string(), accuracy: z.number(), median: z.number().optional() })
    .optional(),
  /** Id of the run in `wisdom` that took the times; absent where this run did, or nobody. */
  measured: z.string().optional(),
  /** A fallback that alone serves the workload: no reason to choose it for calls that others serve, however near. */
  alone: z.literal(true).optional(),
});
export const selectionSchema = z.object({
  family: z.string(),
  /** True where the times are this run's own. */
  timed: z.boolean(),
  /** Runs on a GPU whose times the choices follow, where this run took none. */
  wisdom: z.array(wisdomRunSchema).optional(),
  /** Variant ids to ship: the fewest that serve every workload within the tolerance, and the fallbacks. */
  variants: z.array(z.string()),
  /** Those of `variants` that are there, maybe only, for problems that the chosen ones refuse. */
  fallbacks: z.array(z.string()).default([]),
  choices: z.array(choiceSchema),
  /** Times of earlier runs, and of users' machines, beside which calls are measured. */
  timings: z.array(timingSchema).optional(),
  /** By which calls that are near no timed workload are served. */
  costs: costsSchema.optional(),
  /** Workloads that no variant could serve. */
  unserved: z.array(z.string()).default([]),
  /** Allowed slowdown against the best variant of each workload, e.g. 0.03. */
  tolerance: z.number(),
});
export type Choice = Readonly<z.infer<typeof choiceSchema>>;
export type Selection = Readonly<z.infer<typeof selectionSchema>>;
