/**
 * About `wanted` of the items, spread over their groups: each group in turn gives one until there are enough, and what a
 * group gives is evenly spaced over it. The same arguments always give the same items, in their order.
 */
export function spreadSample<T>(items: readonly T[], wanted: number, groupOf: (item: T) => string): T[] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groupOf(item);
    groups.set(group, [...(groups.get(group) ?? []), item]);
  }
  const shares = sharesOf(
    [...groups.values()].map(({ length }) => length),
    wanted,
  );
  const chosen = new Set([...groups.values()].flatMap((group, index) => evenly(group, shares[index] ?? 0)));
  return items.filter((item) => chosen.has(item));
}

/** Number of mutants from each group: equal shares; the others share what small groups cannot give. */
function sharesOf(sizes: readonly number[], wanted: number): number[] {
  const shares = sizes.map(() => 0);
  let left = Math.min(
    wanted,
    sizes.reduce((sum, size) => sum + size, 0),
  );
  while (left > 0) {
    for (const [index, size] of sizes.entries()) {
      if (left === 0 || (shares[index] ?? 0) >= size) continue;
      shares[index] = (shares[index] ?? 0) + 1;
      left--;
    }
  }
  return shares;
}

/** The middle item of each of `count` equal stretches. */
function evenly<T>(items: readonly T[], count: number): T[] {
  return Array.from({ length: count }, (_, stretch) => {
    const index = Math.floor(((stretch + 0.5) * items.length) / count);
    return items[index] as T;
  });
}

/** Items that differ most from `first` and from each other: each is the one farthest from those before it. */
export function farApart<T>(
  first: T,
  items: readonly T[],
  count: number,
  distance: (one: T, other: T) => number,
): T[] {
  const chosen: T[] = [];
  const nearest = (item: T) => Math.min(...[first, ...chosen].map((one) => distance(one, item)));
  while (chosen.length < Math.min(count, items.length)) {
    const left = items.filter((item) => !chosen.includes(item));
    chosen.push(left.reduce((best, item) => (nearest(item) > nearest(best) ? item : best)));
  }
  return chosen;
}
