import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EnvironmentError } from '../errors.ts';

interface Fault {
  readonly cause: string;
  /** Remedy beside another place to write to. */
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
  ENFILE: { cause: 'too many files are open on this machine', elsewhere: false },
  ENAMETOOLONG: { cause: 'the path, or a name in it, is too long' },
  ELOOP: { cause: 'its symbolic links lead round in circles' },
  EFBIG: { cause: 'the file would be larger than is allowed', cure: 'raise `ulimit -f`' },
  ENOTEMPTY: { cause: 'a folder that is not empty is in the way' },
  EBUSY: { cause: 'it is in use' },
  EXDEV: { cause: 'it lies on another file system' },
  EIO: { cause: 'the disk reports an input/output error' },
};

/** Advice for most files. */
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

/** Writes all bytes to an open file: a disk that fills up takes a part of them first. */
export function writeAll(file: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}

/** A part of a file's name that nobody else uses: processes of different containers can have the same id. */
export function randomWord(): string {
  return randomBytes(8).toString('hex');
}

/**
 * Writes a file whole or not at all; a reader never sees half of it. What it is written to first has a name that nobody else
 * uses, and is made anew.
 */
export function replaceFile(path: string, text: string): void {
  const temporary = join(dirname(path), `.tmp-${randomWord()}`);
  try {
    writeFileSync(temporary, text, { flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
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
