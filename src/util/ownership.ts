import { chmodSync, existsSync, lstatSync, mkdirSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { EnvironmentError } from '../errors.ts';
import { makeFolder, onDisk } from './disk.ts';

/** Bits that let others than the owner write. */
const othersWrite = 0o022;

/** Whether nobody but us and root, who may do anything, can change a file or folder. A link is none of ours. */
export function isClosedToOthers(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isSymbolicLink() && isOurs(stats) && (stats.mode & othersWrite) === 0;
}

/**
 * Takes from a file or folder of ours the permissions that let others change it, as a umask of 002 gives them. Throws an
 * EnvironmentError where it is another user's: what is run from there would be that user's word.
 */
export function closeToOthers(path: string, elsewhere = 'name another folder with --out'): void {
  onDisk(`read ${path}`, () => {
    const stats = statSync(path);
    if (!isOurs(stats)) throw belongsToAnother(path, stats, elsewhere);
    if ((stats.mode & othersWrite) !== 0) chmodSync(path, stats.mode & 0o7777 & ~othersWrite);
  });
}

/** A folder that nobody but us can look into, made where it is missing; undefined where there can be none. */
export function privateFolder(path: string): string | undefined {
  try {
    makeFolder(dirname(path));
    if (!existsSync(path)) mkdirSync(path, { mode: 0o700 });
    const stats = lstatSync(path);
    const own = stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0;
    return own ? path : undefined;
  } catch {
    return undefined;
  }
}

function isOurs({ uid }: Stats): boolean {
  const own = process.getuid?.();
  return own === undefined || uid === own || uid === 0;
}

function belongsToAnother(path: string, { uid }: Stats, elsewhere: string): EnvironmentError {
  return new EnvironmentError(
    `${path} belongs to user ${uid}, who could change what is run from it: remove it, or ${elsewhere}`,
  );
}
