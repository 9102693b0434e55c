import type { Point } from './parameters.ts';
import type { Layout, Pattern, Problem } from './workloads.ts';

/** Choices of the operation that are made when a kernel is rendered, beside types and block: all its problems have them. */
export function fixedChoices(point: Point): Partial<Problem> {
  if (!['general', 'wgmma', 'multirow'].includes(point.path)) return {};
  const { input, layoutB, layoutC, transposeA, ffma } = point;
  return {
    ...{ layoutB, layoutC },
    ...(transposeA && { transposeA: 'yes' }),
    ...(input === 'f32' && !ffma && { tf32: 'yes' }),
  };
}

/** Elements behind a line of `layout` where `n` columns leave a multiple of 8, and 8 more. */
export function spare(layout: Layout, n: number): number {
  return 8 + (layout === 'row' ? (8 - (n % 8)) % 8 : 0);
}

/** The pattern of A where op(A), its transpose, has rows of so many blocks, in its first columns. */
export function transposedRows(counts: readonly number[]): Pattern {
  const rows = Array.from({ length: Math.max(...counts) + 1 }, (_, row) =>
    counts.flatMap((count, column) => (row < count ? [column] : [])),
  );
  const ends = rows.map((_, row) => rows.slice(0, row + 1).flat().length);
  return { kind: 'explicit', rowPtr: [0, ...ends], colIdx: rows.flat() };
}
