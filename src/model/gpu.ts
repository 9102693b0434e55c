import { z } from 'zod';

/** One GPU as the driver describes it. */
export const gpuSchema = z.object({
  /** `cuda:1`: its place among the GPUs that this process may use. */
  id: z.string(),
  name: z.string(),
  uuid: z.string(),
  driver: z.string(),
  /** major * 10 + minor. */
  computeCapability: z.number(),
});
export type Gpu = Readonly<z.infer<typeof gpuSchema>>;
