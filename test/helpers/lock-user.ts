// One of several processes that take the same lock in turn: node --import jiti/register test/helpers/lock-user.ts <lock> <log> <rounds>
// Logs `in <pid>` and `out <pid>` around each time that it holds the lock. Waits for a line on stdin, so that all begin together.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { withLock } from '../../src/util/lock.ts';

const [lock = '', log = '', rounds = ''] = process.argv.slice(2);
console.log('ready');
await createInterface({ input: process.stdin }).question('');
for (let i = 0; i < Number(rounds); i++) {
  await withLock(lock, {}, async () => {
    appendFileSync(log, `in ${process.pid}\n`);
    await sleep(Math.random() * 3);
    appendFileSync(log, `out ${process.pid}\n`);
  });
}
process.exit();
