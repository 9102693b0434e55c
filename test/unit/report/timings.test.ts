import { expect, test } from 'vitest';
import { addTimings, timingsOf } from '../../../src/report/timings.ts';

const common = { kind: 'variant' as const, l2: 'hot' as const, mad: 0, tflops: 1 };
const workload = {
  id: 'w',
  problem: { m: 64 },
  flops: 1,
  bytes: 1,
  paths: {},
  tried: 3,
  untimed: [],
  measurements: [
    { ...common, subject: 'a', median: 2e-6 },
    { ...common, subject: 'b', median: 3.00004e-6, stoppedEarly: true },
    { ...common, subject: 'c', median: 1e-6, rejected: 'above the peak' },
    { ...common, subject: 'vendor', kind: 'baseline' as const, median: 9e-6 },
    { ...common, subject: 'a', l2: 'cold' as const, median: 4e-6 },
  ],
};

test('all that a run timed on a workload, in microseconds, by features', () => {
  const run = { run: 'r1', workloads: [workload] } as unknown as Parameters<typeof timingsOf>[0];
  const timings = timingsOf(run, ({ problem }) => ({ m: Number(problem.m) }));
  expect(timings).toEqual([{ name: 'w', features: { m: 64 }, source: 'r1', times: { a: 2, b: 3 } }]);
  const newer = [{ name: 'w', features: { m: 64 }, source: 'r2', times: { a: 1 } }];
  const other = { name: 'v', features: {}, source: 'r1', times: { a: 1 } };
  const all = addTimings({ family: 'toy', arch: 'sm_90a', timings: [...timings, other] }, newer);
  expect(all.timings).toEqual([...newer, other]);
});
