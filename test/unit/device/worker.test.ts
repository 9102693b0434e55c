import { expect, it, onTestFinished } from 'vitest';
import { Worker } from '../../../src/device/worker.ts';
import { localExecutor } from '../../../src/exec/local.ts';

const line = '{"event":"unavailable","reason":"slept"}';

/** Silence of a worker that does not compute: a second, more where this process itself was kept from the clock. */
const idle = { kind: 'silent', seconds: expect.any(Number), idle: true };

/** A worker that runs a script of the shell. */
function working(script: string): Worker {
  const worker = new Worker(['sh', '-c', script], localExecutor);
  onTestFinished(() => worker.kill());
  return worker;
}

it('a worker that computes is given CPU seconds: one that was kept from them is waited for', async () => {
  const kept = working(`sleep 1; echo '${line}'; cat`);
  expect(await kept.next(0.5, true)).toEqual({ event: 'unavailable', reason: 'slept' });
});

it('a worker that has used its CPU seconds is killed', async () => {
  const busy = working('while :; do :; done');
  expect(await busy.next(0.3, true)).toEqual({ kind: 'silent', seconds: 0.3, idle: false });
});

it('a worker that does not compute is given seconds by the clock', async () => {
  const asleep = working(`sleep 5; echo '${line}'; cat`);
  expect(await asleep.next(0.3)).toEqual({ kind: 'silent', seconds: 0.3, idle: false });
});

it('a worker that sleeps where it is to compute is not waited for without end', {
  timeout: 60_000,
}, async () => {
  const asleep = working('sleep 600');
  expect(await asleep.next(0.05, true)).toEqual(idle);
});

it('a worker that is stopped counts as idle', async () => {
  const asleep = working('kill -STOP $$');
  expect(await asleep.next(60, true, 1)).toEqual(idle);
});

it('time in which this process was stopped itself does not count', async () => {
  const kept = working(`sleep 1; echo '${line}'; cat`);
  const next = kept.next(0.5);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3500);
  expect(await next).toEqual({ event: 'unavailable', reason: 'slept' });
});
