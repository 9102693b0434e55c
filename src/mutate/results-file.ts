import { appendFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { UsageError } from '../errors.ts';
import { ifThere, makeFolder, onDisk, readText, replaceFile } from '../util/disk.ts';
import { parseJson } from '../util/json.ts';
import { awaitOwner, describeOwner, type Lock, tryLock } from '../util/lock.ts';
import { type MutantResult, type MutationInfo, mutantResultSchema, mutationInfoSchema } from './result.ts';

/**
 * Results as JSON lines, behind one that says what they are about: one for each mutant of a path. A mutant that is tried deeper later
 * has two: the last counts.
 */
export class ResultsFile {
  readonly path: string;
  #info: MutationInfo;
  readonly #results: Map<string, MutantResult>;
  /** Whether a killed process has left its last line unfinished. */
  #torn: boolean;

  private constructor(path: string, info: MutationInfo, results: readonly MutantResult[], torn = false) {
    this.path = path;
    this.#info = info;
    this.#torn = torn;
    this.#results = new Map(results.map((one) => [keyOf(one), one]));
  }

  static create(path: string, info: MutationInfo): ResultsFile {
    onDisk(`write ${path}`, () => {
      makeFolder(dirname(path));
      writeFileSync(path, `${JSON.stringify(info)}\n`);
    });
    lock(path);
    return new ResultsFile(path, info, []);
  }

  /** Reads results, and leaves the file as it is. A last line that a killed process left unfinished does not count. */
  static open(path: string): ResultsFile {
    const text = onDisk(`read ${path}`, () => readText(path));
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    const [first = '', ...rest] = whole.split('\n').slice(0, -1);
    const info = mutationInfoSchema.safeParse(parseJson(first));
    if (!info.success) throw new UsageError(`${path} holds no results of gen mutate`);
    const results = rest.flatMap((line, index) =>
      line === '' ? [] : [parseLine(line, `${path}:${index + 2}`)],
    );
    return new ResultsFile(path, info.data, results, whole !== text);
  }

  /** The same of a file about a family. Throws a UsageError where it is about another one. */
  static openOf(family: string, path: string): ResultsFile {
    const file = ResultsFile.open(path);
    file.#mustBeOf(family);
    return file;
  }

  /** The same of a file that this process alone goes on with. Throws a UsageError where another one does. */
  static take(family: string, path: string): ResultsFile {
    onDisk(`read ${path}`, () => statSync(path));
    lock(path);
    return ResultsFile.openOf(family, path);
  }

  /** The same results in another file, whose survivors are to be tried again. */
  copy(path: string, retried: NonNullable<MutationInfo['retried']>): ResultsFile {
    const file = ResultsFile.create(path, { ...this.info, retried });
    for (const result of this.results) file.add(result);
    return file;
  }

  /** Takes over what other results of the family decide: a survivor of the depth quick says nothing of one that was asked deeper. */
  join(later: ResultsFile): void {
    later.#mustBeOf(this.info.family);
    for (const result of later.results) {
      const known = this.find(result);
      if (known && saysLess(result, known)) continue;
      const gpu = result.gpu ?? known?.gpu;
      this.#results.set(keyOf(result), { ...result, ...(gpu && { gpu }) });
    }
    const { date, commit, retried, rulesCase, sound } = later.info;
    this.describe({
      date,
      ...(commit !== undefined && { commit }),
      ...(retried && { retried }),
      ...(rulesCase !== undefined && { rulesCase, sound: { ...this.info.sound, ...sound } }),
    });
  }

  /** Forgets results, and gives their number. */
  forget(which: (result: MutantResult) => boolean): number {
    const forgotten = this.results.filter(which);
    for (const one of forgotten) this.#results.delete(keyOf(one));
    if (forgotten.length > 0) this.describe({});
    return forgotten.length;
  }

  get info(): MutationInfo {
    return this.#info;
  }

  /** Says the same results to be about more. */
  describe(more: Partial<MutationInfo>): void {
    this.#info = { ...this.#info, ...more };
    this.compact();
  }

  /** Leaves one line for each mutant of a path: the one that counts. */
  compact(): void {
    const lines = [this.#info, ...this.results].map((one) => `${JSON.stringify(one)}\n`);
    onDisk(`write ${this.path}`, () => replaceFile(this.path, lines.join('')));
    this.#torn = false;
  }

  #mustBeOf(family: string): void {
    if (this.info.family === family) return;
    throw new UsageError(
      `${this.path} has results of ${this.info.family}, not of ${family}: name a file of ${family}`,
    );
  }

  get results(): readonly MutantResult[] {
    return [...this.#results.values()];
  }

  find(result: Pick<MutantResult, 'path' | 'id'>): MutantResult | undefined {
    return this.#results.get(keyOf(result));
  }

  add(result: MutantResult): void {
    if (this.#torn) this.compact();
    this.#results.set(keyOf(result), result);
    onDisk(`write ${this.path}`, () => appendFileSync(this.path, `${JSON.stringify(result)}\n`));
  }
}

const locks = new Set<Lock>();

/** Lets others go on with the files that this process has made or taken. */
export function releaseResults(): void {
  for (const one of locks) one.release();
  locks.clear();
}

/** Held until `releaseResults`, or the end of this process. */
function lock(path: string): void {
  const file = `${path}.lock`;
  const held = tryLock(file);
  if (held) locks.add(held);
  else
    throw new UsageError(
      `${path} is in use by ${describeOwner(awaitOwner(file))}: wait until that has ended`,
    );
}

function parseLine(line: string, place: string): MutantResult {
  const { data, error } = mutantResultSchema.safeParse(parseJson(line));
  if (data) return data;
  throw new UsageError(`${place} is no result of a mutant: ${z.prettifyError(error)}\n  delete the line`);
}

function keyOf({ path, id }: Pick<MutantResult, 'path' | 'id'>): string {
  return `${path} ${id}`;
}

function saysLess(result: MutantResult, known: MutantResult): boolean {
  const shallow = result.outcome === 'survived' && result.depth === 'quick' && known.depth === 'full';
  return shallow || (result.undecided !== undefined && known.undecided === undefined);
}

/** The newest file of a family's results in a folder: `<family>-<date>T<time>.jsonl`. */
export function newestResults(folder: string, family: string): string | undefined {
  const names = ifThere(`read ${folder}`, () => readdirSync(folder)) ?? [];
  const last = names
    .filter((name) => familyOf(name) === family)
    .sort()
    .at(-1);
  return last && join(folder, last);
}

/** The family in the name of a file of results; names of families may begin alike. */
function familyOf(name: string): string | undefined {
  return /^(.+)-\d{4}-\d\d-\d\dT.*\.jsonl$/.exec(name)?.[1];
}
