import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../errors.ts';
import { type CacheFile, cacheFiles, exportRecords, importRecords, prune } from '../tuned/cache.ts';
import { onDisk } from '../util/disk.ts';
import { userCache } from '../util/user-cache.ts';
import { exitCode } from './exit.ts';
import { print, printLine, remark } from './output.ts';
import { addToWisdom } from './timings.ts';

export interface CacheOptions {
  /** The folder that a context's options name; default: that of the user. */
  readonly folder?: string;
  readonly json?: boolean;
  readonly wisdom?: string;
  /** Days. */
  readonly olderThan?: string;
}

function rootOf({ folder }: CacheOptions): string {
  return folder ?? join(userCache(process.env), 'tuned');
}

/** `gen cache list`: one line a record. */
export function listCache(options: CacheOptions): number {
  const files = cacheFiles(rootOf(options));
  if (!files.some(({ record }) => record)) remark(`there are no records in ${rootOf(options)}`);
  for (const file of files)
    if (options.json) printLine(JSON.stringify({ event: 'record', ...file }));
    else if (!file.remains) printLine(lineOf(file));
  return exitCode.done;
}

function lineOf({ path, record, damage }: CacheFile): string {
  if (!record) return `damaged  ${path} ${damage}`;
  const { key, variant, refused, measured } = record;
  const [, best] = measured[0] ?? [];
  const time = best === undefined ? '' : `  ${best.toFixed(1)} us, ${measured.length} measured`;
  return refused === undefined ? `${key}\n  ${variant}${time}` : `${key}\n  not ${variant}: ${refused}`;
}

/** `gen cache show <text>`: records whose key, variant or path has the text, whole. */
export function showCache(text: string, options: CacheOptions): number {
  const found = cacheFiles(rootOf(options)).filter(({ path, record }) =>
    [path, record?.key, record?.variant].some((one) => one?.includes(text)),
  );
  if (found.length === 0)
    throw new UsageError(`no record in ${rootOf(options)} has '${text}' in key, variant or path`);
  for (const file of found) printLine(JSON.stringify(file, undefined, 2));
  return exitCode.done;
}

/** `gen cache prune`. */
export function pruneCache(options: CacheOptions): number {
  const days = options.olderThan === undefined ? undefined : Number(options.olderThan);
  if (days !== undefined && !(days >= 0))
    throw new UsageError(`--older-than '${options.olderThan}' is no number of days`);
  const gone = onDisk(
    `remove records of ${rootOf(options)}`,
    () => prune(rootOf(options), days),
    'name another folder with --folder',
  );
  for (const { path } of gone) printLine(path);
  remark(`${gone.length} files are gone`);
  return exitCode.done;
}

/** `gen cache export [file]`, `gen cache export --wisdom <family>`. */
export async function exportCache(file: string | undefined, options: CacheOptions): Promise<number> {
  if (options.wisdom !== undefined) {
    const written = await addToWisdom(options.wisdom, cacheFiles(rootOf(options)));
    for (const line of written) remark(line);
    if (written.length === 0)
      throw new UsageError(`${rootOf(options)} has no records of ${options.wisdom} on a GPU`);
    if (file === undefined) return exitCode.done;
  }
  const text = exportRecords(rootOf(options));
  if (file === undefined) print(text);
  else onDisk(`write ${file}`, () => writeFileSync(file, text), 'name another file');
  return exitCode.done;
}

/** `gen cache import <file>`. */
export function importCache(file: string, options: CacheOptions): number {
  const { added, kept, refused } = onDisk(
    `import ${file} into ${rootOf(options)}`,
    () => importRecords(rootOf(options), readFileSync(file, 'utf8')),
    'name another folder with --folder',
  );
  remark(`${added} records added, ${kept} keys were there already`);
  for (const line of refused) remark(`${file}:${line} holds no record`);
  return refused.length > 0 ? exitCode.no : exitCode.done;
}

/** `gen cache verify`: damaged files, one a line; exit code 1 if there are any. */
export function verifyCache(options: CacheOptions): number {
  const files = cacheFiles(rootOf(options));
  const damaged = files.filter(({ damage }) => damage !== undefined);
  for (const { path, damage } of damaged) printLine(`${path} ${damage}`);
  remark(`${files.filter(({ record }) => record).length} records, ${damaged.length} damaged files`);
  return damaged.length > 0 ? exitCode.no : exitCode.done;
}
