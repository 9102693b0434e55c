import { describe, expect, it } from 'vitest';
import type { RunEvidence } from '../../../src/model/evidence.ts';
import { wisdomSchema } from '../../../src/model/wisdom.ts';
import { leftOut, wisdomOf, withoutOverlapping } from '../../../src/report/wisdom.ts';
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

const always = () => true;

describe('wisdom of evidence', () => {
  it('has the fastest careful variant of each workload over all runs, with its source and its run', () => {
    const wisdom = wisdomOf(
      [
        evidence('run-2', 'w', time('toy.a', 2), time('toy.b', 1, { stoppedEarly: true })),
        evidence('run-1', 'w', time('toy.c', 3), time('cuVendor', 9, { kind: 'baseline' })),
        evidence('run-3', 'v', time('toy.c', 3), time('cuVendor', 9, { kind: 'baseline' })),
      ],
      always,
    );
    expect(wisdomSchema.parse(wisdom)).toEqual(wisdom);
    expect(wisdom.records).toMatchObject([
      { workload: 'w', variant: 'toy.a', source: 'hash of toy.a', run: 'run-2', median: 2 },
      { workload: 'v', variant: 'toy.c', baseline: { name: 'cuVendor', median: 9 }, parameters: { tile: 8 } },
    ]);
    expect(wisdom.records[0]).not.toHaveProperty('baseline');
    expect(wisdom.runs.map(({ id }) => id)).toEqual(['run-2', 'run-3']);
    expect(wisdom.runs[0]).toMatchObject({ gpu: 'NVIDIA H200', driver: '580.159', nvcc: '13.0.88', commit });
  });

  const faster = evidence('run-1', 'w', time('toy.a', 1), time('toy.c', 3));
  const slower = evidence('run-2', 'w', time('toy.b', 2));

  /** Wisdom's record of the workload: the same in either order of the runs. */
  function recordOf(...[runs, holds = always]: [RunEvidence[], ((variant: string) => boolean)?]) {
    const [record] = wisdomOf(runs, holds).records;
    expect(wisdomOf(runs.toReversed(), holds).records).toEqual([record]);
    return record;
  }

  it('keeps an earlier run where it was faster, and the newest of equal ones', () => {
    expect(recordOf([faster, slower])).toMatchObject({ variant: 'toy.a', run: 'run-1', median: 1 });
    const equal = evidence('run-2', 'w', time('toy.b', 1));
    expect(recordOf([faster, equal])).toMatchObject({ variant: 'toy.b', run: 'run-2' });
  });

  it('takes the time of a source that holds no longer only where none holds: of the newest run then', () => {
    const but = (...variants: string[]) => [(variant: string) => !variants.includes(variant)] as const;
    expect(recordOf([faster, slower], ...but('toy.a'))).toMatchObject({ variant: 'toy.b', run: 'run-2' });
    expect(recordOf([faster, slower], ...but('toy.a', 'toy.b'))).toMatchObject({
      variant: 'toy.c',
      run: 'run-1',
    });
    expect(recordOf([faster, slower], () => false)).toMatchObject({ variant: 'toy.b', run: 'run-2' });
  });

  it('has no variant whose launches overlap: the time of a row of them is not that of a call', () => {
    const run = evidence(
      'run-1',
      'w',
      time('toy.early', 1),
      time('toy.a', 2),
      time('cuVendor', 9, { kind: 'baseline' }),
    );
    const left = withoutOverlapping(run, (variant) => variant !== 'toy.a');
    expect(recordOf([left])).toMatchObject({ variant: 'toy.a', median: 2, baseline: { name: 'cuVendor' } });
  });

  describe('of comparisons', () => {
    const both = evidence('run-1', 'w', time('toy.a', 1));
    const compare = (...measurements: ReturnType<typeof time>[]) =>
      evidence('run-2', 'cell', ...measurements);
    const recordsOf = (runs: RunEvidence[], holds: (variant: string) => boolean = always) =>
      wisdomOf(runs, holds, new Set(['cell', 'other'])).records.slice(1);

    it('names a winner of workloads where it is within the tolerance, and the best beside it', () => {
      const [record] = recordsOf([both, compare(time('toy.a', 1.09), time('toy.b', 1))]);
      expect(record).toMatchObject({ workload: 'cell', variant: 'toy.a', median: 1.09, best: 1 });
      const [other] = recordsOf([both, compare(time('toy.a', 1.11), time('toy.b', 1))]);
      expect(other).toMatchObject({ workload: 'cell', variant: 'toy.b', median: 1 });
      expect(other).not.toHaveProperty('best');
    });

    it('names as few variants as serve all of them, of every run', () => {
      const others = evidence('run-3', 'other', time('toy.c', 1), time('toy.d', 1.05));
      const cells = compare(time('toy.b', 1), time('toy.d', 1.05));
      expect(recordsOf([both, cells, others])).toMatchObject([{ variant: 'toy.d' }, { variant: 'toy.d' }]);
      const again = evidence('run-4', 'cell', time('toy.d', 0.9));
      expect(recordsOf([both, cells, again])).toMatchObject([{ variant: 'toy.d', run: 'run-4' }]);
    });

    it('has none where no source holds, or one that does not was far faster', () => {
      const runs = [both, compare(time('toy.b', 1), time('toy.c', 1.05), time('toy.d', 1.2))];
      expect(recordsOf(runs, (id) => id === 'toy.a')).toEqual([]);
      expect(recordsOf(runs, (id) => id !== 'toy.b')).toMatchObject([{ variant: 'toy.c', median: 1.05 }]);
      expect(recordsOf(runs, (id) => ['toy.a', 'toy.d'].includes(id))).toEqual([]);
    });
  });

  it('skips a slower variant whose source nobody wrote down', () => {
    const { 'toy.c': _, ...variants } = faster.variants;
    const holds = (variant: string) => variant !== 'toy.a';
    expect(wisdomOf([{ ...faster, variants }, slower], holds).records).toMatchObject([{ variant: 'toy.b' }]);
  });

  it('compares no times of other machines or with another L2: those of the newest run count, and that is said', () => {
    const { gpu } = environment;
    if (!gpu) throw new Error('the environment has a GPU');
    const others = [
      { ...faster, environment: { ...environment, gpu: { ...gpu, name: 'NVIDIA H100' } } },
      { ...faster, environment: { ...environment, gpu: { ...gpu, driver: '570.0' } } },
      { ...faster, environment: { ...environment, gpu: { ...gpu, runtime: '12.8' } } },
      { ...faster, environment: { ...environment, nvcc: '12.8.1' } },
      evidence('run-1', 'w', time('toy.a', 1, { l2: 'cold' })),
    ];
    for (const other of others) {
      expect(recordOf([other, slower])).toMatchObject({ variant: 'toy.b', run: 'run-2' });
      expect(leftOut([other, slower], always)).toEqual([
        expect.stringMatching(/^w: NVIDIA H200 \(driver 580\.159.*hot L2\) counts, .*not counted: run-1$/),
      ]);
    }
    expect(leftOut([faster, slower], always)).toEqual([]);
  });

  it('is refused where nobody knows which source was timed, or on what', () => {
    const known = evidence('run-1', 'w', time('toy.a', 2));
    const { environment: _, ...nowhere } = known;
    const variants = { 'toy.a': { parameters: {} } };
    expect(() => wisdomOf([{ ...known, variants }], always)).toThrow(/which source of toy\.a/);
    expect(() => wisdomOf([nowhere], always)).toThrow(/which GPU/);
    expect(() => wisdomOf([known, { ...known, arch: 'sm_80' }], always)).toThrow(/sm_90a and toy for sm_80/);
    expect(() => wisdomOf([{ ...known, workloads: [] }], always)).toThrow(/no winners/);
    expect(() => wisdomOf([], always)).toThrow(/no evidence/);
  });
});
