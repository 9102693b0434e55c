import { compare } from './score.ts';

/** For each thing to be served: who may serve it, and at what cost (1 = as good as the best). */
export type Servers = ReadonlyMap<string, number>;

/** Search nodes of a group of entries after which the exact answer is given up for the greedy one. */
const exactLimit = 200_000;

/**
 * The fewest servers such that every entry has one of its own among them; among equally few, the least total cost, then
 * the first by name. Exact while the search stays small, greedy beyond. Entries without servers are ignored.
 */
export function cover(entries: readonly Servers[]): string[] {
  return groups(entries.filter((entry) => entry.size > 0))
    .flatMap((group) => {
      const greedy = coverGreedily(group);
      return coverExactly(group, greedy) ?? greedy;
    })
    .toSorted(compare);
}

/** Entries that have servers in common, directly or by way of others. The search grows with the largest group, not with all. */
function groups(entries: readonly Servers[]): Servers[][] {
  return entries.reduce<Servers[][]>((all, entry) => {
    const near = all.filter((group) =>
      group.some((other) => [...entry.keys()].some((name) => other.has(name))),
    );
    return [...all.filter((group) => !near.includes(group)), [...near.flat(), entry]];
  }, []);
}

/** Takes, again and again, whoever serves the most of what is left. */
function coverGreedily(entries: readonly Servers[]): string[] {
  const chosen: string[] = [];
  let left = entries;
  while (left.length > 0) {
    const next = names(left)
      .map((name) => ({ name, served: left.filter((entry) => entry.has(name)), cost: total(left, [name]) }))
      .toSorted((a, b) => b.served.length - a.served.length || a.cost - b.cost || compare(a.name, b.name))[0];
    if (!next) break;
    chosen.push(next.name);
    left = left.filter((entry) => !entry.has(next.name));
  }
  return chosen;
}

/** Branch and bound: some server of the entry with the fewest must be in. Undefined when the search grows too large. */
function coverExactly(entries: readonly Servers[], bound: readonly string[]): string[] | undefined {
  let best = bound.toSorted(compare);
  let bestCost = total(entries, best);
  let nodes = 0;
  const visit = (chosen: readonly string[], left: readonly Servers[]): boolean => {
    if (++nodes > exactLimit) return false;
    const [tightest] = left.toSorted((a, b) => a.size - b.size);
    if (!tightest) {
      const candidate = chosen.toSorted(compare);
      const cost = total(entries, candidate);
      if (isBetter(candidate, cost, best, bestCost)) [best, bestCost] = [candidate, cost];
      return true;
    }
    if (chosen.length >= best.length) return true;
    return [...tightest.keys()].toSorted(compare).every((name) =>
      visit(
        [...chosen, name],
        left.filter((entry) => !entry.has(name)),
      ),
    );
  };
  return visit([], entries) ? best : undefined;
}

function isBetter(a: readonly string[], costA: number, b: readonly string[], costB: number): boolean {
  if (a.length !== b.length) return a.length < b.length;
  if (Math.abs(costA - costB) > 1e-12) return costA < costB;
  return compare(a.join(), b.join()) < 0;
}

/** Sum over entries of the cheapest chosen server's cost. */
function total(entries: readonly Servers[], chosen: readonly string[]): number {
  return entries.reduce((sum, entry) => {
    const costs = chosen.flatMap((name) => entry.get(name) ?? []);
    return costs.length > 0 ? sum + Math.min(...costs) : sum;
  }, 0);
}

function names(entries: readonly Servers[]): string[] {
  return [...new Set(entries.flatMap((entry) => [...entry.keys()]))].toSorted(compare);
}
