import { describe, expect, it } from 'vitest';
import { buildManifest, describeOperation } from '../../../src/emit/manifest.ts';
import { manifestSchema } from '../../../src/model/manifest.ts';
import type { Source, Variant } from '../../../src/model/variant.ts';
import { type FamilyWisdom, wisdomSchema } from '../../../src/model/wisdom.ts';
import { selectPassed } from '../../../src/select/passed.ts';
import { toyFamily } from '../../helpers/toy-family.ts';
import { toyRequest, toyShipped } from '../../helpers/toy-library.ts';

const family = { ...toyFamily, priority: () => 0 };
const workloads = ['one', 'two', 'three'].map((id) => ({ id, problem: { n: 64 } }));
const passed = (id: string, hash: string) => ({
  artifacts: [{ source: { variant: { id, parameters: {} } as unknown as Variant, hash } as Source }],
});
const record = (workload: string, variant: string, source: string, more: object = {}) => ({
  ...{ workload, variant, source, run: 'gpu-1', median: 2e-6, mad: 1e-8, tflops: 5, l2: 'hot' as const },
  ...{ parameters: {}, ...more },
});
const run = {
  ...{ id: 'gpu-1', date: '2026-11-21T00:00:00Z', command: 'gen sweep toy', gpu: 'H200' },
  ...{ driver: '580', runtime: '13.0' },
};
const wisdom = (...records: FamilyWisdom['records']): FamilyWisdom => ({
  ...wisdomSchema.parse({ version: 1, family: 'toy', arch: 'sm_90a', runs: [run], records }),
  gone: ['toy.gone'],
});

function chosen(known: FamilyWisdom, measurements: Parameters<typeof selectPassed>[2] = []) {
  const remarks: string[] = [];
  const options = { workloads, wisdom: known, remark: (text: string) => void remarks.push(text) };
  const all = [passed('toy.a', 'hash-a'), passed('toy.b', 'hash-b')];
  return { selection: selectPassed(family, all, measurements, options), remarks };
}

describe('a selection without times', () => {
  it('takes the winners of wisdom with their times, and the priority for the rest', () => {
    const { selection, remarks } = chosen(wisdom(record('two', 'toy.b', 'hash-b')));
    expect(selection).toMatchObject({ timed: false, wisdom: [run], variants: ['toy.a', 'toy.b'] });
    expect(selection.choices).toMatchObject([
      { workload: 'one', variant: 'toy.a' },
      { workload: 'two', variant: 'toy.b', median: 2e-6, l2: 'hot', slowdown: 1, measured: 'gpu-1' },
      { workload: 'three', variant: 'toy.a' },
    ]);
    expect(selection.choices[0]).not.toHaveProperty('measured');
    expect(remarks).toEqual(['wisdom of toy for sm_90a: 1 choice follows times of H200, 2026-11-21, gpu-1']);
  });

  it('tells of the runs on a model of GPU in one line', () => {
    const later = { ...run, id: 'gpu-2', date: '2026-11-23T00:00:00Z' };
    const other = { ...run, id: 'gpu-3', gpu: 'B200' };
    const [first, second] = [record('one', 'toy.a', 'hash-a'), record('two', 'toy.b', 'hash-b')];
    const third = record('three', 'toy.a', 'hash-a', { run: 'gpu-3' });
    const known = { ...wisdom(first, { ...second, run: 'gpu-2' }, third), runs: [run, later, other] };
    expect(chosen(known).remarks).toEqual([
      'wisdom of toy for sm_90a: 2 choices follow times of H200, 2026-11-21 to 2026-11-23, 2 runs',
      'wisdom of toy for sm_90a: 1 choice follows times of B200, 2026-11-21, gpu-3',
    ]);
  });

  it('says that a library was faster, where it was', () => {
    const baseline = { name: 'cuVendor', median: 1e-6 };
    const { selection } = chosen(wisdom(record('one', 'toy.a', 'hash-a', { baseline })));
    expect(selection.choices[0]).toMatchObject({ winner: 'cuVendor', median: 1e-6, variantMedian: 2e-6 });
  });

  it('uses no record whose variant is gone, absent, or rendered otherwise now, and says which', () => {
    const { selection, remarks } = chosen(
      wisdom(
        record('one', 'toy.a', 'another hash'),
        record('two', 'toy.gone', 'hash'),
        record('three', 'toy.elsewhere', 'hash'),
        record('not asked', 'toy.gone', 'hash'),
      ),
    );
    expect(selection).not.toHaveProperty('wisdom');
    expect(selection.choices.every(({ median }) => median === undefined)).toBe(true);
    expect(remarks).toEqual([
      expect.stringMatching(/two: the space no longer has toy\.gone/),
      expect.stringMatching(/one: not used, the source of toy\.a has changed since gpu-1 timed it/),
      expect.stringMatching(
        /no tuned winner for 1 of 3 workloads among the variants that passed; they are ranked by the family's heuristic/,
      ),
    ]);
  });

  it('does not look at wisdom where there are times of this run', () => {
    const measurement = {
      ...{ subject: 'toy.a', kind: 'variant' as const, workload: 'two', l2: 'hot' as const },
      ...{ samples: [1e-6], median: 1e-6, mad: 0, flops: 1, bytes: 1, tflops: 1 },
    };
    const { selection, remarks } = chosen(wisdom(record('two', 'toy.b', 'stale')), [measurement]);
    expect(selection).toMatchObject({ timed: true, variants: ['toy.a'] });
    expect(selection).not.toHaveProperty('wisdom');
    expect(remarks).toEqual([]);
  });
});

it('a manifest of it is not untimed, and says where the times come from', () => {
  const request = toyRequest();
  const [choice] = request.selection.choices;
  const choices = choice ? [{ ...choice, median: 1e-6, l2: 'hot' as const, measured: 'gpu-1' }] : [];
  const selection = { ...request.selection, choices, wisdom: [run] };
  const operation = describeOperation({ ...request, selection }, toyShipped(), '1.2.3');
  const manifest = manifestSchema.parse(buildManifest({ toy_op: operation }, '1.2.3'));
  expect(manifest.operations.toy_op).toMatchObject({
    untimed: false,
    wisdom: [run],
    policy: [{ measured: 'gpu-1' }],
  });
});
