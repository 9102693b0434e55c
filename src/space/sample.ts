/** Fractional part of the golden ratio: its multiples fall as evenly as can be into any unit interval. */
const goldenFraction = (Math.sqrt(5) - 1) / 2;

/**
 * Indices of `wanted` out of `total` items, one from each of `wanted` equal stretches, ascending. Within its stretch an
 * item's place moves by the golden ratio: a fixed step would share a factor with the inner parameters' number of values
 * and so pick the same inner values every time. The same arguments always give the same indices.
 */
export function evenlySpaced(total: number, wanted: number): number[] {
  if (wanted >= total) return Array.from({ length: total }, (_, index) => index);
  return Array.from({ length: wanted }, (_, stretch) => {
    const start = Math.floor((stretch * total) / wanted);
    const end = Math.floor(((stretch + 1) * total) / wanted);
    return start + Math.floor(((stretch * goldenFraction) % 1) * (end - start));
  });
}
