import { expect, test } from 'vitest';
import { emulatedIds } from '../../../src/emit/twin.ts';
import type { AnyFamily } from '../../../src/model/family.ts';
import { variantOf } from '../../../src/space/variant.ts';
import { toyFamily } from '../../helpers/toy-family.ts';

/** Two variants of each path, which has a template of its own and serves the given values alone. */
function held(serves: Record<string, Record<string, (string | number)[]>>, fallbacks: readonly string[]) {
  const family: AnyFamily = {
    ...toyFamily,
    template: ({ path }) => `${path}.cu.hbs`,
    serves: ({ path }) => serves[String(path)] ?? {},
  };
  const variants = Object.keys(serves).flatMap((path) =>
    [32, 64].map((tileN) => variantOf(family, { path, block: 64, tileN, stages: 1, swizzle: false })),
  );
  const ids = (path: string) =>
    variants.filter(({ parameters }) => parameters.path === path).map(({ id }) => id);
  const kept = emulatedIds(family, variants, fallbacks.flatMap(ids));
  return Object.fromEntries(
    Object.keys(serves).map((path) => [path, ids(path).map((id) => kept.has(id))] as const),
  );
}

const both = { input: ['f16', 'bf16'] };
const half = { input: ['f16'] };

test('the emulated library holds the first of each kind where a fallback serves what the others serve', () => {
  expect(held({ mma: half, naive: both }, ['naive'])).toEqual({ mma: [true, false], naive: [true, true] });
});

test('it holds all of a kind whose values, or sizes, no fallback of another kind serves', () => {
  const all = [true, true];
  expect(held({ mma: both, naive: half }, ['naive'])).toEqual({ mma: all, naive: all });
  expect(held({ mma: half, naive: both }, [])).toEqual({ mma: all, naive: all });
  expect(held({ mma: half, naive: { ...both, n: [64] } }, ['naive'])).toEqual({ mma: all, naive: all });
  expect(held({ mma: { ...half, n: [64] }, naive: { ...both, n: [64] } }, ['naive']).mma).toEqual([
    true,
    false,
  ]);
});
