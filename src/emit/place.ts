import { existsSync, lstatSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { UsageError } from '../errors.ts';
import { ifThere, onDisk, readText } from '../util/disk.ts';
import { parseJson } from '../util/json.ts';

/** The folder of the emitted library. */
export function libraryPath(out: string): string {
  return join(out, 'library');
}

/** Folder of an operation's sources and device code inside a library. */
export function kernelFolder(operation: string): string {
  return `kernels/${operation}`;
}

/** A variant's source. Those that only the CUDA library has lie in a folder below the others. */
export function kernelSource(operation: string, id: string, emulated: boolean): string {
  return `${kernelFolder(operation)}/${emulated ? '' : 'cuda/'}${id}.cu`;
}

/** The file that one process at a time locks to write the library. */
export function lockPath(out: string): string {
  return join(out, '.library.lock');
}

/** The start of the name of a folder in which a library is made before it takes its place. */
export const stagedPrefix = '.library-tilewright-';

/** The same for packages around it. */
export const stagedPackagePrefix = '.package-tilewright-';

/** The name under which the former library waits to be removed. */
export function asideOf(staged: string): string {
  return `${staged}.old`;
}

/**
 * Removes what processes that were killed have left, and puts a library back that one of them had moved aside. For who holds
 * the lock.
 */
export function clearRemains(out: string): void {
  const names = ifThere(`read ${out}`, () => readdirSync(out)) ?? [];
  const library = libraryPath(out);
  for (const name of names.filter((one) => one.startsWith(stagedPackagePrefix)))
    onDisk(`write ${out}`, () => rmSync(join(out, name), { recursive: true, force: true }));
  for (const name of names.filter((one) => one.startsWith(stagedPrefix))) {
    const path = join(out, name);
    const wasLibrary = name.endsWith(asideOf(''));
    onDisk(`write ${library}`, () => {
      if (wasLibrary && !existsSync(library)) renameSync(path, library);
      else rmSync(path, { recursive: true, force: true });
    });
  }
}

/** As much of a manifest, of whatever version, as says that we wrote it. */
const ownSchema = z.object({
  provenance: z.object({ generator: z.object({ name: z.literal('tilewright') }) }),
});

/** Throws a UsageError where the library would take the place of something that we did not write. */
export function mustBeReplaceable(out: string): void {
  mustBeOwn(libraryPath(out), '.');
}

/** The same for a package that has the library in its folder `library`. */
export function mustBeReplaceablePackage(path: string, library: string): void {
  mustBeOwn(path, library);
}

function mustBeOwn(path: string, library: string): void {
  const found = ifThere(`create ${path}`, () => lstatSync(path));
  if (found?.isSymbolicLink())
    throw new UsageError(
      `${path} is a symbolic link, which is not replaced by a folder; remove the link, or name another folder with --out`,
    );
  if (!found || isEmptyFolder(path) || hasOwnManifest(join(path, library))) return;
  throw new UsageError(
    `${path} is in the way: it is no library that tilewright emitted, and is not replaced; move it, or name another folder with --out`,
  );
}

function isEmptyFolder(path: string): boolean {
  return isFolder(path) && onDisk(`read ${path}`, () => readdirSync(path)).length === 0;
}

function hasOwnManifest(path: string): boolean {
  const file = join(path, 'manifest.json');
  if (!isFolder(path) || !existsSync(file)) return false;
  return ownSchema.safeParse(parseJson(onDisk(`read ${file}`, () => readText(file)))).success;
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
