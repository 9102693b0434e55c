import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { cuda } from '../backends/index.ts';
import { readCubin } from '../compile/cubin.ts';
import { UsageError } from '../errors.ts';
import type { Arch } from '../model/arch.ts';
import type { CompiledKernel } from '../model/artifact.ts';
import { onDisk } from '../util/disk.ts';

/** Fields of the metadata that Triton writes beside a compiled kernel, as far as a launch depends on them. */
const metadataSchema = z.looseObject({
  name: z.string().regex(/^\w+$/),
  num_warps: z.number().int().min(1),
  shared: z.number().int().min(0),
  num_ctas: z.number().int().default(1),
  target: z.looseObject({ backend: z.string(), arch: z.union([z.number(), z.string()]) }),
  global_scratch_size: z.number().default(0),
  profile_scratch_size: z.number().default(0),
  launch_cooperative_grid: z.boolean().default(false),
  hash: z.string().optional(),
});
export type Metadata = z.infer<typeof metadataSchema>;

/** A kernel that Triton compiled. */
export interface TritonKernel {
  /** The metadata's file. */
  readonly path: string;
  readonly metadata: Metadata;
  readonly cubin: Buffer;
  readonly compiled: CompiledKernel;
}

/** Reads `<name>.json` and the `.cubin` beside it; of a folder of Triton's cache, the one pair that it has. */
export function readTriton(place: string): TritonKernel {
  const path = metadataFile(place);
  const cubinPath = path.replace(/\.json$/, '.cubin');
  if (!existsSync(cubinPath))
    throw new UsageError(`there is no ${cubinPath}: Triton's cache has the cubin beside the metadata`);
  const metadata = parse(path);
  const compiled = onDisk(`read ${cubinPath}`, () => kernelOf(cubinPath, metadata.name));
  return { path, metadata, compiled, cubin: readFileSync(cubinPath) };
}

function metadataFile(place: string): string {
  if (!existsSync(place)) throw new UsageError(`there is no ${place}`);
  if (!statSync(place).isDirectory()) return place;
  const names = readdirSync(place).filter(
    (name) => name.endsWith('.json') && existsSync(join(place, name.replace(/\.json$/, '.cubin'))),
  );
  const [only] = names;
  if (names.length === 1 && only !== undefined) return join(place, only);
  const found = names.length === 0 ? 'none' : names.join(', ');
  throw new UsageError(`${place} must have one .json with a .cubin of that name; found: ${found}`);
}

function parse(path: string): Metadata {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`${path} is no JSON: ${(error as Error).message}`);
  }
  const result = metadataSchema.safeParse(value);
  if (result.success) return result.data;
  throw new UsageError(`${path} is no metadata of a Triton kernel\n${z.prettifyError(result.error)}`);
}

function kernelOf(cubin: string, name: string): CompiledKernel {
  const kernels = readCubin(cubin);
  const found = kernels[name];
  if (found) return found;
  throw new UsageError(
    `${cubin} has no kernel '${name}', which the metadata names; it has ${Object.keys(kernels).join(', ') || 'none'}`,
  );
}

/** Reason that a kernel cannot be launched as an ordinary one on an architecture; undefined if it can. */
export function notLaunchable({ metadata, compiled }: TritonKernel, arch: Arch): string | undefined {
  const { target, num_ctas, num_warps, shared } = metadata;
  const scratch = metadata.global_scratch_size + metadata.profile_scratch_size;
  const threads = 32 * num_warps;
  if (target.backend !== cuda.name) return `is compiled for '${target.backend}', not for CUDA`;
  if (Number(String(target.arch).replace(/\D/g, '')) !== arch.capability)
    return `is compiled for capability ${target.arch}, and the architecture is ${arch.name}: compile it for that, or name another with --arch`;
  if (num_ctas > 1) return `is launched in clusters of ${num_ctas}: only kernels with num_ctas = 1 are taken`;
  if (metadata.launch_cooperative_grid) return 'needs a cooperative launch, which is not supported';
  if (scratch > 0) return `needs ${scratch} bytes of scratch memory, which is not supported`;
  if (shared > arch.maxSharedBytesPerBlock)
    return `needs ${shared} bytes of shared memory, ${arch.name} has ${arch.maxSharedBytesPerBlock}`;
  if (compiled.maxThreads > 0 && threads > compiled.maxThreads)
    return `has ${num_warps} warps in its metadata, and its machine code is for ${compiled.maxThreads} threads`;
  return undefined;
}
