import { existsSync, statSync } from 'node:fs';
import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { UsageError } from '../errors.ts';
import type { Binding, BindingCopy, BindingFile } from '../model/binding.ts';
import type { Manifest, ManifestOperation } from '../model/manifest.ts';
import { renderText } from '../render/engine.ts';
import { renderOperation } from '../render/operation.ts';
import { errorCode, makeFolder } from '../util/disk.ts';
import { packageRoot } from '../util/package-root.ts';
import { ownHeaders } from './headers.ts';
import { asideOf } from './place.ts';

/** Writes the files that a package has once, without those that are rendered. */
export async function writeShared(binding: Binding, folder: string, target: string): Promise<void> {
  for (const file of binding.files.filter(({ from }) => !isRendered(from)))
    await writeFileOf(file, folder, {}, target);
  for (const copy of binding.copies) await copyFiles(copy, packageRoot, [], target);
}

/** Writes the files that a package has once and that are rendered. `extra` joins their context. */
export async function writeRendered(
  binding: Binding,
  folder: string,
  manifest: Manifest,
  target: string,
  extra: Readonly<Record<string, unknown>>,
): Promise<void> {
  const context = { ...binding.context(manifest), ...extra };
  for (const file of binding.files.filter(({ from }) => isRendered(from)))
    await writeFileOf(file, folder, context, target);
}

/** Writes an operation's files, its signature in C++ among them, but for what comes from its family. */
export async function writeOperation(
  { operation: own }: Binding,
  folder: string,
  operation: ManifestOperation,
  target: string,
): Promise<void> {
  for (const file of own.files(operation.signature.name))
    await writeFileOf(file, folder, own.context(operation), target);
  const { signature } = operation;
  await write(join(target, own.signature(signature.name)), renderOperation(signature));
}

/** Copies what an operation takes from its family's folder. `kernels`: the texts in the package, whose headers it needs. */
export async function copyFromFamily(
  { operation }: Binding,
  name: string,
  folder: string,
  kernels: readonly string[],
  target: string,
): Promise<void> {
  for (const copy of operation.copies(name)) await copyFiles(copy, folder, kernels, target);
}

function isRendered(file: string): boolean {
  return file.endsWith('.hbs');
}

/** Writes a file of a package, rendered where its name says so. */
export async function writeFileOf(
  { from, to }: BindingFile,
  folder: string,
  context: Readonly<Record<string, unknown>>,
  target: string,
): Promise<void> {
  const text = await readFile(join(folder, from), 'utf8');
  await write(join(target, to), isRendered(from) ? renderText(text, context, from) : text);
}

async function copyFiles(
  copy: BindingCopy,
  root: string,
  kernels: readonly string[],
  target: string,
): Promise<void> {
  const origin = join(root, copy.from);
  if (!existsSync(origin) && copy.optional) return;
  if (!existsSync(origin)) throw new UsageError(`the library needs ${origin}, and there is no such file`);
  const to = join(target, copy.to);
  if (copy.withIncludes) {
    const folder = dirname(origin);
    const own = ownHeaders(folder, [`#include "${basename(origin)}"`, ...kernels]);
    for (const file of own) await cp(join(folder, file), join(to, file));
  } else if (statSync(origin).isDirectory()) {
    for (const file of await filesIn(origin, copy.accept)) await cp(join(origin, file), join(to, file));
  } else {
    await cp(origin, to);
  }
}

/** Paths of the accepted files under a folder, relative to it. */
export async function filesIn(
  folder: string,
  accept: (path: string) => boolean = () => true,
): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const accepted = files
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .filter(accept);
  if (accepted.length === 0)
    throw new UsageError(`the library needs sources of ${folder}, and nothing there fits`);
  return accepted.toSorted();
}

/** Writes a file and the folders above it. */
export async function write(path: string, text: string): Promise<void> {
  makeFolder(dirname(path));
  await writeFile(path, text);
}

/** Puts `staged` where `target` is. The old folder is back in its place if that fails. */
export async function replaceFolder(staged: string, target: string): Promise<void> {
  const old = asideOf(staged);
  const had = await moved(target, old);
  try {
    await rename(staged, target);
  } catch (error) {
    if (had) await rename(old, target);
    throw error;
  }
  await rm(old, { recursive: true, force: true });
}

async function moved(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
