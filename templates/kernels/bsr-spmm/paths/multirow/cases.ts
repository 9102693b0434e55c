import type { Point } from '../../parameters.ts';
import type { RowsCase } from '../../rows-case.ts';

/** Cases that only tiles of several block rows need: more than two of them, each with steps of its own, the last one not whole. */
export function multirowCases({ block, blockRows, tileN }: Point): readonly RowsCase[] {
  const lengths = [12, 0, 1, 5, 2];
  const counts = Array.from({ length: 2 * blockRows + 3 }, (_, row) => lengths[row % lengths.length] ?? 0);
  return [
    {
      id: 'many-tiles',
      tier: 'structures',
      counts,
      // Two tiles of columns, in whole panels of 64.
      problem: { n: 2 * tileN, values: 'integers', alpha: 3, beta: 1 },
      options: { launches: 2 },
    },
    // One step, which is not the first rows of B.
    {
      id: 'last-step',
      tier: 'structures',
      counts: [1],
      problem: { k: 9 * block, n: tileN / 2, values: 'integers', pattern: { kind: 'last-block' } },
    },
    // Some tiles have no steps.
    {
      id: 'empty-tiles',
      tier: 'structures',
      counts: counts.map((_, row) => (row < blockRows || row === 2 * blockRows ? 0 : 1)),
      problem: { n: tileN / 2, values: 'integers' },
    },
  ];
}
