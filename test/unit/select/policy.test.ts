import { describe, expect, test } from 'vitest';
import { type AnyFamily, defineFamily, defineParameters } from '../../../src/model/family.ts';
import type { Measurement } from '../../../src/model/measurement.ts';
import { selectionSchema } from '../../../src/model/selection.ts';
import type { Variant } from '../../../src/model/variant.ts';
import { select } from '../../../src/select/policy.ts';
import { toyOperation } from '../../helpers/toy-operation.ts';

const { specs } = defineParameters({
  tile: { label: 't', doc: 'Edge of the tile.', values: [16, 32, 64] },
  block: { label: 'b', doc: 'Edge of a block.', values: [32, 64] },
});

/** Prefers large tiles, and serves the workloads of its own block size. */
const family = defineFamily({
  name: 'toy',
  summary: 'y = x',
  operation: toyOperation,
  serves: () => ({}),
  parameters: specs,
  activations: [],
  constraints: [],
  presets: {},
  templates: ['toy.cu.hbs'],
  template: () => 'toy.cu.hbs',
  derive: () => ({}),
  budget: () => ({ threads: 32, sharedBytes: 0 }),
  notSupported: () => undefined,
  workloads: [
    { id: 'small', problem: { n: 128, block: 32 } },
    { id: 'large', problem: { n: 4096, block: 64 } },
    { id: 'odd', problem: { n: 4096, block: 128 } },
  ],
  applies: (point, workload) => point.block === workload.problem.block,
  cases: () => [],
  priority: (point) => point.tile,
  deterministic: () => true,
});

const variant = (tile: number, block: number): Variant => ({
  family: 'toy',
  id: `toy.t${tile}.b${block}`,
  symbol: `toy_t${tile}_b${block}`,
  parameters: { tile, block },
  derived: {},
  budget: { threads: 32, sharedBytes: 0 },
  template: 'toy.cu.hbs',
  deterministic: true,
});

const measured = (
  subject: string,
  workload: string,
  median: number,
  more: Partial<Measurement> = {},
): Measurement => ({
  subject,
  kind: subject.startsWith('toy') ? 'variant' : 'baseline',
  workload,
  l2: 'hot',
  samples: [median],
  median,
  mad: 0,
  flops: 1,
  bytes: 1,
  tflops: 1,
  ...more,
});

const variants = [variant(16, 32), variant(64, 32), variant(32, 64), variant(64, 64)];

describe('select without times', () => {
  const selection = select(family, variants, []);

  test('takes what the priority ranks first for each workload', () => {
    expect(selection.timed).toBe(false);
    expect(selection.variants).toEqual(['toy.t64.b32', 'toy.t64.b64']);
    expect(selection.choices.map(({ workload, winner }) => [workload, winner])).toEqual([
      ['small', 'toy.t64.b32'],
      ['large', 'toy.t64.b64'],
    ]);
    expect(selection.choices[0]).not.toHaveProperty('median');
  });

  test('names the workloads that nobody serves', () => {
    expect(selection.unserved).toEqual(['odd']);
  });

  test('is what its schema says', () => {
    expect(selectionSchema.parse(selection)).toEqual(selection);
  });

  test('equal priorities go to the first by name, whatever the order', () => {
    const flat = { ...family, priority: () => 1 };
    expect(select(flat, variants.toReversed(), []).variants).toEqual(['toy.t16.b32', 'toy.t32.b64']);
  });
});

describe('workloads that nobody timed', () => {
  const guessed = [{ id: 'guess', problem: { n: 64, block: 64 } }];
  const workloads = family.workloads.slice(0, 1);

  test('have a variant by priority where there are no times, marked as untimed', () => {
    const { choices, variants: shipped } = select(family, variants, [], { workloads, guessed });
    expect(choices.map(({ workload, variant }) => [workload, variant])).toEqual([
      ['small', 'toy.t64.b32'],
      ['guess', 'toy.t64.b64'],
    ]);
    expect(choices[1]).not.toHaveProperty('median');
    expect(shipped).toContain('toy.t64.b64');
  });

  test('have none beside times, and none where fallbacks alone serve them', () => {
    const times = [measured('toy.t64.b32', 'small', 1)];
    expect(select(family, variants, times, { workloads, guessed }).choices).toHaveLength(1);
    const general = { ...family, generality: ({ block }: { block: number }) => (block === 64 ? 1 : 0) };
    const { choices, unserved } = select(general, variants, [], { workloads, guessed });
    expect([choices.length, unserved]).toEqual([1, []]);
  });
});

describe('fallbacks', () => {
  const general = { ...family, generality: (point: { tile: number }) => (point.tile < 64 ? 1 : 0) };

  test('the best general variant of each served workload is shipped behind the chosen ones', () => {
    const { fallbacks, variants: shipped, choices } = select(general, variants, []);
    expect(fallbacks).toEqual(['toy.t16.b32', 'toy.t32.b64']);
    expect(shipped).toEqual(['toy.t64.b32', 'toy.t64.b64', 'toy.t16.b32', 'toy.t32.b64']);
    expect(choices.map(({ variant }) => variant)).toEqual(['toy.t64.b32', 'toy.t64.b64']);
  });

  test('one that alone serves a workload says so: it is no choice for calls nearby that others serve', () => {
    const alone = (among: readonly Variant[]) => select(general, among, []).choices.map((one) => one.alone);
    expect(alone(variants)).toEqual([undefined, undefined]);
    const [fallback] = variants.filter(({ id }) => id === 'toy.t16.b32');
    if (!fallback) throw new Error('no such variant');
    expect(alone([fallback])).toContain(true);
    expect(select(family, [fallback], []).choices.some((one) => one.alone)).toBe(false);
  });

  test('the more general ones come last', () => {
    const ranked = { ...family, generality: ({ tile }: { tile: number }) => ({ 16: 2, 32: 1 })[tile] ?? 0 };
    const { fallbacks } = select(ranked, [...variants, variant(32, 32)], []);
    expect(fallbacks).toEqual(['toy.t32.b32', 'toy.t32.b64', 'toy.t16.b32']);
  });

  test('a workload that was not timed has one, too', () => {
    const times = [measured('toy.t64.b32', 'small', 1)];
    expect(select(general, variants, times).fallbacks).toEqual(['toy.t16.b32', 'toy.t32.b64']);
  });

  test('of every rank there is one for everything that its variants serve, asked for by a workload or not', () => {
    const few = family.workloads.slice(0, 1);
    const served = {
      ...general,
      workloads: few,
      serves: ({ block }: { block: number }) => ({ block: [block] }),
    };
    expect(select(served, variants, []).fallbacks).toEqual(['toy.t16.b32', 'toy.t32.b64']);
    const ranked = { ...served, generality: ({ tile }: { tile: number }) => (tile < 64 ? 1 : 2) };
    expect(select(ranked, variants, []).fallbacks).toEqual([
      'toy.t16.b32',
      'toy.t32.b64',
      'toy.t64.b32',
      'toy.t64.b64',
    ]);
  });
});

describe('select with times', () => {
  test('ships one variant where it is within the tolerance everywhere', () => {
    const selection = select(family, variants, [
      measured('toy.t16.b32', 'small', 1.0),
      measured('toy.t64.b32', 'small', 1.02),
      measured('toy.t64.b32', 'large', 2.0),
      measured('toy.t64.b64', 'large', 1.95),
    ]);
    expect(selection.variants).toEqual(['toy.t64.b32']);
    expect(selection.choices[0]).toMatchObject({
      winner: 'toy.t64.b32',
      median: 1.02,
      slowdown: 1.02,
      l2: 'hot',
    });
  });

  test('a tighter tolerance costs another variant', () => {
    const times = [
      measured('toy.t16.b32', 'small', 1.0),
      measured('toy.t64.b32', 'small', 1.02),
      measured('toy.t64.b32', 'large', 2.0),
    ];
    expect(select(family, variants, times, { tolerance: 0.01 }).variants).toEqual([
      'toy.t16.b32',
      'toy.t64.b32',
    ]);
  });

  test('records the vendor where it is faster, and ships the best of ours', () => {
    const { choices, variants: shipped } = select(family, variants, [
      measured('toy.t16.b32', 'small', 1.0),
      measured('cusparse-bsr', 'small', 0.8),
      measured('cusparse-blocked-ell', 'small', 0.9),
    ]);
    expect(shipped).toEqual(['toy.t16.b32']);
    expect(choices[0]).toMatchObject({
      winner: 'cusparse-bsr',
      variant: 'toy.t16.b32',
      median: 0.8,
      variantMedian: 1.0,
      baseline: { name: 'cusparse-bsr', median: 0.8 },
    });
  });

  test('ignores rejected figures and variants that did not pass', () => {
    const selection = select(family, variants, [
      measured('toy.t16.b32', 'small', 1.0),
      measured('toy.t64.b32', 'small', 0.001, { rejected: 'implausible' }),
      measured('toy.t32.b32', 'small', 0.5),
    ]);
    expect(selection.variants).toEqual(['toy.t16.b32']);
  });

  test('compares hot with hot, and cold with cold where there is nothing else', () => {
    const selection = select(family, variants, [
      measured('toy.t16.b32', 'small', 1.0),
      measured('toy.t64.b32', 'small', 1.5),
      measured('toy.t64.b32', 'small', 0.9, { l2: 'cold' }),
      measured('toy.t64.b64', 'large', 3, { l2: 'cold' }),
    ]);
    expect(selection.choices.map(({ variant, l2 }) => [variant, l2])).toEqual([
      ['toy.t16.b32', 'hot'],
      ['toy.t64.b64', 'cold'],
    ]);
  });

  test('compares careful figures with careful ones, and brief ones where there are no others', () => {
    const brief = { stoppedEarly: true };
    const selection = select(family, variants, [
      measured('toy.t16.b32', 'small', 1.0),
      measured('toy.t64.b32', 'small', 0.9, brief),
      measured('toy.t32.b64', 'large', 3, brief),
      measured('toy.t64.b64', 'large', 2, brief),
    ]);
    expect(selection.choices.map(({ variant, slowdown }) => [variant, slowdown])).toEqual([
      ['toy.t16.b32', 1],
      ['toy.t64.b64', 1],
    ]);
  });
});

describe('accuracy', () => {
  /** Large tiles have the worse bound. */
  const ranked: AnyFamily = { ...(family as AnyFamily), accuracy: ({ tile }) => (tile === 64 ? 1 : 0) };
  const variants = [variant(32, 32), variant(64, 32)];
  const worse = { variant: 'toy.t64.b32', accuracy: 1 };

  test('decides before priority, and the record names what was passed over', () => {
    const { choices } = select(ranked, variants, []);
    expect(choices).toMatchObject([{ variant: 'toy.t32.b32', accuracy: 0, lessAccurate: worse }]);
  });

  test('decides before times', () => {
    const times = [measured('toy.t32.b32', 'small', 2e-6), measured('toy.t64.b32', 'small', 1e-6)];
    const { choices, variants: shipped } = select(ranked, variants, times);
    expect(choices).toMatchObject([
      { variant: 'toy.t32.b32', slowdown: 1, accuracy: 0, lessAccurate: { ...worse, median: 1e-6 } },
    ]);
    expect(shipped).toEqual(['toy.t32.b32']);
  });

  test('may be given up where that is asked, and is where there is none better', () => {
    for (const choices of [
      select(ranked, variants, [], { accuracy: 1 }).choices,
      select(ranked, variants.slice(1), []).choices,
    ]) {
      expect(choices).toMatchObject([{ variant: 'toy.t64.b32', accuracy: 1 }]);
      expect(choices[0]).not.toHaveProperty('lessAccurate');
    }
  });

  test('decides before wisdom', () => {
    const record = { workload: 'small', variant: 'toy.t64.b32', source: 'x', run: 'r', parameters: {} };
    const known = { records: [{ ...record, l2: 'hot' as const, median: 1e-6, mad: 0, tflops: 1 }], runs: [] };
    expect(select(ranked, variants, [], { known }).choices[0]?.variant).toBe('toy.t32.b32');
    expect(select(family, variants, [], { known }).choices[0]?.variant).toBe('toy.t64.b32');
  });
});
