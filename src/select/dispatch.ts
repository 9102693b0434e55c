import { expectedSeconds } from '../model/costs.ts';
import { type AnyFamily, isCandidate } from '../model/family.ts';
import { featuresOf } from '../model/features.ts';
import { askedValues } from '../model/operation.ts';
import type { Selection } from '../model/selection.ts';
import type { Variant } from '../model/variant.ts';
import type { Workload } from '../model/workload.ts';

/** Distance by which one operation value that differs makes a workload less near: as far as twice the size. */
const otherValue = Math.log(2);

/** Distance of a timed workload within which its variant is as good as the call's own: half an octave. */
const same = Math.log(2) / 2;

/** Distance between a number that is positive and one that is not. */
const far = 1000;

type Features = Readonly<Record<string, number>>;

/** Variant that a library has near some place. */
interface Near {
  readonly variant: string;
  readonly features: Features;
  /** By times, not by a guess. */
  readonly timed: boolean;
  /** Operation values by choice; absent where only sizes are known. */
  readonly values?: Readonly<Record<string, string>>;
}

/**
 * For calls, given as workloads, the ids of a library's variants in the order in which it offers them. Where the family has a cost
 * model whose weights are known: those of timed workloads that are as good as the call's own, then those that serve it by the model's
 * seconds. Then those of the nearest workloads, then the rest in the library's order, fallbacks last. As `rank` of the emitted
 * `runtime.cpp` has it, which this is to agree with. `shipped`: the library's variants.
 */
export function dispatchOrder(
  family: AnyFamily,
  { variants, fallbacks, choices, timings = [], costs }: Selection,
  shipped: readonly Pick<Variant, 'id' | 'parameters'>[] = [],
): (call: Workload) => readonly string[] {
  const placeOf = (workload: Workload) => ({
    features: featuresOf(family, workload),
    values: askedValues(family.operation, workload.problem),
  });
  const chosen = choices
    .filter(({ alone }) => !alone)
    .map(({ workload: id, problem, variant, median }) => {
      return { variant, timed: median !== undefined, ...placeOf({ id, problem }) };
    });
  const own = new Set(variants);
  const timed = timings.flatMap(({ features, times }) => {
    const known = Object.entries(times).filter(([id]) => own.has(id));
    const [fastest] = known.toSorted(([, a], [, b]) => a - b);
    return fastest ? [{ variant: fastest[0], features, timed: true }] : [];
  });
  const all: readonly Near[] = [...chosen, ...timed];
  const rest = [...variants.filter((id) => !fallbacks.includes(id)), ...variants];
  return (call) => {
    const { features, values } = placeOf(call);
    const away = ({ values: other = values, ...near }: Near) =>
      distance(features, near.features) +
      Object.keys(values).filter((name) => values[name] !== other[name]).length * otherValue;
    const nearest = all.map((near) => ({ ...near, away: away(near) })).toSorted((a, b) => a.away - b.away);
    const expected = costs
      ? [
          ...nearest.filter((near) => near.timed && near.away <= same).map(({ variant }) => variant),
          ...byCost(family, costs, shipped, call),
        ]
      : [];
    return [...new Set([...expected, ...nearest.map(({ variant }) => variant), ...rest])];
  };
}

/** Ids of the variants that serve a call and whose time the model knows, the shortest first. */
function byCost(
  family: AnyFamily,
  costs: NonNullable<Selection['costs']>,
  shipped: readonly Pick<Variant, 'id' | 'parameters'>[],
  call: Workload,
): string[] {
  return shipped
    .filter(({ parameters }) => isCandidate(family, parameters, call))
    .map((variant) => ({ id: variant.id, seconds: expectedSeconds(family, costs, variant, call) }))
    .toSorted((a, b) => a.seconds - b.seconds)
    .map(({ id }) => id);
}

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
