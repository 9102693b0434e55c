import { linkSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { diskError, errorCode, ifThere, makeFolder, onDisk, randomWord } from '../util/disk.ts';
import { parseJson } from '../util/json.ts';
import { digestOf, parseRecord, placeOf, type TuningRecord } from './record.ts';

/** A file of the cache: a record, or the damage to it or to its environment. */
export interface CacheFile {
  readonly path: string;
  /** Lines of the environment that it holds for; empty where these are not known. */
  readonly environment: string;
  readonly record?: TuningRecord;
  readonly damage?: string;
  /** Left by a process that was killed while it wrote. */
  readonly remains: boolean;
}

const version = 'v1';
/** After which a file that is being written belongs to nobody. */
const abandonedAfterMs = 3_600_000;

/** A record with the environment that it holds for: one line of an exported file. */
const exportedSchema = z.object({ environment: z.string(), text: z.string() });

/**
 * Every file of records below a cache folder, and environments that are damaged, in the order of their paths. None where there
 * is no such folder; an EnvironmentError where it cannot be read.
 */
export function cacheFiles(root: string): readonly CacheFile[] {
  const base = join(root, version);
  const names = ifThere(`read ${base}`, () => readdirSync(base)) ?? [];
  return names.toSorted().flatMap((name) => filesOf(join(base, name)));
}

/** The files of one environment. */
function filesOf(folder: string): readonly CacheFile[] {
  const path = join(folder, 'environment.txt');
  const text = environmentIn(folder);
  const isWhole = text !== undefined && isEnvironmentOf(folder, text);
  const damage = 'cannot be read, is cut or was changed: its digest is not the name of its folder';
  const damaged = text === undefined || isWhole ? [] : [{ path, environment: '', remains: false, damage }];
  const records = ['k', 'r'].flatMap((kind) =>
    namesIn(join(folder, kind)).flatMap(
      (name) => describe(`${kind}/${name}`, folder, isWhole ? text : '') ?? [],
    ),
  );
  return [...damaged, ...records];
}

/** Undefined where there is none, or not yet; empty where it cannot be read. */
function environmentIn(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, 'environment.txt'), 'utf8');
  } catch (error) {
    return isAbsent(error) ? undefined : '';
  }
}

function isEnvironmentOf(folder: string, environment: string): boolean {
  return digestOf(environment) === basename(folder);
}

/** Nothing where the file is gone by now: libraries write and take away records all the time. */
function describe(place: string, folder: string, environment: string): CacheFile | undefined {
  const path = join(folder, place);
  const common = { path, environment };
  if (place.includes('.tmp.')) return { ...common, remains: true };
  let text: string | undefined;
  try {
    text = lstatSync(path).isFile() ? readFileSync(path, 'utf8') : undefined;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
  }
  if (text === undefined) return { ...common, remains: false, damage: 'cannot be read' };
  const record = parseRecord(text);
  if (typeof record === 'string') return { ...common, remains: false, damage: record };
  if (placeOf(record) !== place) return { ...common, remains: false, damage: 'has the name of another key' };
  return { ...common, remains: false, record };
}

/** Removes what is no record, what killed processes left, and where asked for what is older than some days; returns what is gone. */
export function prune(root: string, olderThanDays?: number): readonly CacheFile[] {
  const now = Date.now();
  const old = ({ record }: CacheFile) =>
    olderThanDays !== undefined && record !== undefined && now / 1000 - record.time > olderThanDays * 86_400;
  const abandoned = ({ path, remains }: CacheFile) =>
    remains && now - (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now) > abandonedAfterMs;
  const gone = cacheFiles(root).filter((file) => file.damage !== undefined || abandoned(file) || old(file));
  for (const { path } of gone) rmSync(path, { recursive: true, force: true });
  return gone;
}

/** All records whose environment is known as lines of JSON, for `importRecords` on another machine. */
export function exportRecords(root: string): string {
  return cacheFiles(root)
    .filter(({ record, environment }) => record !== undefined && environment !== '')
    .map(({ path, environment }) => ({ environment, text: textOf(path) }))
    .filter(({ text }) => text !== undefined)
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}

/** Result of importing the lines of an exported file. */
export interface Imported {
  readonly added: number;
  /** Keys that the cache had already. */
  readonly kept: number;
  /** Lines that hold no record, counted from 1. */
  readonly refused: readonly number[];
}

/** Adds records, also in the place of damaged ones; those that are there stay. */
export function importRecords(root: string, text: string): Imported {
  const lines = text.split('\n').filter((line) => line !== '');
  const outcomes = lines.map((line) => importLine(root, line));
  return {
    added: outcomes.filter((one) => one === 'added').length,
    kept: outcomes.filter((one) => one === 'kept').length,
    refused: outcomes.flatMap((one, index) => (one === 'refused' ? index + 1 : [])),
  };
}

function importLine(root: string, line: string): 'added' | 'kept' | 'refused' {
  const { data } = exportedSchema.safeParse(parseJson(line));
  const record = data && parseRecord(data.text);
  if (!data || record === undefined || typeof record === 'string') return 'refused';
  const folder = join(root, version, digestOf(data.environment));
  addFile(join(folder, 'environment.txt'), data.environment, (there) => isEnvironmentOf(folder, there));
  const place = placeOf(record);
  return addFile(join(folder, place), data.text, (there) => isRecordAt(place, there)) ? 'added' : 'kept';
}

function isRecordAt(place: string, text: string): boolean {
  const record = parseRecord(text);
  return typeof record !== 'string' && placeOf(record) === place;
}

/** Writes a file unless a good one has its name. */
function addFile(path: string, text: string, isGood: (there: string) => boolean): boolean {
  return onDisk(
    `write ${path}`,
    () => {
      const there = contentsOf(path);
      if (there !== undefined && isGood(there)) return false;
      makeFolder(dirname(path));
      return putFile(path, text, there !== undefined);
    },
    'name another folder with --folder',
  );
}

/** Undefined where there is nothing, or nothing any more; empty of what is no file. */
function contentsOf(path: string): string | undefined {
  return ifThere(`read ${path}`, () => (lstatSync(path).isFile() ? readFileSync(path, 'utf8') : ''));
}

/** As the library writes: aside, then linked to its name unless that is taken, or renamed where it `replaces` what is damaged. */
function putFile(path: string, text: string, replaces: boolean): boolean {
  const aside = `${path}.tmp.${randomWord()}`;
  try {
    writeFileSync(aside, text, { flag: 'wx', flush: true });
    if (replaces) renameSync(aside, path);
    else linkSync(aside, path);
    return true;
  } catch (error) {
    if (!replaces && errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** Names in a folder of records; none where it is gone, or where a file lies beside the folders of environments. */
function namesIn(path: string): string[] {
  try {
    return readdirSync(path).toSorted();
  } catch (error) {
    if (isAbsent(error)) return [];
    throw diskError(error, `read ${path}`);
  }
}

function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '');
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
