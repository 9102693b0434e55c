import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import fastGlob from 'fast-glob';
import { z } from 'zod';
import { UsageError } from './errors.ts';
import { loadDefault } from './load-module.ts';
import type { AnyFamily } from './model/family.ts';
import type { ParameterValue } from './model/parameter.ts';
import { type FamilyWisdom, wisdomSchema } from './model/wisdom.ts';
import { activeLevels, pointOfId } from './space/id.ts';
import type { Values } from './space/plan.ts';
import { validateFamily } from './space/validate-family.ts';
import { parseJson } from './util/json.ts';
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
  const wisdom = wisdomOf(family, folder);
  return { family: withShipped(family, wisdom), folder, wisdom };
}

/** Throws a UsageError for a file of `wisdom/` that is none of this family. */
function wisdomOf(family: AnyFamily, folder: string): FamilyWisdom[] {
  return fastGlob.sync(join(folder, 'wisdom/*.json'), { absolute: true }).map((file) => {
    const json = parseJson(readFileSync(file, 'utf8'));
    const parsed = wisdomSchema.safeParse(json);
    const { data } = parsed;
    const fits = data?.family === family.name && data.arch === basename(file, '.json');
    if (!data || !fits) {
      const said = data ? `it is of ${data.family} for ${data.arch}` : z.prettifyError(parsed.error);
      const why = json === undefined ? 'it is no JSON (cut short?)' : said;
      throw new UsageError(
        `${file} is no wisdom of ${family.name} for ${basename(file, '.json')}: ${why}\n  \`npx gen report --wisdom <file>\` writes one`,
      );
    }
    const ids = [...new Set(data.records.map(({ variant }) => variant))];
    return { ...data, gone: ids.filter((id) => pointOf(family, id) === undefined) };
  });
}

/** The point that an id names, where the space still has such points. */
function pointOf(family: AnyFamily, id: string): Readonly<Values> | undefined {
  try {
    return pointOfId(family, id);
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

/** The family with the preset `shipped`: the winners of its wisdom, and those of the family's own preset `fallback`. */
function withShipped(family: AnyFamily, wisdom: readonly FamilyWisdom[]): AnyFamily {
  const records = wisdom.flatMap((one) => one.records);
  const parts = [...new Set(records.map(({ variant }) => variant))].flatMap((id) => {
    const point = pointOf(family, id);
    if (!point) return [];
    const active = activeLevels(family, point).map(({ name }) => name);
    return [Object.fromEntries(active.map((name) => [name, [point[name] as ParameterValue]]))];
  });
  if (parts.length === 0) return family;
  const gpus = [...new Set(wisdom.flatMap(({ runs }) => runs.map(({ gpu }) => gpu)))];
  const shipped = {
    doc: `What was the fastest on ${gpus.join(', ')}, by the folder wisdom/, and what takes the calls that they refuse.`,
    where: [...parts, ...[family.presets.fallback?.where ?? []].flat()],
    workloads: family.workloads
      .map(({ id }) => id)
      .filter((id) => records.some(({ workload }) => workload === id)),
  };
  return { ...family, presets: { shipped, ...family.presets } };
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
