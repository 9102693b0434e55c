import { statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import fastGlob from 'fast-glob';
import { UsageError } from './errors.ts';
import { loadDefault } from './load-module.ts';
import { type AnyFamily, allWorkloads } from './model/family.ts';
import type { FamilyWisdom } from './model/wisdom.ts';
import { loadWisdom, withShipped } from './shipped.ts';
import { authorOf } from './space/author.ts';
import { guardFamily } from './space/guard-family.ts';
import { validateFamily } from './space/validate-family.ts';
import { diskError } from './util/disk.ts';
import { packageRoot } from './util/package-root.ts';
import { didYouMean } from './util/suggest.ts';

/** A family with the folder it was found in. */
export interface DiscoveredFamily {
  readonly family: AnyFamily;
  /** Absolute. */
  readonly folder: string;
  /** Contents of its folder `wisdom/`, one per architecture. */
  readonly wisdom: readonly FamilyWisdom[];
}

/** A glob of families' folders, or of their `family.ts`. `from`: the folder that it starts at, which is no pattern itself. */
export interface FamilyGlob {
  readonly from: string;
  readonly pattern: string;
}

export interface Places {
  /** Folder with `templates/kernels/`; this package's own if absent. */
  readonly root?: string;
  /** More families. */
  readonly families?: readonly FamilyGlob[];
}

/**
 * Every kernel family there is, by name. Throws one UsageError with the problems of all that are broken, each with file
 * and line.
 */
export async function loadFamilies(places: Places = {}): Promise<DiscoveredFamily[]> {
  const folders = await familyFolders(places);
  const results = await Promise.allSettled(folders.map(loadFamilyIn));
  const failures = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason as unknown] : [],
  );
  const bug = failures.find((failure) => !(failure instanceof UsageError));
  if (bug !== undefined) throw bug;
  if (failures.length > 0)
    throw new UsageError(failures.map((failure) => (failure as Error).message).join('\n'));
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

/** One family by name or by what its ids begin with; the others are not read, so that a broken one among them does no harm. */
export async function loadFamily(name: string, places: Places = {}): Promise<DiscoveredFamily> {
  return loadFamilyIn(await findFamily(name, places));
}

/** The folder of the family of that name, or whose ids begin so. */
export async function findFamily(name: string, places: Places = {}): Promise<string> {
  const folders = await familyFolders(places);
  const folder = folders.find((candidate) => basename(candidate) === name) ?? folders.find(startsIds(name));
  if (folder) return folder;
  const names = folders.map((candidate) => basename(candidate));
  throw new UsageError(
    `there is no kernel family '${name}'; there are: ${names.join(', ')}${didYouMean(name, names)}`,
  );
}

/** Whether ids of the family in a folder begin with `prefix`: its name as a C identifier. */
function startsIds(prefix: string): (folder: string) => boolean {
  return (folder) => basename(folder).replaceAll('-', '_') === prefix;
}

/** Families of this package with an oracle for the kernels of others, their `described.hpp`. */
export function describedFamilies(): readonly string[] {
  const cwd = join(packageRoot, 'templates/kernels');
  return fastGlob.sync('*/described.hpp', { cwd }).map(dirname).toSorted();
}

/** One of them. Throws a UsageError for another name. */
export async function loadDescribed(name: string): Promise<AnyFamily> {
  const names = describedFamilies();
  if (names.includes(name)) return (await loadFamily(name)).family;
  throw new UsageError(`there is no oracle '${name}'; there are: ${names.join(', ')}`);
}

/** The family in a folder. */
export async function loadFamilyIn(folder: string): Promise<DiscoveredFamily> {
  const author = authorOf(folder);
  const has = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.isFile() ?? false;
  const said = await loadDefault(author.file);
  const family = guardFamily(validateFamily(said, { ...author, folder: basename(folder), has }), author);
  for (const workload of allWorkloads(family)) family.features?.(workload); // a misspelt name would weigh nothing
  const wisdom = loadWisdom(family, folder);
  return { family: withShipped(family, wisdom), folder, wisdom };
}

/** Folders with a `family.ts`, sorted by name. Throws a UsageError for two families of one name, and where there is none. */
async function familyFolders({ root = packageRoot, families = [] }: Places): Promise<string[]> {
  const globs = [{ from: root, pattern: 'templates/kernels/*' }, ...families];
  const files = new Set((await Promise.all(globs.map(familyFiles))).flat());
  if (files.size === 0) throw noFamily(globs);
  const folders = [...files].map(dirname).toSorted((a, b) => (basename(a) < basename(b) ? -1 : 1));
  for (const [index, folder] of folders.entries()) {
    const next = folders[index + 1];
    if (next === undefined || basename(next) !== basename(folder)) continue;
    throw new UsageError(`two kernel families are called '${basename(folder)}': ${folder} and ${next}`);
  }
  return folders;
}

/** Matches `pattern` below `from`. A folder's name, e.g. `lib (old)`, is never taken for a pattern. */
async function familyFiles({ from, pattern }: FamilyGlob): Promise<string[]> {
  const file = pattern.endsWith('family.ts') ? pattern : `${pattern.replace(/\/$/, '')}/family.ts`;
  try {
    return await fastGlob(file, { cwd: from, absolute: true });
  } catch (error) {
    throw diskError(error, `read ${resolve(from, pattern)}`);
  }
}

function noFamily(globs: readonly FamilyGlob[]): UsageError {
  const places = globs.map(({ from, pattern }) => resolve(from, pattern)).join(', ');
  return new UsageError(
    `there is no kernel family: no folder of ${places} has a family.ts; name folders under \`families\` in gen.config.ts, or begin a family with \`npx gen new kernel <name>\``,
  );
}
