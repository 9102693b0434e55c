import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { EnvironmentError, UsageError } from '../errors.ts';
import type { JournalRecord } from '../model/event.ts';
import { errorCode, ifThere, makeFolder, onDisk, readText, replaceFile } from '../util/disk.ts';
import { parseJson } from '../util/json.ts';
import { awaitOwner, describeOwner, type Lock, tryLock } from '../util/lock.ts';
import { didYouMean } from '../util/suggest.ts';
import { Current } from './current.ts';
import { Journal } from './journal.ts';

/** Request and version of a run: enough to repeat it. */
const runInfoSchema = z.object({
  version: z.literal(1),
  id: z.string(),
  family: z.string(),
  arch: z.string(),
  /** ISO 8601, UTC. */
  started: z.string(),
  command: z.string(),
  /** Points, as `enumerate` takes them. */
  space: z.object({
    preset: z.string().exactOptional(),
    where: z.string().exactOptional(),
    limit: z.number().exactOptional(),
  }),
  depth: z.enum(['quick', 'full']),
  /** Value of --device. */
  device: z.string(),
  /** Id of the variant that the run is about, where it is about one alone. */
  only: z.string().optional(),
  /** Value of --matrix: the gate's case. */
  matrix: z.string().optional(),
  /** Ids of the workloads that it times, where these are of a file: workloads.json has them. */
  workloads: z.array(z.string()).optional(),
  /** The file that stands for that variant, where one does. */
  file: z.string().optional(),
});
export type RunInfo = Readonly<z.infer<typeof runInfoSchema>>;

/** A run's folder: `run.json` (what was asked), `journal.jsonl` (what came of it) and whatever is written beside them. */
export class Run {
  readonly path: string;
  readonly info: RunInfo;
  readonly #journal: Journal;
  readonly #current = new Current();
  readonly #lock: Lock | undefined;

  /** `lock`: that of `lockRun`, where the run is worked on. */
  constructor(path: string, info: RunInfo, lock?: Lock) {
    this.path = path;
    this.info = info;
    this.#lock = lock;
    this.#journal = new Journal(join(path, 'journal.jsonl'));
    for (const record of this.#journal.held) this.#current.add(record);
  }

  get id(): string {
    return this.info.id;
  }

  /** Writes a record, unless an equal one still holds. */
  append(record: JournalRecord): void {
    if (this.#current.add(record)) this.#journal.append(record);
  }

  /** A record that holds as long as this process works on the run: whoever opens it later finds what held before. */
  suppose(record: JournalRecord): void {
    this.#current.add(record);
  }

  /** Records of the journal that still hold, in order: none about code that has changed since. */
  records(): readonly JournalRecord[] {
    return this.#current.records();
  }

  /** The same of one variant. */
  recordsOf(variant: string): readonly JournalRecord[] {
    return this.#current.about(variant);
  }

  /** Writes `<name>` whole or not at all. */
  writeJson(name: string, value: unknown): void {
    writeJson(join(this.path, name), value);
  }

  /** Value that `writeJson` wrote; undefined if there is no such file or it does not fit the schema. */
  readJson<T>(name: string, schema: z.ZodType<T>): T | undefined {
    const path = join(this.path, name);
    const text = ifThere(`read ${path}`, () => readText(path));
    return text === undefined ? undefined : schema.safeParse(parseJson(text)).data;
  }

  close(): void {
    this.#journal.close();
    this.#lock?.release();
  }
}

/** Begins a run that this process works on: `<root>/<family>-<date>-<time>`. */
export function createRun(
  root: string,
  info: Omit<RunInfo, 'id' | 'version' | 'started'>,
  now = new Date(),
): Run {
  onDisk(`create ${root}`, () => makeFolder(root));
  const stamp = now
    .toISOString()
    .replaceAll(/[-:]|\..*/g, '')
    .replace('T', '-');
  for (let attempt = 1; ; attempt++) {
    const id = `${info.family}-${stamp}${attempt > 1 ? `-${attempt}` : ''}`;
    const path = join(root, id);
    if (!onDisk(`create ${path}`, () => reserveFolder(path))) continue;
    const complete: RunInfo = { version: 1, ...info, id, started: now.toISOString() };
    const lock = lockRun(path);
    writeJson(join(path, 'run.json'), complete);
    return new Run(path, complete, lock);
  }
}

/** The same run, read again as this process alone may go on with it. Throws a UsageError where another process works on it. */
export function takeRun({ path, info }: Run): Run {
  const lock = lockRun(path);
  try {
    return new Run(path, info, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

function lockRun(path: string): Lock {
  const file = join(path, 'run.lock');
  const lock = tryLock(file);
  if (lock) return lock;
  const owner = awaitOwner(file);
  throw new UsageError(
    `run ${basename(path)} is in use by ${describeOwner(owner)}: wait until that has ended, or begin a new run`,
  );
}

/** Told why a run was passed over that might have been meant. */
export type PassOver = (why: string) => void;

/** Opens a run by its id or folder; without one, the newest that can be read, of that family if one is given. */
export function openRun(root: string, id?: string, family?: string, passOver: PassOver = () => {}): Run {
  const path = id === undefined ? newest(root, family, passOver) : named(root, id);
  return new Run(path, readInfo(path));
}

/** The newest run that can be read, is not about one variant alone, and `holds`. */
export function findRun(
  root: string,
  holds: (run: Run) => boolean,
  passOver: PassOver = () => {},
  family?: string,
): Run | undefined {
  for (const id of wholeRuns(root, family, passOver)) {
    const run = openIfReadable(root, id, passOver);
    if (run && holds(run)) return run;
    run?.close();
  }
  return undefined;
}

/** A run, unless it is damaged: that is no reason to know nothing of the others. */
export function openIfReadable(root: string, id: string, passOver: PassOver): Run | undefined {
  return unlessDamaged(() => openRun(root, id), passOver);
}

function unlessDamaged<T>(read: () => T, passOver: PassOver): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof EnvironmentError)) throw error;
    passOver(`passed over: ${error.message}`);
    return undefined;
  }
}

/** Ids of the runs under a root, newest first. */
export function listRuns(root: string, family?: string): string[] {
  const names = ifThere(`read ${root}`, () => readdirSync(root)) ?? [];
  return names
    .filter((name) => isRun(join(root, name)))
    .filter((name) => family === undefined || name.replace(/-\d{8}-\d{6}(-\d+)?$/, '') === family)
    .map((name) => ({ name, start: startOf(join(root, name)) }))
    .sort((a, b) => b.start.localeCompare(a.start) || b.name.localeCompare(a.name))
    .map(({ name }) => name);
}

/** Start of a run; a copy of the folder keeps it, unlike file times. The oldest if the file cannot be used. */
function startOf(path: string): string {
  return (
    unlessDamaged(
      () => readInfo(path),
      () => {},
    )?.started ?? ''
  );
}

/** Runs that are not about one variant alone, newest first. */
function wholeRuns(root: string, family: string | undefined, passOver: PassOver): string[] {
  return listRuns(root, family).filter((id) => {
    const info = unlessDamaged(() => readInfo(join(root, id)), passOver);
    return info !== undefined && info.only === undefined;
  });
}

function newest(root: string, family: string | undefined, passOver: PassOver): string {
  const damaged: string[] = [];
  const [first] = wholeRuns(root, family, (why) => damaged.push(why));
  if (first !== undefined) for (const why of damaged) passOver(why);
  if (first !== undefined) return join(root, first);
  const of = family === undefined ? '' : ` of ${family}`;
  const begin = `begin one with \`npx gen sweep ${family ?? '<family>'}\``;
  const [single] = listRuns(root, family);
  if (single === undefined) throw new UsageError(`there is no run${of} in ${root} yet: ${begin}`);
  readInfo(join(root, single)); // throws where none can be read
  throw new UsageError(
    `the runs${of} in ${root} are about one variant each: name one, as ${single}, or ${begin}`,
  );
}

function named(root: string, id: string): string {
  const path = [join(root, id), resolve(id)].find(isRun);
  if (path !== undefined) return path;
  const [ofFamily] = listRuns(root, id);
  if (ofFamily !== undefined)
    throw new UsageError(`'${id}' is a family, not a run: its newest run is ${ofFamily}`);
  const runs = listRuns(root);
  const known = runs.length > 0 ? `there are ${runs.slice(0, 5).join(', ')}` : 'there are none yet';
  throw new UsageError(`there is no run '${id}' in ${root}: ${known}${didYouMean(id, runs)}`);
}

/** Whether a folder holds a run, or may hold one: `readInfo` says why it cannot be read. */
function isRun(path: string): boolean {
  try {
    statSync(join(path, 'run.json'));
    return true;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(errorCode(error) ?? '');
  }
}

function readInfo(path: string): RunInfo {
  const file = join(path, 'run.json');
  const text = onDisk(`read ${file}`, () => readText(file));
  const json = parseJson(text);
  const parsed = runInfoSchema.safeParse(json);
  if (parsed.success && parsed.data.id === basename(path)) return parsed.data;
  const said = parsed.success ? `it belongs to run ${parsed.data.id}` : z.prettifyError(parsed.error);
  const why = json === undefined ? 'it is no JSON (cut short?)' : said;
  throw new UsageError(`${file} cannot be used: ${why}\n  begin a new run without --resume`);
}

/** Makes a folder that nobody else has made: false where there is one. */
function reserveFolder(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function writeJson(path: string, value: unknown): void {
  onDisk(`write ${path}`, () => replaceFile(path, `${JSON.stringify(value, undefined, 2)}\n`));
}
