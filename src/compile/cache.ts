import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { EnvironmentError } from '../errors.ts';
import { diskError, ifThere, makeFolder, onDisk, readRegular, readText } from '../util/disk.ts';
import { forgetFolder, guardFolder } from '../util/guard.ts';
import { hashOf } from '../util/hash.ts';
import { tryLock, withLock } from '../util/lock.ts';
import { closeToOthers, isClosedToOthers } from '../util/ownership.ts';
import type { CompileContext } from './context.ts';
import { isStamped, stamp } from './stamp.ts';

/** A folder of the cache: complete by construction, since it got its name by a rename. */
export interface Entry<M> {
  readonly folder: string;
  readonly meta: M;
  /** False when this process has made it just now. */
  readonly cached: boolean;
}

const envelopeSchema = z.object({ files: z.record(z.string(), z.string()), meta: z.unknown() });

/** The part of a compile context that the cache needs. */
export type CacheContext = Pick<CompileContext, 'cacheRoot' | 'signal' | 'onWait'>;

/** Entries that are being made by this process: a second asker waits for the first. */
const underWay = new Map<string, Promise<unknown>>();

/**
 * The entry of `key`, made by `produce` where it is missing, does not match its own checksums (computed again when a file was
 * touched) or may be another user's. Of
 * several processes one makes it, the others wait. `produce` fills an empty folder that becomes the entry by one rename: a
 * killed process leaves a temporary folder, never half an entry. What `produce` throws is passed on and nothing is kept.
 */
export function obtain<M>(
  context: CacheContext,
  key: string,
  schema: z.ZodType<M>,
  produce: (folder: string) => Promise<M>,
): Promise<Entry<M>> {
  const folder = entryFolder(context.cacheRoot, key);
  const running = underWay.get(folder) as Promise<Entry<M>> | undefined;
  if (running) return running;
  const entry = find(context, key, schema, produce).finally(() => underWay.delete(folder));
  underWay.set(folder, entry);
  return entry;
}

async function find<M>(
  { cacheRoot, signal, onWait }: CacheContext,
  key: string,
  schema: z.ZodType<M>,
  produce: (folder: string) => Promise<M>,
): Promise<Entry<M>> {
  const folder = entryFolder(cacheRoot, key);
  onDisk(`create ${dirname(folder)}`, () => makeFolder(dirname(folder)));
  for (const above of [cacheRoot, dirname(folder)]) closeToOthers(above);
  const there = readEntry(folder, schema);
  if (there) return there;
  const waiting = { ...(signal && { signal }), ...(onWait && { onWait }) };
  return withLock(lockPath(cacheRoot, key), waiting, async () => {
    const made = readEntry(folder, schema); // by whoever held the lock before
    return made ?? make(join(cacheRoot, `tmp-${key}-`), folder, produce);
  });
}

function lockPath(root: string, key: string): string {
  return join(root, 'locks', key);
}

/** `<root>/ab/abcdef…`. */
export function entryFolder(root: string, key: string): string {
  return join(root, key.slice(0, 2), key);
}

function readEntry<M>(folder: string, schema: z.ZodType<M>): Entry<M> | undefined {
  try {
    if (!isClosedToOthers(folder)) return undefined;
    if (!isClosedToOthers(join(folder, 'meta.json'))) return undefined;
    const envelope = envelopeSchema.parse(JSON.parse(readText(join(folder, 'meta.json'))));
    const names = Object.keys(envelope.files);
    if (!names.every((name) => isClosedToOthers(join(folder, name)))) return undefined;
    if (!isStamped(folder, names)) {
      const isWhole = (name: string) => hashOf(readRegular(join(folder, name))) === envelope.files[name];
      if (!names.every(isWhole)) return undefined;
      stamp(folder, names);
    }
    return { folder, meta: schema.parse(envelope.meta), cached: true };
  } catch {
    return undefined; // missing or damaged
  }
}

async function make<M>(
  prefix: string,
  folder: string,
  produce: (folder: string) => Promise<M>,
): Promise<Entry<M>> {
  const temporary = onDisk(`create ${prefix}*`, () => mkdtempSync(prefix));
  guardFolder(temporary);
  try {
    const meta = await produce(temporary);
    const names = readdirSync(temporary);
    const files = Object.fromEntries(
      names.map((name) => [name, hashOf(readFileSync(join(temporary, name)))]),
    );
    writeFileSync(join(temporary, 'meta.json'), `${JSON.stringify({ files, meta }, null, 1)}\n`);
    for (const name of [...names, 'meta.json', '.']) closeToOthers(join(temporary, name));
    // A damaged one may be there. Nobody else makes this entry now.
    if (existsSync(folder)) renameSync(folder, join(temporary, 'damaged'));
    renameSync(temporary, folder);
    rmSync(join(folder, 'damaged'), { recursive: true, force: true });
    return { folder, meta, cached: false };
  } catch (error) {
    throw diskError(error, `write ${folder}`);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
    forgetFolder(temporary);
  }
}

/** Removes what killed processes left behind: temporary folders of entries that nobody makes now. */
export function sweepTemporaries(root: string): void {
  const names = ifThere(`read ${root}`, () => readdirSync(root)) ?? [];
  const keys = new Set(names.flatMap((name) => /^tmp-([^-]+)/.exec(name)?.[1] ?? []));
  for (const key of keys) {
    const lock = tryLock(lockPath(root, key));
    if (lock === undefined) continue;
    try {
      for (const name of names.filter((one) => one.startsWith(`tmp-${key}-`)))
        removeRemains(join(root, name));
    } finally {
      lock.release();
    }
  }
}

/** Removes a folder that nobody needs. It stays where it is another user's, or something still writes there. */
function removeRemains(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // The next run tries again.
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
