import { existsSync, statSync } from 'node:fs';
import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { UsageError } from '../errors.ts';
import type { Binding, BindingCopy } from '../model/binding.ts';
import type { Manifest } from '../model/manifest.ts';
import { renderText } from '../render/engine.ts';
import { errorCode, makeFolder } from '../util/disk.ts';
import { ownHeaders } from './headers.ts';
import { asideOf } from './place.ts';

/** Folders that a binding's copies start from. */
export interface Roots {
  readonly package: string;
  readonly family: string;
}

/**
 * Writes the binding's own files and copies into the package. `kernels`: texts that are in it, whose headers it needs;
 * `extra` joins the context of the templates.
 */
export async function writeBinding(
  binding: Binding,
  folder: string,
  manifest: Manifest,
  roots: Roots,
  kernels: readonly string[],
  target: string,
  extra: Readonly<Record<string, unknown>>,
): Promise<void> {
  const context = { ...binding.context(manifest), ...extra };
  for (const { from, to } of binding.files(manifest)) {
    const text = await readFile(join(folder, from), 'utf8');
    await write(join(target, to), from.endsWith('.hbs') ? renderText(text, context, from) : text);
  }
  for (const copy of binding.copies(manifest)) await copyFiles(copy, roots[copy.root], kernels, target);
}

async function copyFiles(
  copy: BindingCopy,
  root: string,
  kernels: readonly string[],
  target: string,
): Promise<void> {
  const origin = join(root, copy.from);
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
async function filesIn(folder: string, accept: (path: string) => boolean = () => true): Promise<string[]> {
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
