import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { folderOf } from '../helpers/folder.ts';
import { beginTogether, type Helper, startHelper } from './processes.ts';
import { count, rounds } from './rounds.ts';

/** Entries of the log that found somebody inside who had neither left nor been killed. */
function overlaps(log: string, killed: ReadonlySet<number>): string[] {
  const found: string[] = [];
  let inside: number | undefined;
  for (const line of readFileSync(log, 'utf8').trim().split('\n')) {
    const [word, text] = line.split(' ');
    const pid = Number(text);
    if (word === 'in' && inside !== undefined && !killed.has(inside)) found.push(`${pid} while ${inside}`);
    inside = word === 'in' ? pid : undefined;
  }
  return found;
}

test("of six processes that take over a dead owner's lock one holds it at a time", async () => {
  for (let round = 0; round < rounds(3); round++) {
    const folder = folderOf({ lock: String(2 ** 22 + 1), log: '' });
    const [lock, log] = [join(folder, 'lock'), join(folder, 'log')];
    const users = Array.from({ length: 6 }, () => startHelper('lock-user.ts', lock, log, '10'));
    await beginTogether(users);
    for (const user of users) expect(await user.ended, user.output()).toEqual({ code: 0, signal: null });
    expect(overlaps(log, new Set())).toEqual([]);
    expect(readFileSync(log, 'utf8').match(/^in/gm)).toHaveLength(60);
  }
});

test('owners that are killed at random times neither block the others nor let two in', async () => {
  const folder = folderOf({ log: '' });
  const [lock, log] = [join(folder, 'lock'), join(folder, 'log')];
  const users: Helper[] = [];
  const killed = new Set<number>();
  for (let round = 0; round < rounds(10); round++) {
    while (users.length < 4) users.push(startHelper('lock-user.ts', lock, log, '100000'));
    await beginTogether(users);
    await sleep(Math.random() * 300);
    const [victim] = users.splice(Math.floor(Math.random() * users.length), 1);
    if (!victim) throw new Error('nobody to kill');
    killed.add(victim.pid);
    victim.process.kill('SIGKILL');
    await victim.ended;
    const length = readFileSync(log).length;
    await sleep(1000);
    expect(readFileSync(log).length, 'the others go on').toBeGreaterThan(length);
  }
  for (const user of users) user.process.kill('SIGKILL');
  count('owners of a lock killed', killed.size);
  expect(overlaps(log, killed)).toEqual([]);
});
