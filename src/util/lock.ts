import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname } from 'node:path';
import { EnvironmentError } from '../errors.ts';
import { errorCode, makeFolder, onDisk } from './disk.ts';
import { parseJson } from './json.ts';

/**
 * A lock between processes. The kernel holds it (`flock`): it ends with its owner, however that dies, and process ids, which
 * are reused and differ between containers, play no part. Node cannot call flock(2): the program `flock` locks a file that
 * this process has open, and the lock stays with that open file.
 */
export interface Lock {
  /** Gives the lock back and removes its file. */
  release(): void;
}

/** The holder of a lock, as it wrote itself down: for messages only. */
export interface LockOwner {
  readonly pid: number;
  readonly host: string;
  readonly command: string;
  /** ISO 8601, UTC. */
  readonly since: string;
}

export interface LockOptions {
  /** Called once where another holds the lock, before the wait for it. */
  readonly onWait?: (owner: LockOwner | undefined) => void;
  /** Aborting ends the wait; `withLock` then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Advice for a folder that cannot be written, e.g. `name another folder with --out`. */
  readonly elsewhere?: string;
}

/** `flock` is found in the usual places too, where PATH lacks them. */
const flockPath = { PATH: `${process.env.PATH ?? ''}:/usr/bin:/bin` };

/** Seconds that a waiting `flock` outlives this process at most. */
const waitSeconds = 5;

/** Runs a task while holding the lock of `path`; waits while another holds it, this process included. */
export async function withLock<T>(path: string, options: LockOptions, task: () => Promise<T>): Promise<T> {
  options.signal?.throwIfAborted();
  const lock = tryLock(path, options.elsewhere) ?? (await waitForLock(path, options));
  try {
    return await task();
  } finally {
    lock.release();
  }
}

/** The lock of `path`, a file that is made where it is missing, as is its folder; undefined where another holds it. */
export function tryLock(path: string, elsewhere?: string): Lock | undefined {
  for (;;) {
    const file = openLockFile(path, elsewhere);
    const answer = spawnSync('flock', ['-x', '-n', '3'], {
      env: flockPath,
      stdio: ['ignore', 'ignore', 'pipe', file],
    });
    const lock = settle(path, file, answer);
    if (lock !== 'gone') return lock === 'held' ? undefined : lock;
  }
}

/** The holder of a lock; undefined where none has written itself down. One that was killed is still named. */
export function readOwner(path: string): LockOwner | undefined {
  try {
    const owner = parseJson(readFileSync(path, 'utf8'));
    return isOwner(owner) ? owner : undefined;
  } catch {
    return undefined;
  }
}

/** The holder of a lock that was found held: a new holder writes itself down a moment after the kernel gives it the lock. */
export function awaitOwner(path: string, patience = 500): LockOwner | undefined {
  const end = Date.now() + patience;
  for (;;) {
    const owner = readOwner(path);
    if (owner || Date.now() > end) return owner;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  }
}

/** `process 4711 on gpu7 (gen sweep my-op, since 2026-11-22T10:00:00Z)`. */
export function describeOwner(owner: LockOwner | undefined): string {
  if (!owner) return 'another process';
  const { pid, host, command, since } = owner;
  const text = `process ${pid} on ${host} (${command}, since ${since})`;
  return text.replaceAll(/\p{Cc}/gu, '?').slice(0, 300); // others may have written the file
}

async function waitForLock(path: string, { onWait, signal, elsewhere }: LockOptions): Promise<Lock> {
  onWait?.(readOwner(path));
  for (;;) {
    const file = openLockFile(path, elsewhere);
    const lock = settle(path, file, await waitOnce(file, signal));
    if (signal?.aborted && typeof lock === 'object') lock.release();
    signal?.throwIfAborted();
    if (typeof lock === 'object') return lock;
  }
}

type Answer = Pick<SpawnSyncReturns<unknown>, 'status' | 'error' | 'stderr'>;

function waitOnce(file: number, signal: AbortSignal | undefined): Promise<Answer> {
  const argv = ['-x', '-w', String(waitSeconds), '3'];
  const child = spawn('flock', argv, { env: flockPath, stdio: ['ignore', 'ignore', 'pipe', file] });
  const stop = () => child.kill();
  signal?.addEventListener('abort', stop);
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr += String(chunk);
  });
  return new Promise<Answer>((resolve) => {
    child.on('error', (error) => resolve({ status: null, error, stderr }));
    child.on('close', (status) => resolve({ status: signal?.aborted ? 1 : status, stderr }));
  }).finally(() => signal?.removeEventListener('abort', stop));
}

function openLockFile(path: string, elsewhere: string | undefined): number {
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;
  const open = () => {
    makeFolder(dirname(path));
    try {
      return openSync(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
    } catch (error) {
      if (errorCode(error) !== 'ELOOP') throw error;
      throw new EnvironmentError(`cannot lock ${path}: a symbolic link is in the way; remove it`);
    }
  };
  return onDisk(`create ${path}`, open, elsewhere);
}

/** Result of `flock` on an open file. `gone`: the last owner has removed the file since it was opened. */
function settle(path: string, file: number, answer: Answer): Lock | 'held' | 'gone' {
  if (answer.status === 0 && isAt(path, file)) return hold(path, file);
  closeSync(file);
  if (answer.status === 0) return 'gone';
  if (answer.status === 1) return 'held';
  if (errorCode(answer.error) === 'ENOENT')
    throw new EnvironmentError('there is no program `flock`: install util-linux');
  throw new EnvironmentError(
    `cannot lock ${path}: ${answer.error?.message ?? (String(answer.stderr).trim() || 'flock was killed')}`,
  );
}

function isAt(path: string, file: number): boolean {
  const there = statSync(path, { throwIfNoEntry: false });
  const own = fstatSync(file);
  return there?.ino === own.ino && there.dev === own.dev;
}

function hold(path: string, file: number): Lock {
  describeOurselves(file);
  let held = true;
  return {
    release: () => {
      if (!held) return;
      held = false;
      // Removed before it is closed: who gets the lock next sees that this file is gone, and opens another.
      if (isAt(path, file)) rmSync(path, { force: true });
      closeSync(file);
    },
  };
}

function describeOurselves(file: number): void {
  const command = [basename(process.argv[1] ?? 'node'), ...process.argv.slice(2)].join(' ').slice(0, 200);
  const owner: LockOwner = { pid: process.pid, host: hostname(), command, since: new Date().toISOString() };
  try {
    ftruncateSync(file);
    writeSync(file, `${JSON.stringify(owner)}\n`);
  } catch {
    // A full disk: the lock holds, it only does not say whose it is.
  }
}

function isOwner(value: unknown): value is LockOwner {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, host, command, since } = value as Partial<LockOwner>;
  return typeof pid === 'number' && [host, command, since].every((text) => typeof text === 'string');
}
