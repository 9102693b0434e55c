import { costOf } from '../model/costs.ts';
import type { Costs } from '../model/wisdom.ts';
import { groupBy } from '../util/group-by.ts';

/** A time of a variant, with the parts that a family's cost model gives it. */
export interface TimedParts {
  readonly variant: string;
  /** Groups of the variant, the largest first. */
  readonly groups: readonly string[];
  readonly parts: readonly number[];
  readonly seconds: number;
}

/** Times that the nominal rates, and the weights of the group before, count as. */
const nominalCount = 5;
const groupCount = 20;
/** Times that a factor of 1 counts as. */
const factorCount = 1;
/** Rounds in which times that are far off come to count less, and the share by which a time is not far off. */
const rounds = 5;
const nearby = 0.1;
/** The least mean share of the time for which a part counts, so that one that hardly occurs keeps the weight that it has. */
const leastShare = 1e-3;

/**
 * Weights by group and factors by variant whose relative errors are small. None is negative. A group's are drawn towards those of the
 * group before, the first towards nominal rates: few times move them little.
 */
export function fitCosts(times: readonly TimedParts[]): Pick<Costs, 'weights' | 'factors'> {
  const weights = fitWeights(times);
  const byVariant = groupBy(times, ({ variant }) => variant);
  const factors = [...byVariant].map(([variant, own]) => [variant, round(factorOf(own, weights))] as const);
  return {
    weights: Object.fromEntries([...weights].map(([name, all]) => [name, all.map(round)])),
    factors: Object.fromEntries(factors.toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function fitWeights(times: readonly TimedParts[]): ReadonlyMap<string, readonly number[]> {
  const weights = new Map<string, readonly number[]>();
  const depth = Math.max(0, ...times.map(({ groups }) => groups.length));
  for (let level = 0; level < depth; level++) {
    const groups = groupBy(times, ({ groups }) => groups[level]);
    for (const [name, own] of groups) {
      const [first] = own;
      if (name === undefined || !first) continue;
      const before = weights.get(first.groups[level - 1] ?? '');
      const prior = before ?? first.parts.map(() => 1);
      weights.set(name, fitGroup(own, prior, before ? groupCount : nominalCount));
    }
  }
  return weights;
}

function factorOf(times: readonly TimedParts[], weights: ReadonlyMap<string, readonly number[]>): number {
  const errors = times.map(({ groups, parts, seconds }) => {
    const own = weights.get(groups.at(-1) ?? '');
    return own ? Math.log(seconds / costOf(own, parts)) : 0;
  });
  return Math.exp(errors.reduce((sum, error) => sum + error, 0) / (errors.length + factorCount));
}

/** Least squares of relative errors, those of far-off times by their root. */
function fitGroup(times: readonly TimedParts[], prior: readonly number[], count: number): readonly number[] {
  const shares = times.map(({ parts, seconds }) => parts.map((part) => part / seconds));
  const means = prior.map(
    (_, part) => shares.reduce((sum, share) => sum + (share[part] ?? 0), 0) / shares.length,
  );
  const scales = means.map((mean) => Math.max(mean, leastShare / prior.length));
  const rows = shares.map((share) => share.map((one, part) => one / (scales[part] ?? 1)));
  const target = prior.map((weight, part) => weight * (scales[part] ?? 1));
  let solution = target;
  let trust: readonly number[] = rows.map(() => 1);
  for (let turn = 0; turn < rounds; turn++) {
    solution = solve(rows, trust, target, count);
    trust = rows.map((row) => 1 / Math.max(nearby, Math.abs(costOf(solution, row) - 1)));
  }
  return solution.map((value, part) => value / (scales[part] ?? 1));
}

/** Least sum of trust * (row x - 1)^2 + count * |x - target|^2 with x of no negative number, by coordinate descent. */
function solve(
  rows: readonly (readonly number[])[],
  trust: readonly number[],
  target: readonly number[],
  count: number,
): number[] {
  const { matrix, right } = normalEquations(rows, trust, target, count);
  const solution = target.map((wanted) => Math.max(0, wanted));
  for (let sweep = 0; sweep < 2000; sweep++) {
    let moved = 0;
    for (const [i, row] of matrix.entries()) {
      const old = solution[i] ?? 0;
      const next = Math.max(0, old + ((right[i] ?? 0) - costOf(row, solution)) / (row[i] ?? 1));
      solution[i] = next;
      moved = Math.max(moved, Math.abs(next - old));
    }
    if (moved < 1e-9) break;
  }
  return solution;
}

function normalEquations(
  rows: readonly (readonly number[])[],
  trust: readonly number[],
  target: readonly number[],
  count: number,
) {
  const matrix = target.map((_, i) => target.map((_, j) => (i === j ? count : 0)));
  const right = target.map((wanted) => count * wanted);
  for (const [index, row] of rows.entries()) {
    const weight = trust[index] ?? 0;
    for (const [i, value] of row.entries()) {
      const line = matrix[i] ?? [];
      right[i] = (right[i] ?? 0) + weight * value;
      for (let j = 0; j < line.length; j++) line[j] = (line[j] ?? 0) + weight * value * (row[j] ?? 0);
    }
  }
  return { matrix, right };
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}
