import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { Executor } from '../exec/executor.ts';

/** What the driver says of one GPU. */
export const gpuSchema = z.object({
  name: z.string(),
  uuid: z.string(),
  driver: z.string(),
  /** major * 10 + minor. */
  computeCapability: z.number(),
});
export type Gpu = Readonly<z.infer<typeof gpuSchema>>;

/** The NVIDIA GPUs that this process may see, in the driver's order; none where there is no driver. */
export async function findGpus(executor: Executor): Promise<readonly Gpu[]> {
  const query = '--query-gpu=name,uuid,driver_version,compute_cap';
  try {
    const { exitCode, stdout } = await executor.run(['nvidia-smi', query, '--format=csv,noheader'], {
      timeoutMs: 20_000,
    });
    return exitCode === 0 ? stdout.split('\n').flatMap(parseLine) : [];
  } catch {
    return []; // no driver
  }
}

function parseLine(line: string): Gpu[] {
  const [name, uuid, driver, capability] = line.split(',').map((field) => field.trim());
  const computeCapability = Math.round(10 * Number(capability));
  if (!name || !uuid || !driver || !(computeCapability > 0)) return [];
  return [{ name, uuid, driver, computeCapability }];
}

/** True where the kernel driver is loaded, even if its tools are not installed. */
export function hasDriver(): boolean {
  return ['/dev/nvidiactl', '/dev/nvidia0', '/dev/dxg'].some((path) => existsSync(path));
}
