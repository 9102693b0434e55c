import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { EnvironmentError } from '../errors.ts';

interface Fault {
  readonly cause: string;
  /** What helps beside another place to write to. */
  readonly cure?: string;
  /** False where another place does not help. */
  readonly elsewhere?: false;
}

const faults: Readonly<Record<string, Fault>> = {
  ENOSPC: { cause: 'there is no space left on the disk', cure: 'free some' },
  EDQUOT: { cause: 'the disk quota is used up', cure: 'free some' },
  EROFS: { cause: 'the file system is read-only' },
  EACCES: { cause: 'permission is denied' },
  EPERM: { cause: 'the operation is not permitted' },
  EEXIST: { cause: 'a file is in the way' },
  ENOENT: { cause: 'there is no such file or folder' },
  EISDIR: { cause: 'it is a folder, not a file' },
  ENOTDIR: { cause: 'a part of the path is a file, not a folder' },
  EMFILE: {
    cause: 'too many files are open',
    cure: 'raise `ulimit -n` or lower --jobs',
    elsewhere: false,
  },
  EIO: { cause: 'the disk reports an input/output error' },
};

/** What most things are written to. */
const anotherOut = 'name another folder with --out';

/** The code of a failed file operation, e.g. `ENOSPC`. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/**
 * An EnvironmentError when the disk is to blame for a failed file operation, otherwise the error itself. `elsewhere`: how
 * another place is named; what is only read (`read /x`) lies where it lies.
 */
export function diskError(error: unknown, doing: string, elsewhere = anotherOut): unknown {
  const code = errorCode(error) ?? '';
  const fault = Object.hasOwn(faults, code) ? faults[code] : undefined;
  if (fault === undefined) return error;
  const reads = doing.startsWith('read ');
  // Node says ENOENT of a folder that is to be made on a read-only file system, too.
  const also = code === 'ENOENT' && !reads ? ', or the file system is read-only' : '';
  const place = reads || fault.elsewhere === false ? undefined : elsewhere;
  const cures = [fault.cure, place].filter((cure) => cure !== undefined).join(', or ');
  return new EnvironmentError(`cannot ${doing}: ${fault.cause}${also}${cures && `; ${cures}`}`);
}

/**
 * Makes a folder and those above it that are missing. Node's own recursive `mkdir` never returns where a file system answers
 * ENOENT for a folder whose parent is there, as that of /proc does.
 */
export function makeFolder(path: string): void {
  if (!existsSync(dirname(path))) makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
}

/** Runs a file operation and turns the disk's failures into EnvironmentErrors. `doing`: `write /x/run.json`. */
export function onDisk<T>(doing: string, operation: () => T, elsewhere?: string): T {
  try {
    return operation();
  } catch (error) {
    throw diskError(error, doing, elsewhere);
  }
}

/** `onDisk`, but undefined where there is no such file or folder. */
export function ifThere<T>(doing: string, operation: () => T): T | undefined {
  try {
    return operation();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw diskError(error, doing);
  }
}
