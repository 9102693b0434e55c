import { z } from 'zod';

/** Times of other systems, as `bench/triton_bsr.py` writes them. Microseconds. */
export const rivalSchema = z.object({
  command: z.string(),
  /** ISO 8601. */
  date: z.string(),
  environment: z.record(z.string(), z.unknown()),
  results: z.array(
    z.object({
      system: z.string(),
      m: z.number(),
      n: z.number(),
      k: z.number(),
      block: z.number(),
      /** Share of blocks that are stored, at random. */
      density: z.number(),
      /** Blocks that are stored. */
      blocks: z.number(),
      medianUs: z.number(),
      madUs: z.number(),
      /** False where the result was wrong. */
      correct: z.boolean().optional(),
    }),
  ),
});
export type Rival = Readonly<z.infer<typeof rivalSchema>>;
