import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import fastGlob from 'fast-glob';
import { UsageError } from './errors.ts';
import { loadDefault } from './load-module.ts';
import type { AnyFamily } from './model/family.ts';
import type { FamilyWisdom } from './model/wisdom.ts';
import { loadWisdom, withShipped } from './shipped.ts';
import { validateFamily } from './space/validate-family.ts';
import { packageRoot } from './util/package-root.ts';
import { didYouMean } from './util/suggest.ts';

/** A family with the folder it was found in. */
export interface DiscoveredFamily {
  readonly family: AnyFamily;
  /** Absolute. */
  readonly folder: string;
  /** What its folder `wisdom/` holds, one per architecture. */
  readonly wisdom: readonly FamilyWisdom[];
}

export interface Places {
  /** Folder with `templates/kernels/`; this package's own if absent. */
  readonly root?: string;
  /** More families: absolute globs of folders, or of their `family.ts`. */
  readonly families?: readonly string[];
}

/**
 * Every kernel family there is, by name. Throws one UsageError with the problems of all that are broken, each with file
 * and line.
 */
export async function loadFamilies(places: Places = {}): Promise<DiscoveredFamily[]> {
  const folders = await familyFolders(places);
  const results = await Promise.allSettled(folders.map(load));
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
  const folders = await familyFolders(places);
  const folder = folders.find((candidate) => basename(candidate) === name) ?? folders.find(startsIds(name));
  if (folder) return load(folder);
  const names = folders.map((candidate) => basename(candidate));
  throw new UsageError(
    `there is no kernel family '${name}'; there are: ${names.join(', ') || 'none'}${didYouMean(name, names)}`,
  );
}

/** Whether ids of the family in a folder begin with `prefix`: its name as a C identifier. */
function startsIds(prefix: string): (folder: string) => boolean {
  return (folder) => basename(folder).replaceAll('-', '_') === prefix;
}

async function load(folder: string): Promise<DiscoveredFamily> {
  const file = join(folder, 'family.ts');
  const family = validateFamily(await loadDefault(file), {
    file,
    folder: basename(folder),
    has: (name) => existsSync(join(folder, name)),
  });
  const wisdom = loadWisdom(family, folder);
  return { family: withShipped(family, wisdom), folder, wisdom };
}

/** Folders with a `family.ts`, sorted by name. Throws a UsageError for two families of one name. */
async function familyFolders({ root = packageRoot, families = [] }: Places): Promise<string[]> {
  const patterns = [join(root, 'templates/kernels/*/family.ts'), ...families.map(familyFileOf)];
  const files = await fastGlob(patterns, { absolute: true, unique: true });
  const folders = files.map(dirname).toSorted((a, b) => (basename(a) < basename(b) ? -1 : 1));
  for (const [index, folder] of folders.entries()) {
    const next = folders[index + 1];
    if (next === undefined || basename(next) !== basename(folder)) continue;
    throw new UsageError(`two kernel families are called '${basename(folder)}': ${folder} and ${next}`);
  }
  return folders;
}

function familyFileOf(pattern: string): string {
  return pattern.endsWith('family.ts') ? pattern : `${pattern.replace(/\/$/, '')}/family.ts`;
}
