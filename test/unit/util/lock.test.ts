import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  awaitOwner,
  describeOwner,
  type LockOwner,
  readOwner,
  tryLock,
  withLock,
} from '../../../src/util/lock.ts';
import { folderOf } from '../../helpers/folder.ts';

/** Another process that holds a lock until it is killed. */
async function holder(lock: string): Promise<ChildProcess> {
  const child = spawn('flock', ['-x', lock, 'sh', '-c', 'echo held; exec sleep 100'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  onTestFinished(() => kill(child));
  await new Promise((resolve) => child.stdout?.once('data', resolve));
  return child;
}

function kill({ pid = 0 }: ChildProcess): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has been killed before.
  }
}

describe('withLock', () => {
  test('tasks of one process run in turn, and the file is gone in the end', async () => {
    const lock = join(folderOf(), 'below/lock');
    let inside = 0;
    let most = 0;
    const task = async () => {
      most = Math.max(most, ++inside);
      await sleep(5);
      inside--;
    };
    await Promise.all([1, 2, 3, 4].map(() => withLock(lock, {}, task)));
    expect(most).toBe(1);
    expect(existsSync(lock)).toBe(false);
  });

  test('says who holds it to whoever waits', async () => {
    const lock = join(folderOf(), 'lock');
    const owners: (LockOwner | undefined)[] = [];
    const first = withLock(lock, {}, () => sleep(100));
    await withLock(lock, { onWait: (owner) => owners.push(owner) }, async () => {});
    await first;
    expect(owners).toEqual([expect.objectContaining({ pid: process.pid, host: hostname() })]);
    expect(describeOwner(owners[0])).toMatch(new RegExp(`^process ${process.pid} on .* since 20`));
  });

  test('an owner that writes itself down a moment after it has the lock is named', async () => {
    const lock = join(folderOf(), 'lock');
    const owner = { pid: 1, host: 'gpu7', command: 'gen sweep', since: 'now' };
    await holder(lock);
    const writer = spawn('sh', ['-c', 'sleep 0.2; printf %s "$1" >"$0"', lock, JSON.stringify(owner)]);
    onTestFinished(() => kill(writer));
    expect(readOwner(lock)).toBeUndefined();
    expect(awaitOwner(lock, 10_000)).toEqual(owner);
    expect(awaitOwner(join(folderOf(), 'none'), 10)).toBeUndefined();
  });

  test('a killed owner holds nothing from then on', async () => {
    const lock = join(folderOf(), 'lock');
    const other = await holder(lock);
    expect(tryLock(lock)).toBeUndefined();
    setTimeout(() => kill(other), 200);
    const began = performance.now();
    await withLock(lock, {}, async () => {});
    expect(performance.now() - began).toBeGreaterThan(150);
  });

  test('a file that names a live process which has nothing to do with it is no lock', async () => {
    const since = new Date().toISOString();
    const owner = JSON.stringify({ pid: process.ppid, host: hostname(), command: 'gen sweep', since });
    for (const text of [String(process.ppid), owner, '', '{']) {
      const lock = join(folderOf({ lock: text }), 'lock');
      const waited: unknown[] = [];
      await withLock(lock, { onWait: (who) => waited.push(who) }, async () => {
        expect(readOwner(lock)?.pid).toBe(process.pid);
      });
      expect(waited).toEqual([]);
    }
  });

  test('a lock whose file was removed does not keep out who comes later, nor takes its file away', async () => {
    const lock = join(folderOf(), 'lock');
    const first = tryLock(lock);
    rmSync(lock);
    const second = tryLock(lock);
    first?.release();
    expect(second).toBeDefined();
    expect(tryLock(lock)).toBeUndefined();
    second?.release();
  });

  test('aborting ends the wait', async () => {
    const lock = join(folderOf(), 'lock');
    await holder(lock);
    const controller = new AbortController();
    const waiting = withLock(lock, { signal: controller.signal }, async () => 'ran');
    setTimeout(() => controller.abort(new Error('enough')), 100);
    await expect(waiting).rejects.toThrow('enough');
  });

  test('a task that throws gives the lock back', async () => {
    const lock = join(folderOf(), 'lock');
    await expect(withLock(lock, {}, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(tryLock(lock)).toBeDefined();
  });
});

test("a folder that cannot be made, and a link in the lock's place, are the machine's fault", async () => {
  const folder = folderOf({ file: 'x' });
  expect(() => tryLock(join(folder, 'file/lock'), 'name another')).toThrow(
    /a file is in the way; name another$/,
  );
  symlinkSync(join(folder, 'file'), join(folder, 'link'));
  expect(() => tryLock(join(folder, 'link'))).toThrow(/a symbolic link is in the way/);
  expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('x');
});

test('control characters of a foreign lock file do not reach the terminal', () => {
  const folder = folderOf();
  const owner = { pid: 1, host: 'h\u001b[2J', command: 'c', since: 's' };
  writeFileSync(join(folder, 'lock'), JSON.stringify(owner));
  expect(describeOwner(readOwner(join(folder, 'lock')))).toBe('process 1 on h\\x1b[2J (c, since s)');
});
