import { describe, expect, test } from 'vitest';
import type { EvidenceWorkload, RunEvidence } from '../../../src/model/evidence.ts';
import type { Rival } from '../../../src/model/rival.ts';
import { systemsPlot } from '../../../src/report/bars.ts';
import { inCommon } from '../../../src/report/common.ts';
import { comparedCases } from '../../../src/report/compared.ts';
import { casesOf } from '../../../src/report/headline.ts';
import { jsonText } from '../../../src/report/json-text.ts';
import { resultsPage } from '../../../src/report/page.ts';
import { searchPlot } from '../../../src/report/plot.ts';
import { bestSoFar, fastest, limitsOf, reached } from '../../../src/report/ranking.ts';
import { h200 } from '../../helpers/journal.ts';

type Figure = EvidenceWorkload['measurements'][number];

const flops = 1e9;
function figure(subject: string, median: number, over: Partial<Figure> = {}): Figure {
  return {
    subject,
    kind: 'variant',
    l2: 'hot',
    median,
    mad: median / 100,
    tflops: flops / median / 1e12,
    ...over,
  };
}

const workload: EvidenceWorkload = {
  id: 'w',
  flops,
  bytes: 1e6,
  l2Bytes: 2e7,
  paths: { mma: 'toy.mma.a', simt: 'toy.simt' },
  tried: 4,
  measurements: [
    figure('cuVendor', 20e-6, { kind: 'baseline' }),
    figure('toy.simt', 50e-6, { trial: 1, elapsed: 1, stoppedEarly: true }),
    figure('toy.mma.b', 12e-6, { trial: 2, elapsed: 1 }),
    figure('toy.mma.a', 10e-6, { trial: 3, elapsed: 2.5, meanSmClock: 1500 }),
    figure('toy.mma.a', 11e-6, { trial: 3, elapsed: 2.5, l2: 'cold' }),
    figure('toy.mma.c', 9e-6, { trial: 4, elapsed: 2.5, stoppedEarly: true }),
    figure('toy.mma.d', 1e-6, { rejected: '1000 TFLOPS is above the peak' }),
  ],
  untimed: [{ subject: 'cuOther', verdict: 'unsupported', message: 'takes equal rows only' }],
};

const { event: _, commit, ...environment } = h200;
const evidence: RunEvidence = {
  version: 1,
  run: 'toy-1',
  date: '2026-11-21T10:00:00.000Z',
  command: 'gen sweep toy --where "a == 1"',
  family: 'toy',
  arch: 'sm_90a',
  environment,
  funnel: { points: 2000, legal: 5, rendered: 5, compiled: 5, passed: 4, timed: 4 },
  rejected: { 'fits-shared': 1995 },
  verdicts: { passed: 4, wrong: 1 },
  failures: [
    {
      ...{ variant: 'toy.mma.e', device: 'emulated', verdict: 'wrong', case: 'ragged' },
      message: '3 elements, toy.mma.e.cu:17',
    },
  ],
  seconds: { compile: 2, total: 60 },
  variantsPerMinute: 5,
  variants: {
    'toy.mma.a': { registers: 100, parameters: { path: 'mma', stages: 3 } },
    'toy.mma.b': { registers: 90, parameters: { path: 'mma', stages: 4 } },
    'toy.mma.c': { parameters: { path: 'mma', stages: 3 } },
  },
  workloads: [workload],
};

describe('ranking', () => {
  test('puts careful figures before brief ones and leaves out what was rejected', () => {
    expect(fastest(workload).map(({ subject }) => subject)).toEqual([
      ...['toy.mma.a', 'toy.mma.b'],
      ...['toy.mma.c', 'toy.simt'],
    ]);
  });

  test('follows the best so far up to the best that was timed with care', () => {
    const steps = bestSoFar(workload);
    expect(steps.map(({ trial }) => trial)).toEqual([1, 2, 3]);
    expect(reached(steps, 0.8)).toMatchObject({ trial: 2, elapsed: 1 });
    expect(reached([], 1)).toBeUndefined();
  });
});

describe('limits', () => {
  test('are sorted by what binds, DRAM only where L2 cannot hold the operands', () => {
    const limits = limitsOf(workload, evidence);
    expect(limits.map(({ name }) => name)).toEqual(['L2', 'tensor']);
    expect(limits[0]?.seconds).toBeCloseTo(2e7 / 10.1e12, 12);
    expect(limits[1]?.seconds).toBeCloseTo(1e9 / 1070.5e12, 12);
    const large = limitsOf({ ...workload, bytes: 1e9 }, evidence);
    expect(large[0]).toEqual({ name: 'DRAM', seconds: 1e9 / 4.9e12 });
  });

  test('are those of the way to multiply, where the run knew its peak', () => {
    const peaks = { f16: 1070.5, tf32: 535.3, f32: 66.9 };
    const gpu = { ...h200.gpu, peaks } as NonNullable<typeof h200.gpu>;
    const known = { ...evidence, environment: { ...environment, gpu } };
    const [tightest] = limitsOf({ ...workload, arithmetic: 'f32' }, known);
    expect(tightest).toEqual({ name: 'tensor', seconds: expect.closeTo(1e9 / 66.9e12, 12) });
    expect(limitsOf({ ...workload, arithmetic: 'f32' }, evidence)).toEqual(limitsOf(workload, evidence));
  });

  test('that nobody knows are none', () => {
    const { environment: _, ...old } = evidence;
    expect(limitsOf(workload, old)).toEqual([]);
    const gpu = { ...h200.gpu, l2Bandwidth: 0 } as NonNullable<typeof h200.gpu>;
    const limits = limitsOf(workload, { ...evidence, environment: { ...environment, gpu } });
    expect(limits.map(({ name }) => name)).toEqual(['tensor']);
  });
});

test('variants are compared by the parameters that matter for each', () => {
  expect(inCommon(['toy.mma.a', 'toy.mma.b', 'toy.mma.c', 'unknown'], evidence.variants)).toEqual({
    same: ['path = mma'],
    differs: ['stages: 3 (2), 4 (1)'],
  });
});

describe('the page', () => {
  const page = resultsPage([evidence]);

  test.each([
    '| w | mma | 10.0 us | 1.0 % | 100.0 | 20 % L2 | 1500 | 2.00x |',
    '| w | 100.0 | 20.0 | 50.0 |',
    '| w | 0.9 us (9 %) | 1.2 us (12 %) | 2.0 us (20 %) | - | L2 | 10.0 us |',
    '| w | 4 | 3, after 2.5 s | 3, after 2.5 s | 3, after 2.5 s |',
    '| `toy.mma.c` | 9.0 us | 1.0 % | - | 111.1 | 111 | - | timed briefly |',
    '| `toy.mma.a` | 10.0 us | 1.0 % | 11.0 us | 100.0 | 100 | 100 |  |',
    '| cuVendor | 20.0 us | 1.0 % | - | 50.0 | 50 | - | baseline |',
    '- in common: path = mma',
    '  - stages: 3 (2), 4 (1)',
    '- cuOther: takes equal rows only',
    '| command | `gen sweep toy --where "a == 1"` |',
    '| depth of the gate | quick |',
    '| funnel | 2,000 points → 5 legal → 5 rendered → 5 compiled → 4 passed → 4 timed |',
    '- `toy.mma.e`: **wrong** in `ragged`, 3 elements, line 17',
  ])('says %s', (line) => {
    expect(page.split('\n')).toContain(line);
  });

  test('says which depth the gate had, also of files that leave it to their command', () => {
    const full = { ...evidence, depth: 'full' } as const;
    const older = { ...evidence, command: 'gen sweep toy --depth full' };
    expect(page).toContain('behind the gate at depth quick.');
    expect(resultsPage([full])).toContain('| depth of the gate | full |');
    expect(resultsPage([evidence, older])).toContain('behind the gate at depth quick and full.');
  });

  test('keeps a bar in a command from ending its cell', () => {
    const page = resultsPage([{ ...evidence, command: "gen sweep toy --where 'a == 1 || b'" }]);
    expect(page).toContain("'a == 1 \\|\\| b'");
  });

  test('does not name a picture that there is none of', () => {
    expect(page).not.toContain('![');
    expect(resultsPage([evidence], [], { search: 'a.svg' })).toContain('](a.svg)');
  });

  test('sets another process beside the limits that the runs know', () => {
    const results = ['tilewright', 'triton'].map((system, index) => ({
      ...{ system, workload: 'w', medianUs: 10 + 4 * index, madUs: 0.1, tflops: 100 - 30 * index },
    }));
    const rival: Rival = {
      ...{ command: 'bench/compare.py', date: '2026-01-02T00:00:00Z', process: 'one', environment: {} },
      results,
    };
    const lines = resultsPage([evidence], [rival], { systems: 'b.svg' }).split('\n');
    expect(lines).toContain('| w | 100.0 | 1.0 % | 70.0 | 505 L2 | 0.20x |');
    expect(lines).toContain('![TFLOPS of each system](b.svg)');
    expect(systemsPlot(comparedCases([rival]), casesOf([evidence]))).toContain('limit: L2');
  });

  test('of a run without times is about the run', () => {
    const untimed = resultsPage([{ ...evidence, workloads: [] }]);
    expect(untimed).not.toContain('The best of each case');
    expect(untimed).toContain('## Run');
  });
});

test('the picture has a panel per case', () => {
  const picture = searchPlot(casesOf([evidence, evidence])) ?? '';
  expect(picture.match(/<g /g)).toHaveLength(2);
  expect(picture).toContain('w (run 2)');
  expect(picture).not.toMatch(/NaN|Infinity|undefined/);
  expect(searchPlot([])).toBeUndefined();
});

test('json text keeps flat records on a line and opens the rest', () => {
  const long = 'x'.repeat(120);
  const value = { a: [1, 2], b: { long, list: [1, 2] }, c: [{ deep: { long } }], d: undefined };
  const text = jsonText(value);
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
  expect(text.split('\n')).toContain(` "b": {"long":"${long}","list":[1,2]},`);
});
