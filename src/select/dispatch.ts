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

/** Distance of a timed workload that is the call's own but for its pattern's numbers: 5 % in all. */
const own = 0.05;

/** Of another one the variant is not taken where the model expects so many times the seconds of its fastest: a tile's width may lie between. */
const slow = 1.5;

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
 * model whose weights are known: those of timed workloads that are as good as the call's own, unless it expects much more of them than of
 * others, then those that serve it by the model's seconds. Then those of the nearest workloads, then the rest in the library's order,
 * fallbacks last. As `rank` of the emitted `runtime.cpp` has it, which this is to agree with. `shipped`: the library's variants.
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
  const ids = new Set(variants);
  const timed = timings.flatMap(({ features, times }) => {
    const known = Object.entries(times).filter(([id]) => ids.has(id));
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
    const expected = costs ? byCost(family, costs, shipped, call) : [];
    const isSlow = ({ variant, away }: Near & { readonly away: number }) =>
      away > own && secondsOf(expected, variant) > slow * (expected[0]?.seconds ?? 0);
    const asGood = costs ? nearest.filter((near) => near.timed && near.away <= same && !isSlow(near)) : [];
    return [...new Set([...asGood, ...expected, ...nearest].map(({ variant }) => variant).concat(rest))];
  };
}

/** A variant by the seconds that the model expects of a call. */
interface Expected {
  readonly variant: string;
  readonly seconds: number;
}

/** 0 where the model knows nothing of the variant. */
function secondsOf(expected: readonly Expected[], id: string): number {
  return expected.find(({ variant }) => variant === id)?.seconds ?? 0;
}

/** The variants that serve a call and whose time the model knows, the shortest first. */
function byCost(
  family: AnyFamily,
  costs: NonNullable<Selection['costs']>,
  shipped: readonly Pick<Variant, 'id' | 'parameters'>[],
  call: Workload,
): Expected[] {
  return shipped
    .filter(({ parameters }) => isCandidate(family, parameters, call))
    .map((variant) => ({ variant: variant.id, seconds: expectedSeconds(family, costs, variant, call) }))
    .toSorted((a, b) => a.seconds - b.seconds);
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
