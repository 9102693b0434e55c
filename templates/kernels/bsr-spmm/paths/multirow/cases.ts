import type { Point } from '../../parameters.ts';
import type { RowsCase } from '../../rows-case.ts';
import type { Pattern } from '../../workloads.ts';

/** Block columns of A: five steps of 64 rows of B. */
const columns = 20;

/** Block rows of these columns each. */
function rowsOf(rows: readonly (readonly number[])[]): Pattern {
  const ends = rows.map((_, row) => rows.slice(0, row + 1).flat().length);
  return { kind: 'explicit', rowPtr: [0, ...ends], colIdx: rows.flat() };
}

/** So many of the last columns. */
function lastColumns(count: number): number[] {
  return Array.from({ length: count }, (_, i) => columns - count + i);
}

/** Cases that only tiles of several block rows need: more than two of them, each with steps of its own, the last one not whole. */
export function multirowCases({ block, blockRows, tileN }: Point): readonly RowsCase[] {
  const places = Array.from({ length: 2 * blockRows + 3 }, (_, row) => row);
  const ofRows = (rows: readonly (readonly number[])[]) =>
    ({ k: columns * block, pattern: rowsOf(rows), values: 'integers' }) as const;
  const lengths = [12, 0, 1, 5, 2];
  return [
    {
      id: 'many-tiles',
      tier: 'structures',
      counts: places,
      // Two tiles of columns, in whole panels of 64.
      problem: {
        ...ofRows(places.map((row) => lastColumns(lengths[row % lengths.length] ?? 0))),
        ...{ n: 2 * tileN, alpha: 3, beta: 1 },
      },
      options: { launches: 2 },
    },
    // The first tile has the first step, the next one the last, and one has none.
    {
      id: 'other-steps',
      tier: 'structures',
      counts: places,
      problem: {
        ...ofRows(places.map((row) => (row === 0 ? [0] : lastColumns(Math.floor(row / blockRows) % 2)))),
        n: tileN / 2,
      },
    },
  ];
}
