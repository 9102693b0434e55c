import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../errors.ts';
import { type CacheFile, cacheFiles, exportRecords, importRecords, prune } from '../tuned/cache.ts';
import { ifThere, onDisk, rewriteFile } from '../util/disk.ts';
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

/** The same folder, which must be there; that of the user may be missing until something is measured, where `orNone` says so. */
function existingRoot(options: CacheOptions, orNone = false): string {
  const root = rootOf(options);
  const found = ifThere(`read ${root}`, () => statSync(root));
  if (found?.isDirectory() || (!found && orNone && options.folder === undefined)) return root;
  const what = found ? `${root} is a file, not the folder of a cache` : `there is no folder ${root}`;
  throw new UsageError(`${what}: name a context's cache folder with --folder`);
}

/** `gen cache list`: one line a record. */
export function listCache(options: CacheOptions): number {
  const files = cacheFiles(existingRoot(options, true));
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
  const found = cacheFiles(existingRoot(options)).filter(({ path, record }) =>
    [path, record?.key, record?.variant].some((one) => one?.includes(text)),
  );
  if (found.length === 0)
    throw new UsageError(`no record in ${rootOf(options)} has '${text}' in key, variant or path`);
  for (const file of found) printLine(JSON.stringify(file, undefined, 2));
  return exitCode.done;
}

/** `gen cache prune`. */
export function pruneCache(options: CacheOptions): number {
  const days = options.olderThan === undefined ? undefined : daysOf(options.olderThan);
  const root = existingRoot(options, true);
  const gone = onDisk(
    `remove records of ${root}`,
    () => prune(root, days),
    'name another folder with --folder',
  );
  for (const { path } of gone) printLine(path);
  remark(`${gone.length} files are gone`);
  return exitCode.done;
}

function daysOf(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new UsageError(`--older-than '${text}' is no number of days: give one as 90 or 0.5`);
}

/** `gen cache export [file]`, `gen cache export --wisdom <family>`. */
export async function exportCache(file: string | undefined, options: CacheOptions): Promise<number> {
  if (options.wisdom !== undefined) {
    const written = await addToWisdom(options.wisdom, cacheFiles(existingRoot(options)));
    for (const line of written) remark(line);
    if (written.length === 0)
      throw new UsageError(`${rootOf(options)} has no records of ${options.wisdom} on a GPU`);
    if (file === undefined) return exitCode.done;
  }
  const root = existingRoot(options);
  const text = exportRecords(root);
  remarkUnknown(root);
  if (file === undefined) print(text);
  else if (text === '')
    throw new UsageError(
      `there are no records in ${root} to export, and ${file} is left as it is: name another cache with --folder`,
    );
  else onDisk(`write ${file}`, () => rewriteFile(file, text), 'name another file');
  return exitCode.done;
}

/** Tells of records that are not exported: nobody knows what they hold for. */
function remarkUnknown(root: string): void {
  const left = cacheFiles(root).filter(({ record, environment }) => record && environment === '');
  if (left.length > 0)
    remark(
      `${left.length} records are left out, whose environment.txt is damaged or missing: \`npx gen cache prune\` removes damaged ones, and libraries write them anew`,
    );
}

/** `gen cache import <file>`. */
export function importCache(file: string, options: CacheOptions): number {
  const text = onDisk(`read ${file}`, () => readFileSync(file, 'utf8'));
  const { added, kept, refused } = importRecords(rootOf(options), text);
  remark(`${added} records added, ${kept} keys were there already`);
  for (const line of refused) remark(`${file}:${line} holds no record`);
  return refused.length > 0 ? exitCode.no : exitCode.done;
}

/** `gen cache verify`: damaged files, one a line; exit code 1 if there are any. */
export function verifyCache(options: CacheOptions): number {
  const files = cacheFiles(existingRoot(options));
  const damaged = files.filter(({ damage }) => damage !== undefined);
  for (const { path, damage } of damaged) printLine(`${path} ${damage}`);
  remark(`${files.filter(({ record }) => record).length} records, ${damaged.length} damaged files`);
  return damaged.length > 0 ? exitCode.no : exitCode.done;
}
