import { statSync } from 'node:fs';
import { wantsGpu } from '../backends/index.ts';
import { UsageError } from '../errors.ts';
import type { Options } from './options.ts';

/** Options of `validate` that have no meaning for somebody's own `.cu`, and what does there what they are for. */
const foreign = {
  preset: 'name one kernel behind the file, or its template arguments in the description',
  where: 'say the condition on the sizes in the description: where: C % 4 == 0',
  limit: 'name one kernel behind the file',
  arch: 'the emulated device has none, and a GPU (--device cuda) is compiled for as it is',
  config: 'name folders and files by the other options',
  matrix: 'give an argument of a .cu its contents by values: { file: x.npy }',
} as const;

/** Throws a UsageError where an option would be ignored, or names a folder of headers that is not there. */
export function mustSuitOwnSource(flags: Options): void {
  for (const [name, instead] of Object.entries(foreign))
    if (flags[name as keyof typeof foreign] !== undefined)
      throw new UsageError(`--${name} is for the kernels of families, not for a .cu; ${instead}`);
  const { device, sanitize, include = [] } = flags;
  if (sanitize !== undefined && !(device && wantsGpu(device) && !device.gpuOptional))
    throw new UsageError(
      `--sanitize ${sanitize} watches the kernel on a GPU: add --device cuda; the emulated device looks for the same without it`,
    );
  for (const folder of include) mustBeFolder(folder);
}

function mustBeFolder(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  const what = found ? 'it is a file, not a folder' : 'there is no such folder';
  throw new UsageError(`--include ${folder}: ${what}; name folders in which headers lie`);
}
