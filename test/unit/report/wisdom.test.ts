import { describe, expect, it } from 'vitest';
import type { RunEvidence } from '../../../src/model/evidence.ts';
import { wisdomSchema } from '../../../src/model/wisdom.ts';
import { wisdomOf } from '../../../src/report/wisdom.ts';
import { h200 } from '../../helpers/journal.ts';

const { event: _, commit = '', ...environment } = h200;
const time = (subject: string, median: number, more: object = {}) => ({
  ...{ subject, kind: 'variant' as const, l2: 'hot' as const, median, mad: 0, tflops: 1, ...more },
});
const evidence = (
  run: string,
  id: string,
  ...measurements: RunEvidence['workloads'][number]['measurements']
): RunEvidence => ({
  ...{
    version: 1,
    run,
    date: `2026-11-2${run.at(-1)}T00:00:00Z`,
    command: 'gen sweep toy',
    commit,
    environment,
  },
  ...{ family: 'toy', arch: 'sm_90a', rejected: {}, verdicts: {}, failures: [], seconds: {} },
  funnel: { points: 1, legal: 1, rendered: 1, compiled: 1, passed: 1, timed: 1 },
  variants: Object.fromEntries(
    measurements.map(({ subject }) => [subject, { source: `hash of ${subject}`, parameters: { tile: 8 } }]),
  ),
  workloads: [{ id, flops: 1, bytes: 1, paths: {}, tried: 1, measurements, untimed: [] }],
});

describe('wisdom of evidence', () => {
  it('has the fastest careful variant of the newest run of each workload, with its source and its run', () => {
    const wisdom = wisdomOf([
      evidence('run-2', 'w', time('toy.a', 2), time('toy.b', 1, { stoppedEarly: true })),
      evidence('run-1', 'w', time('toy.c', 1), time('cuVendor', 9, { kind: 'baseline' })),
      evidence('run-3', 'v', time('toy.c', 3), time('cuVendor', 9, { kind: 'baseline' })),
    ]);
    expect(wisdomSchema.parse(wisdom)).toEqual(wisdom);
    expect(wisdom.records).toMatchObject([
      { workload: 'w', variant: 'toy.a', source: 'hash of toy.a', run: 'run-2', median: 2 },
      { workload: 'v', variant: 'toy.c', baseline: { name: 'cuVendor', median: 9 }, parameters: { tile: 8 } },
    ]);
    expect(wisdom.records[0]).not.toHaveProperty('baseline');
    expect(wisdom.runs.map(({ id }) => id)).toEqual(['run-2', 'run-3']);
    expect(wisdom.runs[0]).toMatchObject({ gpu: 'NVIDIA H200', driver: '580.159', nvcc: '13.0.88', commit });
  });

  it('is refused where nobody knows which source was timed, or on what', () => {
    const known = evidence('run-1', 'w', time('toy.a', 2));
    const { environment: _, ...nowhere } = known;
    const variants = { 'toy.a': { parameters: {} } };
    expect(() => wisdomOf([{ ...known, variants }])).toThrow(/which source of toy\.a/);
    expect(() => wisdomOf([nowhere])).toThrow(/which GPU/);
    expect(() => wisdomOf([known, { ...known, arch: 'sm_80' }])).toThrow(/sm_90a and toy for sm_80/);
    expect(() => wisdomOf([{ ...known, workloads: [] }])).toThrow(/no winners/);
    expect(() => wisdomOf([])).toThrow(/no evidence/);
  });
});
