import { EnvironmentError } from '../errors.ts';

const advice: Readonly<Record<string, string>> = {
  ENOSPC: 'there is no space left on the disk; free some, or name another folder with --out',
  EDQUOT: 'the disk quota is used up; free some, or name another folder with --out',
  EROFS: 'the file system is read-only; name a writable folder with --out',
  EACCES: 'permission is denied; name a writable folder with --out',
  EPERM: 'the operation is not permitted; name a writable folder with --out',
  EEXIST: 'a file is in the way; name another folder with --out',
  // Node says so of a folder that is to be made on a read-only file system, too.
  ENOENT: 'there is no such file or folder, or the file system is read-only',
  EISDIR: 'it is a folder, not a file',
  ENOTDIR: 'a part of the path is a file, not a folder; name a writable folder with --out',
  EMFILE: 'too many files are open; raise `ulimit -n` or lower --jobs',
  EIO: 'the disk reports an input/output error',
};

/** The code of a failed file operation, e.g. `ENOSPC`. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/**
 * An EnvironmentError when the disk is to blame for a failed file operation, otherwise the error itself. `option`: what names
 * another folder.
 */
export function diskError(error: unknown, doing: string, option = '--out'): unknown {
  const why = advice[errorCode(error) ?? '']?.replace('--out', option);
  return why === undefined ? error : new EnvironmentError(`cannot ${doing}: ${why}`);
}

/** Runs a file operation and turns the disk's failures into EnvironmentErrors. `doing`: `write /x/run.json`. */
export function onDisk<T>(doing: string, operation: () => T): T {
  try {
    return operation();
  } catch (error) {
    throw diskError(error, doing);
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
