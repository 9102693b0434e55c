type Lists = Readonly<Record<string, readonly unknown[]>>;

/** One value of each list, by its name. */
type Combination<L extends Lists> = { readonly [K in keyof L]: L[K][number] };

/** Every combination of a value of each list, in the order of nested loops: the last list is the innermost. */
export function combinations<const L extends Lists>(lists: L): readonly Combination<L>[] {
  return Object.entries(lists).reduce<readonly object[]>(
    (all, [name, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  ) as readonly Combination<L>[];
}
