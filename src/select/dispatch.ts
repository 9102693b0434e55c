import type { AnyFamily } from '../model/family.ts';
import { featuresOf } from '../model/features.ts';
import { askedValues } from '../model/operation.ts';
import type { Selection } from '../model/selection.ts';
import type { Workload } from '../model/workload.ts';

/** Distance by which one operation value that differs makes a workload less near: as far as twice the size. */
const otherValue = Math.log(2);

/** Distance between a number that is positive and one that is not. */
const far = 1000;

/**
 * Ids of a library's variants in the order in which it offers them a call, given as a workload: those of the nearest workloads
 * first, then the rest in the library's order. As `rank` of the emitted `runtime.cpp` has it, which this is to agree with.
 */
export function dispatchOrder(
  family: AnyFamily,
  { variants, choices, timings = [] }: Selection,
  call: Workload,
): readonly string[] {
  const features = featuresOf(family, call);
  const values = askedValues(family.operation, call.problem);
  const shipped = new Set(variants);
  const chosen = choices.map(({ workload: id, problem, variant }) => {
    const asked = askedValues(family.operation, problem);
    const others = Object.keys(values).filter((name) => values[name] !== asked[name]).length;
    const away = distance(features, featuresOf(family, { id, problem })) + others * otherValue;
    return { away, variant };
  });
  const timed = timings.flatMap((timing) => {
    const own = Object.entries(timing.times).filter(([id]) => shipped.has(id));
    const [fastest] = own.toSorted(([, a], [, b]) => a - b);
    return fastest ? [{ away: distance(features, timing.features), variant: fastest[0] }] : [];
  });
  const nearest = [...chosen, ...timed].toSorted((a, b) => a.away - b.away).map(({ variant }) => variant);
  return [...new Set([...nearest, ...variants])];
}

type Features = Readonly<Record<string, number>>;

/** Sum over features of |ln(a/b)|, 0 for a feature that only one side has. */
function distance(call: Features, workload: Features): number {
  return Object.entries(call).reduce((sum, [name, number]) => {
    const other = workload[name];
    return other === undefined ? sum : sum + difference(number, other);
  }, 0);
}

function difference(a: number, b: number): number {
  if (a > 0 && b > 0) return Math.abs(Math.log(a / b));
  return a === b ? 0 : far;
}
