import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { EnvironmentError } from '../errors.ts';
import type { Executor } from '../exec/executor.ts';
import type { Artifact } from '../model/artifact.ts';
import type { ManifestImage } from '../model/manifest.ts';
import { makeFolder } from '../util/disk.ts';
import { sha256 } from '../util/hash.ts';

/**
 * Packs a cubin, or PTX, into a compressed fatbin inside the package (the CUDA runtime unpacks it on load) and describes it.
 * `folder`: inside the package.
 * NVIDIA's `fatbinary` makes a third to a tenth of typical kernels.
 */
export async function packImage(
  artifact: Artifact,
  packagePath: string,
  folder: string,
  cudaHome: string,
  executor: Executor,
): Promise<ManifestImage> {
  const { symbol } = artifact.source.variant;
  const file = `${folder}/${symbol}.${artifact.arch}.fatbin`;
  const target = join(packagePath, file);
  makeFolder(dirname(target));
  const argv = [
    join(cudaHome, 'bin', 'fatbinary'),
    '-64',
    `--create=${target}`,
    '--compress-mode=size',
    // By its name alone: a comma in a folder's name would end the path.
    `--image3=kind=${isPtx(artifact) ? 'ptx' : 'elf'},sm=${artifact.arch.replace(/^(sm|compute)_/, '')},file=${basename(artifact.path)}`,
  ];
  const cwd = dirname(artifact.path);
  const { exitCode, stderr } = await executor.run(argv, { cwd, timeoutMs: 60_000 });
  if (exitCode !== 0)
    throw new EnvironmentError(`${argv[0]} could not pack ${artifact.path}: ${firstLine(stderr)}`);
  const code = await readFile(artifact.path);
  return {
    arch: artifact.arch,
    file,
    bytes: (await stat(target)).size,
    cubinBytes: code.length,
    hash: sha256(code),
    ...(artifact.resources && { resources: summary(artifact.resources) }),
  };
}

/** Whether drivers compile it, for the GPU that they find. */
const isPtx = ({ arch }: Artifact) => arch.startsWith('compute_');

function summary(resources: NonNullable<Artifact['resources']>): NonNullable<ManifestImage['resources']> {
  return {
    registers: resources.registers,
    spillBytes: resources.spillStoreBytes + resources.spillLoadBytes,
    stackBytes: resources.stackBytes,
    staticSharedBytes: resources.staticSharedBytes,
  };
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] || 'it said nothing';
}
