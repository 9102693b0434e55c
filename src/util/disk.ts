import { constants } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
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
  ERR_FS_FILE_TOO_LARGE: { cause: 'the file is too large', elsewhere: false },
  ERR_STRING_TOO_LONG: { cause: 'the file is too large', elsewhere: false },
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

/** Whether the disk is to blame for a failed file operation, whatever it was doing: full, read-only, broken. */
export function isDiskFault(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EROFS', 'EFBIG', 'EIO'].includes(errorCode(error) ?? '');
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

/** Contents of a regular file. A pipe or a device in its place, whose reading might never end, is refused. */
export function readRegular(path: string): Buffer {
  const found = statSync(path);
  if (found.isFile() || found.isDirectory()) return readFileSync(path);
  throw new EnvironmentError(`cannot read ${path}: it is a pipe, a socket or a device, not a file`);
}

/** The same as text. */
export function readText(path: string): string {
  if (statSync(path).size > constants.MAX_STRING_LENGTH)
    throw new EnvironmentError(`cannot read ${path}: the file is too large`);
  return readRegular(path).toString('utf8');
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
export function replaceFile(path: string, text: string, mode?: number): void {
  const temporary = join(dirname(path), `.tmp-${randomWord()}`);
  try {
    writeFileSync(temporary, text, { flag: 'wx' });
    if (mode !== undefined) chmodSync(temporary, mode & 0o7777);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/**
 * Writes a file that a user named: whole or not at all where there is one, which a full disk would otherwise leave empty. It
 * keeps its permissions, and a link stays one; what is no file (a pipe, a terminal) is written to.
 */
export function rewriteFile(path: string, text: string): void {
  const there = statSync(path, { throwIfNoEntry: false });
  try {
    if (there?.isFile()) replaceFile(realpathSync(path), text, there.mode);
    else writeFileSync(path, text);
  } catch (error) {
    if (!there || !['EACCES', 'EPERM'].includes(errorCode(error) ?? '')) throw error;
    writeFileSync(path, text); // the file may be written, its folder not
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
