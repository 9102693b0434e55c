import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { diskError, errorCode, makeFolder, onDisk } from '../util/disk.ts';
import { isAlive } from '../util/process.ts';
import { anotherCache } from './paths.ts';

/** Runs a task while holding a lock file. Waits for another live process; a dead one's lock is taken over. */
export async function withLock<T>(
  file: string,
  onWait: (pid: number) => void,
  task: () => Promise<T>,
): Promise<T> {
  onDisk(`create ${dirname(file)}`, () => makeFolder(dirname(file)), anotherCache);
  let told = false;
  while (!take(file)) {
    const owner = ownerOf(file);
    if (owner === undefined || !isAlive(owner)) {
      rmSync(file, { force: true });
      continue;
    }
    if (!told) onWait(owner);
    told = true;
    await sleep(200);
  }
  try {
    return await task();
  } finally {
    rmSync(file, { force: true });
  }
}

function take(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw diskError(error, `create ${file}`, anotherCache);
  }
}

function ownerOf(file: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    return Number.isNaN(pid) ? undefined : pid;
  } catch {
    return undefined;
  }
}
