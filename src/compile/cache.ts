import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { EnvironmentError } from '../errors.ts';
import { diskError, errorCode, makeFolder, onDisk } from '../util/disk.ts';
import { hashOf } from '../util/hash.ts';
import { isAlive } from '../util/process.ts';

/** A folder of the cache: complete by construction, since it got its name by a rename. */
export interface Entry<M> {
  readonly folder: string;
  readonly meta: M;
  /** False when it was made just now. */
  readonly cached: boolean;
}

const envelopeSchema = z.object({ files: z.record(z.string(), z.string()), meta: z.unknown() });

/** Entries that are being made by this process: a second asker waits for the first. */
const underWay = new Map<string, Promise<unknown>>();
let temporaries = 0;

/**
 * The entry of `key` under `root`, made by `produce` where it is missing or does not match its own checksums. `produce`
 * fills an empty folder that becomes the entry by one rename: a killed process leaves a temporary folder, never half an
 * entry. What `produce` throws is passed on and nothing is kept.
 */
export function obtain<M>(
  root: string,
  key: string,
  schema: z.ZodType<M>,
  produce: (folder: string) => Promise<M>,
): Promise<Entry<M>> {
  const folder = entryFolder(root, key);
  const running = underWay.get(folder) as Promise<Entry<M>> | undefined;
  if (running) return running;
  const making = readEntry(folder, schema) ?? make(root, folder, schema, produce);
  const entry = Promise.resolve(making).finally(() => underWay.delete(folder));
  underWay.set(folder, entry);
  return entry;
}

/** `<root>/ab/abcdef…`. */
export function entryFolder(root: string, key: string): string {
  return join(root, key.slice(0, 2), key);
}

function readEntry<M>(folder: string, schema: z.ZodType<M>): Entry<M> | undefined {
  try {
    const envelope = envelopeSchema.parse(JSON.parse(readFileSync(join(folder, 'meta.json'), 'utf8')));
    for (const [name, hash] of Object.entries(envelope.files)) {
      if (hashOf(readFileSync(join(folder, name))) !== hash) return undefined;
    }
    return { folder, meta: schema.parse(envelope.meta), cached: true };
  } catch {
    return undefined; // missing or damaged: made anew
  }
}

async function make<M>(
  root: string,
  folder: string,
  schema: z.ZodType<M>,
  produce: (folder: string) => Promise<M>,
): Promise<Entry<M>> {
  const temporary = join(root, `tmp-${process.pid}-${temporaries++}`);
  onDisk(`create ${temporary}`, () => makeFolder(temporary));
  try {
    const meta = await produce(temporary);
    const files = Object.fromEntries(
      readdirSync(temporary).map((name) => [name, hashOf(readFileSync(join(temporary, name)))]),
    );
    writeFileSync(join(temporary, 'meta.json'), `${JSON.stringify({ files, meta }, null, 1)}\n`);
    return publish(temporary, folder, schema) ?? { folder, meta, cached: false };
  } catch (error) {
    throw diskError(error, `write ${folder}`);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/**
 * Gives the entry its name. A sound one that another process has made meanwhile stays and is the answer: others read it
 * already. Only a damaged one has to go.
 */
function publish<M>(temporary: string, folder: string, schema: z.ZodType<M>): Entry<M> | undefined {
  makeFolder(dirname(folder));
  while (!tookName(temporary, folder)) {
    const there = readEntry(folder, schema);
    if (there) return { ...there, cached: false };
    clearAway(folder, `${temporary}-damaged`, schema);
  }
  return undefined;
}

/** False where something is in the way. */
function tookName(temporary: string, folder: string): boolean {
  try {
    renameSync(temporary, folder);
    return true;
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(errorCode(error) ?? '')) return false;
    throw error;
  }
}

/**
 * Removes a damaged entry under another name: half of it is never seen under its own. Another process may have replaced it
 * since it was looked at; what was moved is then sound and goes back.
 */
function clearAway<M>(folder: string, aside: string, schema: z.ZodType<M>): void {
  try {
    renameSync(folder, aside);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return; // another process was faster
    throw error;
  }
  if (readEntry(aside, schema)) tookName(aside, folder);
  rmSync(aside, { recursive: true, force: true });
}

/** Removes what killed processes left behind. */
export function sweepTemporaries(root: string): void {
  if (!existsSync(root)) return;
  for (const name of readdirSync(root)) {
    const pid = Number(/^tmp-(\d+)-/.exec(name)?.[1] ?? Number.NaN);
    if (pid > 0 && !isAlive(pid)) rmSync(join(root, name), { recursive: true, force: true });
  }
}

/**
 * To be asked when something was made: `again` is its key, computed anew. Where sources were edited meanwhile, what was
 * made must not be kept under the old key.
 */
export function mustBeUnchanged(key: string, again: string, what: string): void {
  if (key === again) return;
  throw new EnvironmentError(`${what} was changed while it was being compiled: run the command again`);
}
