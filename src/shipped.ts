// The wisdom that a family ships, and the preset `shipped` that follows from it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { UsageError } from './errors.ts';
import { type AnyFamily, allWorkloads } from './model/family.ts';
import {
  type Costs,
  costsSchema,
  type FamilyWisdom,
  sameCodeSchema,
  type Timing,
  timingsSchema,
  wisdomSchema,
  wisdomVersion,
} from './model/wisdom.ts';
import { activeValues, findPoint, idOf } from './space/id.ts';
import type { Values } from './space/plan.ts';
import { onDisk } from './util/disk.ts';
import { parseJson } from './util/json.ts';

/** Contents of a family's folder `wisdom/`, by architecture. Throws a UsageError for a file that is none of this family. */
export function loadWisdom(family: AnyFamily, folder: string): FamilyWisdom[] {
  const place = join(folder, 'wisdom');
  const winners = archsIn(place);
  const untold = archsIn(join(place, 'timings')).filter((arch) => !winners.includes(arch));
  return [
    ...winners.map((arch) => readWisdom(family, join(place, `${arch}.json`))),
    ...untold.map((arch) => withoutWinners(family, arch, place)),
  ];
}

/** Names of the JSON files in a folder. */
function archsIn(folder: string): string[] {
  const names = existsSync(folder) ? onDisk(`read ${folder}`, () => readdirSync(folder)) : [];
  const files = names.filter((name) => name.endsWith('.json'));
  return files.toSorted().map((name) => basename(name, '.json'));
}

/** Of an architecture of which there are times alone, measured by users' calls. */
function withoutWinners(family: AnyFamily, arch: string, place: string): FamilyWisdom {
  const timings = readTimings(family, arch, join(place, 'timings'));
  return { version: wisdomVersion, family: family.name, arch, runs: [], records: [], gone: [], timings };
}

function readWisdom(family: AnyFamily, file: string): FamilyWisdom {
  const arch = basename(file, '.json');
  const json = parseJson(onDisk(`read ${file}`, () => readFileSync(file, 'utf8')));
  const { data, error } = wisdomSchema.safeParse(json);
  if (data?.family === family.name && data.arch === arch) {
    const ids = [...new Set(data.records.map(({ variant }) => variant))];
    const now = sameCode(join(dirname(file), 'same-code', `${arch}.json`));
    const records = data.records.map((record) => ({
      ...record,
      variant: idNow(family, record.variant),
      source: now[record.source] ?? record.source,
    }));
    const gone = ids.filter((id) => pointOf(family, id) === undefined);
    const timings = readTimings(family, arch, join(dirname(file), 'timings'));
    const costs = readCosts(family, arch, join(dirname(file), 'costs'));
    return { ...data, records, gone, timings, sameCode: now, ...(costs && { costs }) };
  }
  const said = data ? `it is of ${data.family} for ${data.arch}` : z.prettifyError(error);
  const why = json === undefined ? 'it is no JSON (cut short?)' : said;
  throw new UsageError(
    `${file} is no wisdom of ${family.name} for ${arch}: ${why}\n  \`npx gen report --wisdom <file>\` writes one`,
  );
}

/** Times under the ids of today, without those of variants that the space no longer has. None where there is no such file. */
function readTimings(family: AnyFamily, arch: string, folder: string): Timing[] {
  const file = join(folder, `${arch}.json`);
  if (!existsSync(file)) return [];
  const { data, error } = timingsSchema.safeParse(parseJson(readFileSync(file, 'utf8')));
  if (data?.family !== family.name || data.arch !== arch) {
    const why = error ? z.prettifyError(error) : `it is of ${data?.family} for ${data?.arch}`;
    throw new UsageError(
      `${file} has no times of ${family.name} for ${arch}: ${why}\n  \`npx gen report --timings <file>\` and \`npx gen cache export --timings <file>\` write it`,
    );
  }
  return data.timings.map((timing) => {
    const known = Object.entries(timing.times).filter(([id]) => pointOf(family, id) !== undefined);
    return { ...timing, times: Object.fromEntries(known.map(([id, time]) => [idNow(family, id), time])) };
  });
}

/** Weights of the family's cost model, under the ids of today; nothing where the family has no model or the file is not there. */
function readCosts(family: AnyFamily, arch: string, folder: string): Costs | undefined {
  const file = join(folder, `${arch}.json`);
  if (!family.cost || !existsSync(file)) return undefined;
  const { data, error } = costsSchema.safeParse(parseJson(readFileSync(file, 'utf8')));
  if (data?.family !== family.name || data.arch !== arch) {
    const why = error ? z.prettifyError(error) : `it is of ${data?.family} for ${data?.arch}`;
    throw new UsageError(
      `${file} has no costs of ${family.name} for ${arch}: ${why}\n  \`npx gen report --costs <file>\` writes it`,
    );
  }
  const factors = Object.entries(data.factors).map(([id, factor]) => [idNow(family, id), factor]);
  return { ...data, factors: Object.fromEntries(factors) };
}

/** Sources as they are rendered now, by timed ones that compile to the same machine code; `bench/same-code.ts` writes them. */
function sameCode(file: string): Readonly<Record<string, string>> {
  if (!existsSync(file)) return {};
  const { data, error } = sameCodeSchema.safeParse(parseJson(readFileSync(file, 'utf8')));
  if (data) return data.sources;
  throw new UsageError(
    `${file} does not say which sources have the same machine code: ${z.prettifyError(error)}`,
  );
}

interface Named {
  readonly point: Readonly<Values>;
  /** Its id as the family writes it today. */
  readonly id: string;
}

/** Points that ids name, by family: files of wisdom repeat a few hundred of them thousands of times. */
const named = new WeakMap<AnyFamily, Map<string, Named | undefined>>();

/** The point that an id names, where the space still has such points. */
function pointOf(family: AnyFamily, id: string): Readonly<Values> | undefined {
  return namedBy(family, id)?.point;
}

/** An id as the family writes it today; as it is where the space has no such point. */
function idNow(family: AnyFamily, id: string): string {
  return namedBy(family, id)?.id ?? id;
}

function namedBy(family: AnyFamily, id: string): Named | undefined {
  const known = named.get(family) ?? new Map<string, Named | undefined>();
  named.set(family, known);
  if (!known.has(id)) known.set(id, readId(family, id));
  return known.get(id);
}

function readId(family: AnyFamily, id: string): Named | undefined {
  const point = findPoint(family, id);
  return point && { point, id: idOf(family, point) };
}

/**
 * The family with the preset `shipped`: the winners of its wisdom, and those of the family's own preset `fallback`, with guesses for
 * comparisons of which there is no time; and with `shipped-comparisons`, the same variants on the family's comparisons, where it has
 * some.
 */
export function withShipped(family: AnyFamily, wisdom: readonly FamilyWisdom[]): AnyFamily {
  const records = wisdom.flatMap((one) => one.records);
  const timings = wisdom.flatMap((one) => one.timings ?? []);
  const ids = [...new Set([...records.map(({ variant }) => variant), ...timings.flatMap(fastestOf)])];
  const points = ids.map((id) => pointOf(family, id)).filter((point) => point !== undefined);
  if (points.length === 0) return family;
  const parts = points.map((point) =>
    Object.fromEntries(Object.entries(activeValues(family, point)).map(([name, value]) => [name, [value]])),
  );
  const known = new Set(records.map(({ workload }) => workload));
  const { comparisons = [] } = family;
  const gpus = [...new Set(wisdom.flatMap(({ runs }) => runs.map(({ gpu }) => gpu)))];
  const shipped = {
    doc: `Winners on ${gpus.join(', ')}, by the folder wisdom/, and fallbacks for the calls that they refuse.`,
    where: [...parts, ...[family.presets.fallback?.where ?? []].flat()],
    workloads: allWorkloads(family)
      .map(({ id }) => id)
      .filter((id) => known.has(id)),
    guessed: comparisons.map(({ id }) => id).filter((id) => !known.has(id)),
  };
  const compared = comparisons.length > 0 && {
    'shipped-comparisons': {
      doc: 'The variants of shipped on workloads beside their siblings: what each kind of call costs in the library.',
      where: shipped.where,
      workloads: comparisons.map(({ id }) => id),
    },
  };
  return { ...family, presets: { shipped, ...compared, ...family.presets } };
}

function fastestOf({ times }: Timing): string[] {
  const [first] = Object.entries(times).toSorted(([, a], [, b]) => a - b);
  return first ? [first[0]] : [];
}
