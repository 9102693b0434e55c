import { z } from 'zod';

/** Who serves a workload, and on what evidence. */
export const choiceSchema = z.object({
  workload: z.string(),
  problem: z.record(z.string(), z.unknown()),
  /** Variant id, or a baseline's name where the vendor was faster than every variant. */
  winner: z.string(),
  /** Seconds; absent when untimed. */
  median: z.number().optional(),
  /** winner's time / best variant's time on this workload, 1 for the best itself; absent when untimed. */
  slowdown: z.number().optional(),
  baseline: z.object({ name: z.string(), median: z.number() }).optional(),
});
export const selectionSchema = z.object({
  family: z.string(),
  timed: z.boolean(),
  /** Variant ids to ship, fewest that serve every workload within the tolerance. */
  variants: z.array(z.string()),
  choices: z.array(choiceSchema),
  /** Allowed slowdown against the best variant of each workload, e.g. 0.03. */
  tolerance: z.number(),
});
export type Choice = Readonly<z.infer<typeof choiceSchema>>;
export type Selection = Readonly<z.infer<typeof selectionSchema>>;
