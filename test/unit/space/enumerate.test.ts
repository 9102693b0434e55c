import { describe, expect, it } from 'vitest';
import { defaultArch } from '../../../src/arch/index.ts';
import type { Arch } from '../../../src/model/arch.ts';
import type { AnyFamily } from '../../../src/model/family.ts';
import type { ParameterValue } from '../../../src/model/parameter.ts';
import { enumerate, rulesOf, whyEmpty } from '../../../src/space/enumerate.ts';
import { idOf } from '../../../src/space/id.ts';
import { oldArch, toyFamily } from '../../helpers/toy-family.ts';

type Values = Record<string, ParameterValue>;

/** Every combination of values, one by one. */
function product(family: AnyFamily): Values[] {
  return Object.entries(family.parameters).reduce<Values[]>(
    (points, [name, { values }]) =>
      points.flatMap((point) => values.map((value) => ({ ...point, [name]: value }))),
    [{}],
  );
}

/** The same point with every inactive parameter at its first value. */
function canonical(family: AnyFamily, point: Values): Values {
  const result: Values = {};
  for (const [name, { values }] of Object.entries(family.parameters)) {
    const activation = family.activations.find(({ parameter }) => parameter === name);
    const active = activation?.active as ((values: Values) => boolean) | undefined;
    result[name] = (!active || active(result) ? point[name] : values[0]) as ParameterValue;
  }
  return result;
}

/** Counts without pruning: a point goes to the rule that breaks with the fewest parameters set, then the first named. */
function bruteForce(family: AnyFamily, arch: Arch, where?: string) {
  const names = Object.keys(family.parameters);
  const rules = rulesOf(family, undefined, { arch, ...(where !== undefined && { where }) });
  const points = new Map(
    product(family).map((point) => [JSON.stringify(canonical(family, point)), canonical(family, point)]),
  );
  const rejected: Record<string, number> = Object.fromEntries(rules.map(({ name }) => [name, 0]));
  const legal: Values[] = [];
  for (const point of points.values()) {
    const broken = rules
      .filter((rule) => !rule.holds(point))
      .map((rule) => ({ rule, depth: Math.max(...rule.on.map((name) => names.indexOf(name))) }))
      .sort((a, b) => a.depth - b.depth)[0];
    if (broken) rejected[broken.rule.name] = (rejected[broken.rule.name] ?? 0) + 1;
    else legal.push(point);
  }
  return { points: points.size, legal, rejected };
}

describe('enumerate', () => {
  it.each([defaultArch, oldArch])(
    'counts what brute force counts, and finds the same points, on $name',
    (arch) => {
      const expected = bruteForce(toyFamily, arch);
      const { points, legal, rejected, variants } = enumerate(toyFamily, { arch });
      expect({ points, legal, rejected }).toEqual({
        points: expected.points,
        legal: expected.legal.length,
        rejected: expected.rejected,
      });
      expect(variants.map(({ parameters }) => parameters)).toEqual(expected.legal);
    },
  );

  it('counts what a condition removes under its own name', () => {
    const where = 'tileN * 2 > block && path != "naive"';
    const expected = bruteForce(toyFamily, defaultArch, where);
    const { points, legal, rejected } = enumerate(toyFamily, { arch: defaultArch, where });
    expect({ points, legal, rejected }).toEqual({
      points: expected.points,
      legal: expected.legal.length,
      rejected: expected.rejected,
    });
  });

  it('adds up: every point is legal or counted once', () => {
    for (const preset of [undefined, 'quick', 'full', 'odd', 'deep']) {
      const options = { arch: oldArch, where: 'block >= 64', ...(preset !== undefined && { preset }) };
      const { points, legal, rejected } = enumerate(toyFamily, options);
      expect(legal + Object.values(rejected).reduce((a, b) => a + b, 0)).toBe(points);
    }
  });

  it('does not count other values of an inactive parameter', () => {
    const { variants, points } = enumerate(toyFamily, { arch: defaultArch });
    // 9 combinations of block and tileN, each: naive, simt, and mma with 1 stage or 3 deeper ones, swizzled or not.
    expect(points).toBe(9 * (1 + 1 + 1 + 3 * 2));
    expect(variants.filter(({ parameters }) => parameters.path === 'naive')).toSatisfy(
      (naive: typeof variants) =>
        naive.every(({ parameters }) => parameters.stages === 1 && parameters.swizzle === false),
    );
  });

  it("applies a preset's values only where the parameter is active", () => {
    const { variants } = enumerate(toyFamily, { arch: defaultArch, preset: 'deep' });
    const stages = (path: string) =>
      new Set(variants.filter(({ parameters }) => parameters.path === path).map((v) => v.parameters.stages));
    expect(stages('mma')).toEqual(new Set([3, 4]));
    expect(stages('simt')).toEqual(new Set([1]));
  });

  it('takes points in any of several parts, and descends into no other', () => {
    const parts = [
      { path: ['naive'], stages: [4] },
      { path: ['mma'], block: [64], tileN: [32, 64], stages: [2] },
      { path: ['mma'], block: [128], stages: [2, 3], swizzle: [true] },
    ];
    const family = { ...toyFamily, presets: { some: { doc: 'Three parts.', where: parts, workloads: [] } } };
    const { variants, points, legal, rejected } = enumerate(family, { arch: defaultArch, preset: 'some' });
    const all = enumerate(toyFamily, { arch: defaultArch }).variants;
    const wanted = all.filter(
      ({ parameters: { path, block, tileN, stages, swizzle } }) =>
        path === 'naive' ||
        (path === 'mma' && block === 64 && tileN !== 128 && stages === 2) ||
        (path === 'mma' && block === 128 && (stages === 2 || stages === 3) && swizzle === true),
    );
    expect(variants).toEqual(wanted);
    expect(legal + Object.values(rejected).reduce((a, b) => a + b, 0)).toBe(points);
  });

  it('samples a preset and obeys the limit', () => {
    const quick = enumerate(toyFamily, { arch: defaultArch, preset: 'quick' });
    expect(quick.variants).toHaveLength(5);
    expect(quick.legal).toBeGreaterThan(5);
    expect(enumerate(toyFamily, { arch: defaultArch, preset: 'quick', limit: 3 }).variants).toHaveLength(3);
    expect(enumerate(toyFamily, { arch: defaultArch, limit: 0 }).variants).toEqual([]);
  });

  it('fills in what a variant needs', () => {
    const [variant] = enumerate(toyFamily, {
      arch: defaultArch,
      where: 'path == "mma" && stages == 2',
    }).variants;
    expect(variant).toEqual({
      family: 'toy-op',
      id: 'toy_op.mma.st2-439e',
      symbol: 'toy_op_mma_st2_439e',
      parameters: { path: 'mma', block: 32, tileN: 32, stages: 2, swizzle: false },
      active: ['path', 'block', 'tileN', 'stages', 'swizzle'],
      derived: { area: 1024 },
      budget: { threads: 128, sharedBytes: 0 },
      template: 'kernel.cu.hbs',
      deterministic: true,
    });
  });

  it('counts and samples a space of a million points, and does not make variants of them all', () => {
    const digit = { doc: 'A digit.', values: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] };
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const family = {
      ...toyFamily,
      parameters: Object.fromEntries(names.map((name) => [name, { label: name, ...digit }])),
      activations: [],
      derive: () => ({}),
      notSupported: () => undefined,
      constraints: [
        { name: 'sum', doc: '', on: ['a', 'b'], holds: (p: { a: number; b: number }) => p.a + p.b < 19 },
      ],
    } satisfies AnyFamily;
    const { points, legal, variants } = enumerate(family, { limit: 100 });
    expect({ points, legal }).toEqual({ points: 1_000_000, legal: 1_000_000 });
    expect(new Set(variants.map(({ parameters }) => parameters.f)).size).toBe(10);
    expect(() => enumerate(family, {})).toThrow(
      'toy-op has 1000000 legal variants; ask for at most 500000: by a preset (quick, full, odd, deep), --where or --limit',
    );
  });

  it('gives every variant another id', () => {
    const ids = enumerate(toyFamily, {}).variants.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain(
      idOf(toyFamily, { path: 'naive', block: 64, tileN: 32, stages: 1, swizzle: false }),
    );
  });

  it.each([
    [
      'an unknown preset',
      toyFamily,
      { preset: 'quik' },
      /toy-op has no preset 'quik'.*quick, full.*did you mean 'quick'/,
    ],
    [
      'a preset that every object has by nature',
      toyFamily,
      { preset: 'constructor' },
      /toy-op has no preset 'constructor': it has quick, full/,
    ],
    [
      'a rule that reads what it did not declare',
      {
        ...toyFamily,
        constraints: [{ name: 'sly', doc: '', on: ['block'], holds: (p: { tileN: number }) => p.tileN > 1 }],
      } as AnyFamily,
      {},
      /sly reads 'tileN', which is not among what it may: block/,
    ],
  ])('refuses %s', (_, family, options, message) => {
    expect(() => enumerate(family, { arch: defaultArch, ...options })).toThrow(message);
  });
});

describe('whyEmpty', () => {
  const told = (options: Parameters<typeof enumerate>[1]) => {
    const { variants, ...counts } = enumerate(toyFamily, options);
    expect(variants).toEqual([]);
    return whyEmpty(toyFamily, options, counts);
  };

  it('names the constraints that leave nothing, the busiest first', () => {
    expect(told({ arch: oldArch, where: "path == 'mma' && block == 128 && tileN == 128" })).toBe(
      'no point of --where is legal on sm_70: ruled out by shared-memory 4, not-supported 3; `npx gen why toy-op <point>` explains one of them',
    );
  });

  it('says when no point is asked for at all', () => {
    expect(told({ preset: 'quick', where: 'block == 32' })).toBe('no point fulfils preset quick and --where');
  });
});
