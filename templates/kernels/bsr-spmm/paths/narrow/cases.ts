import type { Point } from '../../parameters.ts';
import type { RowsCase } from '../../rows-case.ts';
import { slabsUnderWay } from './sizes.ts';

/**
 * Cases that only the path narrow needs: block rows of unlike lengths in one thread block, more products than it loads at once by all
 * that share a row, and tiles of several parts launched again, side by side in a batch.
 */
export function narrowCases(point: Point): readonly RowsCase[] {
  const { block, tileN, parts } = point;
  const slabs = slabsUnderWay(point);
  const long = Math.ceil((32 * (2 * slabs + 1)) / block);
  const problem = { n: tileN + 1, layoutB: 'column', layoutC: 'column' } as const;
  return [
    {
      id: 'unlike-rows',
      tier: 'structures',
      counts: block < 128 ? [long, 1, 0, 2, long + 1] : [long, 1, 0],
      problem: { ...problem, values: 'swing' },
    },
    ...(parts > 1
      ? [
          {
            id: 'parts',
            tier: 'repetition',
            counts: [long, 0, 1],
            problem: { ...problem, batch: 2, batched: 'yes', values: 'integers' },
            options: { launches: 3 },
          } as const,
        ]
      : []),
  ];
}
