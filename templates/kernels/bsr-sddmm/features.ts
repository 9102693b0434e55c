/** Choice of the stored blocks in a workload; read by tw/bsr.hpp, which documents each kind. */
export type Pattern =
  | { readonly kind: 'random'; readonly density: number }
  | { readonly kind: 'banded'; readonly width: number }
  | { readonly kind: 'block-diagonal'; readonly size: number };

/** Share of the blocks that are stored, of `columns` in a block row; banded ones without what the edges cut off. */
function densityOf(pattern: Pattern, columns: number): number {
  if (pattern.kind === 'random') return pattern.density;
  const length = pattern.kind === 'banded' ? 2 * pattern.width + 1 : pattern.size;
  return Math.min(1, length / columns);
}

/** Numbers by which dispatch compares calls with a workload; features.hpp has them of calls. Random rows: the expectation. */
export function patternFeatures(pattern: Pattern, columns: number) {
  const density = densityOf(pattern, columns);
  const unevenness = pattern.kind === 'random' ? 1 + (1 - density) / (density * columns) : 1;
  return { density, unevenness };
}
