import { UsageError } from '../errors.ts';
import type { ArgumentDescription, ToleranceDescription } from './description.ts';
import { evaluate, type Sizes } from './expression.ts';
import type { ElementType } from './signature.ts';

/** Words of a description by which an output is judged. */
export function judgementOf(
  { tolerance, unspecified = false }: Extract<ArgumentDescription, { tolerance?: unknown }>,
  role: string,
  where: string,
) {
  if (unspecified && role !== 'out')
    throw new UsageError(`${where} has the role ${role}; only elements of an out may be unspecified`);
  return { ...(tolerance !== undefined && { tolerance }), ...(unspecified && { unspecified }) };
}

/** A few hundred roundings of the type; whole numbers are exact. */
const usualTolerances: Readonly<Partial<Record<ElementType, { relative: number; absolute: number }>>> = {
  f16: { relative: 4e-3, absolute: 4e-3 },
  bf16: { relative: 2e-2, absolute: 2e-2 },
  f32: { relative: 2e-5, absolute: 2e-5 },
  f64: { relative: 1e-12, absolute: 1e-12 },
};

/** Distance of 1 and the next number, and the least number: IEEE 754, and bfloat16 with the exponents of f32. */
const units: Readonly<Partial<Record<ElementType, readonly [epsilon: number, least: number]>>> = {
  f16: [2 ** -10, 2 ** -24],
  bf16: [2 ** -7, 2 ** -133],
  f32: [2 ** -23, 2 ** -149],
  f64: [2 ** -52, 2 ** -1074],
};

/** Allowed distance from the reference, as harness/check/problem.hpp reads it; absent: none. */
export function toleranceJson(
  given: ToleranceDescription | undefined,
  type: ElementType,
  sizes: Sizes,
  yardsticks: readonly (string | undefined)[],
): object {
  if (given === undefined) return { ...usualTolerances[type], usual: true };
  if (given === 'exact') return {};
  if (typeof given === 'number') return { relative: given, absolute: given };
  if ('times' in given)
    return {
      ...{ times: given.times, yardstick: yardsticks.indexOf(given.of) },
      absolute: given.absolute ?? 0,
    };
  if (!('ulps' in given)) return given;
  const count = given.ulps * evaluate(given.depth ?? 1, sizes);
  const [epsilon, least] = units[type] ?? [0, 1];
  return { relative: count * epsilon, absolute: count * least + (given.absolute ?? 0) };
}
