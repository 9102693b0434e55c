import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { errorCode, randomWord } from '../util/disk.ts';
import { parseJson } from '../util/json.ts';
import { digestOf, parseRecord, placeOf, type TuningRecord } from './record.ts';

/** A file of the cache: a record, or why it is none. */
export interface CacheFile {
  readonly path: string;
  /** Lines of the environment that it holds for. */
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

/** Every file of records below a cache folder, in the order of their paths. None where there is no such folder. */
export function cacheFiles(root: string): readonly CacheFile[] {
  const base = join(root, version);
  return foldersIn(base).flatMap((folder) => {
    const environment = textOf(join(folder, 'environment.txt')) ?? '';
    return ['k', 'r'].flatMap((kind) =>
      namesIn(join(folder, kind)).flatMap((name) => describe(`${kind}/${name}`, folder, environment) ?? []),
    );
  });
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

/** All records as lines of JSON, for `importRecords` on another machine. */
export function exportRecords(root: string): string {
  return cacheFiles(root)
    .filter(({ record }) => record !== undefined)
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

/** Adds records; those that are there stay. */
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
  addFile(join(folder, 'environment.txt'), data.environment);
  return addFile(join(folder, placeOf(record)), data.text) ? 'added' : 'kept';
}

/** As the library writes: aside, then linked to its name unless that is taken. */
function addFile(path: string, text: string): boolean {
  if (existsSync(path)) return false;
  mkdirSync(dirname(path), { recursive: true });
  const aside = `${path}.tmp.${randomWord()}`;
  try {
    writeFileSync(aside, text, { flag: 'wx', flush: true });
    linkSync(aside, path);
    return true;
  } catch (error) {
    if (existsSync(path)) return false;
    throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function foldersIn(path: string): string[] {
  return namesIn(path).map((name) => join(path, name));
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path).toSorted();
  } catch {
    return [];
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
