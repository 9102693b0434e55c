import { expect, test } from 'vitest';
import { capabilityOf, timingsOf } from '../../../src/tuned/timings.ts';

const environment = 'target: cuda\ngpu: NVIDIA H200\ncompute capability: 9.0\ndriver: 13000\n';
const record = {
  schema: 1 as const,
  key: 'op m=4096 n=16 density=2^-6/2 input=f16 c.align=4',
  variant: 'op.a',
  hash: '00',
  measured: [
    ['op.a', 4.5],
    ['op.b', 6],
  ] as [string, number][],
  time: 1,
};
const file = { path: 'k/1.json', environment, remains: false };

test('records of an operation are times of their key, with the features that dispatch knows', () => {
  const files = [
    { ...file, record },
    { ...file, record: { ...record, refused: 'wrong' } },
    { ...file, record: { ...record, key: 'op2 m=4096' } },
    { ...file, record: { ...record, measured: [] } },
    { ...file, damage: 'cut' },
  ];
  expect(timingsOf(files, 'op', new Set(['m', 'n', 'density']))).toEqual([
    {
      name: record.key,
      features: { m: 4096, n: 16, density: 0.125 },
      source: 'NVIDIA H200, driver 13000',
      times: { 'op.a': 4.5, 'op.b': 6 },
    },
  ]);
});

test('the environment says of which capability they are', () => {
  expect(capabilityOf(environment)).toBe(90);
  expect(capabilityOf('target: emulated\n')).toBeUndefined();
});
