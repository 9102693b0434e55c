import { chmodSync, lstatSync, type Stats, statSync } from 'node:fs';
import { EnvironmentError } from '../errors.ts';
import { onDisk } from './disk.ts';

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

function isOurs({ uid }: Stats): boolean {
  const own = process.getuid?.();
  return own === undefined || uid === own || uid === 0;
}

function belongsToAnother(path: string, { uid }: Stats, elsewhere: string): EnvironmentError {
  return new EnvironmentError(
    `${path} belongs to user ${uid}, who could change what is run from it: remove it, or ${elsewhere}`,
  );
}
