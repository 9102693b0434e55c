import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../errors.ts';
import { makeFolder, onDisk } from '../util/disk.ts';
import { parseJson } from '../util/json.ts';
import { type MutantResult, type MutationInfo, mutantResultSchema, mutationInfoSchema } from './result.ts';

/**
 * Results as JSON lines, behind one that says what they are about: one for each mutant of a path. A mutant that is tried deeper later
 * has two: the last counts.
 */
export class ResultsFile {
  readonly path: string;
  #info: MutationInfo;
  readonly #results: Map<string, MutantResult>;

  private constructor(path: string, info: MutationInfo, results: readonly MutantResult[]) {
    this.path = path;
    this.#info = info;
    this.#results = new Map(results.map((one) => [keyOf(one), one]));
  }

  static create(path: string, info: MutationInfo): ResultsFile {
    onDisk(`write ${path}`, () => {
      makeFolder(dirname(path));
      writeFileSync(path, `${JSON.stringify(info)}\n`);
    });
    return new ResultsFile(path, info, []);
  }

  /** A last line that a killed process left unfinished is cut off. */
  static open(path: string): ResultsFile {
    const text = onDisk(`read ${path}`, () => readFileSync(path, 'utf8'));
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    if (whole !== text) onDisk(`write ${path}`, () => writeFileSync(path, whole));
    const [first, ...rest] = whole.split('\n').filter((line) => line !== '');
    const info = mutationInfoSchema.safeParse(parseJson(first ?? ''));
    if (!info.success) throw new UsageError(`${path} holds no results of gen mutate`);
    return new ResultsFile(
      path,
      info.data,
      rest.map((line) => mutantResultSchema.parse(parseJson(line))),
    );
  }

  /** The same results in another file, whose survivors are to be tried again. */
  copy(path: string, retried: NonNullable<MutationInfo['retried']>): ResultsFile {
    const file = ResultsFile.create(path, { ...this.info, retried });
    for (const result of this.results) file.add(result);
    return file;
  }

  /** Takes over what other results of the family decide: a survivor of the depth quick says nothing of one that was asked deeper. */
  join(later: ResultsFile): void {
    if (later.info.family !== this.info.family)
      throw new UsageError(`${later.path} has results of ${later.info.family}, not of ${this.info.family}`);
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
    onDisk(`write ${this.path}`, () => writeFileSync(this.path, lines.join('')));
  }

  get results(): readonly MutantResult[] {
    return [...this.#results.values()];
  }

  find(result: Pick<MutantResult, 'path' | 'id'>): MutantResult | undefined {
    return this.#results.get(keyOf(result));
  }

  add(result: MutantResult): void {
    this.#results.set(keyOf(result), result);
    onDisk(`write ${this.path}`, () => appendFileSync(this.path, `${JSON.stringify(result)}\n`));
  }
}

function keyOf({ path, id }: Pick<MutantResult, 'path' | 'id'>): string {
  return `${path} ${id}`;
}

function saysLess(result: MutantResult, known: MutantResult): boolean {
  const shallow = result.outcome === 'survived' && result.depth === 'quick' && known.depth === 'full';
  return shallow || (result.undecided !== undefined && known.undecided === undefined);
}

/** The newest file of a family's results in a folder. */
export function newestResults(folder: string, family: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const names = readdirSync(folder).filter(
    (name) => name.startsWith(`${family}-`) && name.endsWith('.jsonl'),
  );
  const last = names.sort().at(-1);
  return last && join(folder, last);
}
