import { expect, test } from 'vitest';
import { emulatedIds } from '../../../src/emit/twin.ts';
import type { AnyFamily } from '../../../src/model/family.ts';
import { variantOf } from '../../../src/space/variant.ts';
import { toyFamily } from '../../helpers/toy-family.ts';

interface Asked {
  /** Values that each path's variants serve. A path has a template of its own and two variants. */
  readonly serves: Readonly<Record<string, Record<string, (string | number)[]>>>;
  readonly fallbacks?: readonly string[];
  /** Paths whose variants are all chosen for some workload; default: none. */
  readonly chosen?: readonly string[];
  /** Paths whose variants are all chosen for some comparison; default: none. */
  readonly compared?: readonly string[];
  readonly accuracy?: NonNullable<AnyFamily['accuracy']>;
}

/** By path, which of its two variants is held. */
function held({ serves, fallbacks = [], chosen = [], compared = [], accuracy }: Asked) {
  const family: AnyFamily = {
    ...toyFamily,
    template: ({ path }) => `${path}.cu.hbs`,
    serves: ({ path }) => serves[String(path)] ?? {},
    comparisons: compared.map((path) => ({ id: `beside ${path}`, problem: {} })),
    ...(accuracy && { accuracy }),
  };
  const paths = Object.keys(serves);
  const variants = paths.flatMap((path) =>
    [32, 64].map((tileN) => variantOf(family, { path, block: 64, tileN, stages: 1, swizzle: false })),
  );
  const ids = (path: string) =>
    variants.filter(({ parameters }) => parameters.path === path).map(({ id }) => id);
  const choice = (id: string, workload = id) => ({ workload, problem: {}, winner: id, variant: id });
  const choices = [
    ...chosen.flatMap(ids).map((id) => choice(id)),
    ...compared.flatMap((path) => ids(path).map((id) => choice(id, `beside ${path}`))),
  ];
  const kept = emulatedIds(family, variants, { choices, fallbacks: fallbacks.flatMap(ids) });
  return Object.fromEntries(paths.map((path) => [path, ids(path).map((id) => kept.has(id))]));
}

const both = { input: ['f16', 'bf16'] };
const half = { input: ['f16'] };
const [all, first, last, none] = [
  [true, true],
  [true, false],
  [false, true],
  [false, false],
];

test('the emulated library holds the first of each kind that is chosen for workloads', () => {
  const serves = { simt: half, mma: half, naive: both };
  expect(held({ serves, chosen: ['mma'], fallbacks: ['naive'] })).toEqual({
    simt: none,
    mma: first,
    naive: last,
  });
});

test('of variants that are chosen for comparisons it holds those that show a template, or a value on it', () => {
  const serves = { simt: half, mma: half, naive: both };
  const fallbacks = ['naive'];
  expect(held({ serves, compared: ['mma'], fallbacks })).toEqual({ simt: none, mma: first, naive: last });
  expect(held({ serves, chosen: ['mma'], compared: ['naive', 'simt'], fallbacks })).toEqual({
    simt: first,
    mma: first,
    naive: last,
  });
});

test('of fallbacks it holds the most general that serves what others serve', () => {
  const serves = { simt: half, mma: half, naive: both };
  expect(held({ serves, fallbacks: ['simt', 'mma', 'naive'] })).toEqual({
    simt: none,
    mma: none,
    naive: last,
  });
  expect(held({ serves, fallbacks: ['naive', 'simt'] })).toEqual({ simt: last, mma: none, naive: last });
});

test('it holds all whose values, or sizes, no fallback serves', () => {
  const fallbacks = ['naive'];
  expect(held({ serves: { mma: both, naive: half }, fallbacks })).toEqual({ mma: all, naive: last });
  expect(held({ serves: { mma: half, naive: both } })).toEqual({ mma: all, naive: all });
  const naive = { ...both, n: [64] };
  expect(held({ serves: { mma: half, naive }, fallbacks })).toEqual({ mma: all, naive: last });
  expect(held({ serves: { mma: { ...half, n: [64] }, naive }, fallbacks }).mma).toEqual(none);
});

test('no less accurate fallback stands for a variant', () => {
  const serves = { mma: half, naive: both };
  const accuracy = ({ path }: { readonly [name: string]: unknown }) => (path === 'naive' ? 1 : 0);
  expect(held({ serves, fallbacks: ['naive'], accuracy })).toEqual({ mma: all, naive: last });
});
