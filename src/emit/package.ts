import { existsSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../errors.ts';
import type { Executor } from '../exec/executor.ts';
import type { PackageBinding } from '../model/binding.ts';
import { type Manifest, manifestSchema } from '../model/manifest.ts';
import { diskError } from '../util/disk.ts';
import { guardFolder } from '../util/guard.ts';
import { parseJson } from '../util/json.ts';
import { describeOwner, withLock } from '../util/lock.ts';
import { inTemporary } from '../util/temporary.ts';
import { bindingFolder, loadPackageBinding } from './binding.ts';
import { buildExtensions } from './extension.ts';
import { replaceFolder, writeFileOf } from './files.ts';
import { type InstallOptions, installLibrary } from './install.ts';
import {
  clearRemains,
  libraryPath,
  lockPath,
  mustBeReplaceablePackage,
  stagedPackagePrefix,
} from './place.ts';
import { buildWheel, wheelDefinitions } from './wheel.ts';

/** The folder of a package around the library of `out`. */
export function packagePath(out: string, name: string): string {
  return join(out, name);
}

/** Tools that build a package, for bindings that need building. */
export interface BuildTools extends InstallOptions {
  readonly executor: Executor;
}

/**
 * Puts the library of `out` into a package of another language, at `<out>/<name>`, in place of a former one. Returns the
 * package's folder, or the path of its wheel where it has one and there are `tools`. One process at a time writes into `out`.
 */
export async function emitPackage(
  name: string,
  out: string,
  remark: (message: string) => void,
  tools?: () => Promise<BuildTools>,
): Promise<string> {
  const binding = await loadPackageBinding(name);
  const onWait = (owner: Parameters<typeof describeOwner>[0]) =>
    remark(`waiting for ${describeOwner(owner)}, which writes the library in ${out}`);
  return withLock(lockPath(out), { onWait, elsewhere: 'name another folder with --out' }, async () => {
    const path = await writePackage(binding, out);
    if (!binding.wheel || !tools) return path;
    remark(`building the shared libraries of ${path} for a wheel`);
    return wheelOf(path, binding, await tools(), remark);
  });
}

/** Builds the package's shared libraries and extensions aside, and a wheel in `<package>/dist`. */
async function wheelOf(
  path: string,
  binding: PackageBinding,
  { executor, ...options }: BuildTools,
  remark: (message: string) => void,
): Promise<string> {
  return inTemporary('wheel', async (prefix) => {
    const define = { ...wheelDefinitions, CMAKE_INSTALL_LIBDIR: 'lib', ...options.define };
    await installLibrary(join(path, binding.library), prefix, executor, { ...options, define, shared: true });
    const sources = (binding.wheel?.extensions ?? []).map((from) => ({
      from,
      root: bindingFolder(binding.name),
    }));
    const extensions = await buildExtensions(sources, join(prefix, 'modules'), executor, remark);
    const libraries = join(prefix, 'lib');
    return await buildWheel({ tree: path, libraries, extensions, folder: join(path, 'dist'), executor });
  });
}

async function writePackage(binding: PackageBinding, out: string): Promise<string> {
  const path = packagePath(out, binding.name);
  const library = libraryPath(out);
  clearRemains(out);
  mustBeReplaceablePackage(path, binding.library);
  const staged = await mkdtemp(join(out, stagedPackagePrefix));
  guardFolder(staged);
  try {
    await chmod(staged, 0o755);
    const manifest = manifestOf(library);
    await copyFamilyFiles(binding, manifest, library, staged);
    const has = (file: string) => existsSync(join(staged, file));
    for (const { context, ...file } of binding.files(manifest, has))
      await writeFileOf(file, bindingFolder(binding.name), context, staged);
    // With their times: what builds the package need not build anew where the library is the same.
    await cp(library, join(staged, binding.library), { recursive: true, preserveTimestamps: true });
    await replaceFolder(staged, path);
    return path;
  } catch (error) {
    await rm(staged, { recursive: true, force: true });
    throw diskError(error, `write the package to ${path}`);
  }
}

async function copyFamilyFiles(
  { name, familyFiles }: PackageBinding,
  { operations }: Manifest,
  library: string,
  staged: string,
): Promise<void> {
  for (const operation of Object.keys(operations)) {
    const from = join(library, 'bindings', operation, name);
    if (familyFiles && existsSync(from))
      await cp(from, join(staged, familyFiles(operation)), { recursive: true });
  }
}

function manifestOf(library: string): Manifest {
  const file = join(library, 'manifest.json');
  if (!existsSync(file)) throw new UsageError(`there is no library in ${library}; emit one first`);
  return manifestSchema.parse(parseJson(readFileSync(file, 'utf8')));
}
