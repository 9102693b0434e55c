import { existsSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../errors.ts';
import type { PackageBinding } from '../model/binding.ts';
import { type Manifest, manifestSchema } from '../model/manifest.ts';
import { diskError } from '../util/disk.ts';
import { parseJson } from '../util/json.ts';
import { describeOwner, withLock } from '../util/lock.ts';
import { bindingFolder, loadPackageBinding } from './binding.ts';
import { replaceFolder, writeFileOf } from './files.ts';
import {
  clearRemains,
  libraryPath,
  lockPath,
  mustBeReplaceablePackage,
  stagedPackagePrefix,
} from './place.ts';

/** The folder of a package around the library of `out`. */
export function packagePath(out: string, name: string): string {
  return join(out, name);
}

/**
 * Puts the library of `out` into a package of another language, at `<out>/<name>`, in place of a former one. Returns the
 * package's folder. One process at a time writes into `out`.
 */
export async function emitPackage(
  name: string,
  out: string,
  remark: (message: string) => void,
): Promise<string> {
  const binding = await loadPackageBinding(name);
  const onWait = (owner: Parameters<typeof describeOwner>[0]) =>
    remark(`waiting for ${describeOwner(owner)}, which writes the library in ${out}`);
  return withLock(lockPath(out), { onWait, elsewhere: 'name another folder with --out' }, () =>
    writePackage(binding, out),
  );
}

async function writePackage(binding: PackageBinding, out: string): Promise<string> {
  const path = packagePath(out, binding.name);
  const library = libraryPath(out);
  clearRemains(out);
  mustBeReplaceablePackage(path, binding.library);
  const staged = await mkdtemp(join(out, stagedPackagePrefix));
  try {
    await chmod(staged, 0o755);
    for (const { context, ...file } of binding.files(manifestOf(library)))
      await writeFileOf(file, bindingFolder(binding.name), context, staged);
    await cp(library, join(staged, binding.library), { recursive: true });
    await replaceFolder(staged, path);
    return path;
  } catch (error) {
    await rm(staged, { recursive: true, force: true });
    throw diskError(error, `write the package to ${path}`);
  }
}

function manifestOf(library: string): Manifest {
  const file = join(library, 'manifest.json');
  if (!existsSync(file)) throw new UsageError(`there is no library in ${library}; emit one first`);
  return manifestSchema.parse(parseJson(readFileSync(file, 'utf8')));
}
