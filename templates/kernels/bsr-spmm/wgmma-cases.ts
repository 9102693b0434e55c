import type { GateCase } from '../../../src/model/workload.ts';
import type { Point } from './parameters.ts';
import type { Problem } from './workloads.ts';

/** A gate case on block rows of given lengths. */
export interface RowsCase {
  readonly id: string;
  readonly tier: number;
  readonly counts: readonly number[];
  readonly problem: Partial<Problem> & { readonly n: number };
  readonly options?: Pick<GateCase, 'launches' | 'multiprocessors' | 'refuses'>;
}

/**
 * What only the persistent path needs: several tiles per thread block, in columns that do not come round with the blocks, rows
 * longer than the 32 steps that the producer fetches at once, lists of more than 32 tiles, rows in parts, and the limits of TMA.
 */
export function wgmmaCases(point: Point, depth: 'quick' | 'full'): readonly RowsCase[] {
  const { block, tileN, cluster, split } = point;
  const wide = tileN * cluster;
  const lengths =
    block === 32
      ? [3, 1, 0, 2, 1, 1, 4, 0, 1, 2, 1]
      : block === 64
        ? [2, 0, 1, 1, 3, 0, 1, 1, 2]
        : [1, 0, 2, 1, 0, 1];
  const cases: RowsCase[] = [
    {
      id: 'many-tiles',
      tier: 3,
      counts: lengths,
      problem: { n: 2 * wide + 64, values: 'integers' },
      options: { launches: 2, multiprocessors: 4 },
    },
    ...scalars(point),
  ];
  if (point.schedule === 'static') {
    // One list of more than the 32 tiles whose records a warp reads at a time, and of more than twice as many.
    const rows = 66 * (point.role === 'rows' ? point.consumers : 1);
    cases.push({
      id: 'long-list',
      tier: 3,
      counts: Array.from({ length: rows }, (_, row) => (row % 16 === 2 || row === rows - 1 ? 1 : 0)),
      problem: { n: 64, values: 'integers' },
      options: { multiprocessors: cluster },
    });
  }
  if (block === 32 || depth === 'full') {
    cases.push({ id: 'long-rows', tier: 3, counts: [33, 1, 70, 32], problem: { n: Math.min(tileN, 256) } });
  }
  if (split > 0 && (split === 8 || block === 32 || depth === 'full')) {
    const counts = [3 * split + 2, 1, split + 1, split];
    cases.push({
      id: 'parts',
      tier: 3,
      counts,
      problem: { n: Math.min(wide, 256) + 8 },
      options: { launches: 2 },
    });
  }
  return cases;
}

/** N and ldc that are odd, and C off its alignment by one element: what the epilogue refuses, and why. */
function oddN(tileN: number, refuses: string): RowsCase {
  const problem = { n: tileN - 3, ldbExtra: 3, ldcExtra: 3 };
  return { id: 'odd-n', tier: 5, counts: [1], problem, options: { refuses } };
}
function oddC(refuses: string): RowsCase {
  return { id: 'odd-c', tier: 5, counts: [1], problem: { n: 64, offsetC: 1 }, options: { refuses } };
}

/** Tier 5: ragged N, padded rows, alpha and beta; what TMA cannot do is refused. */
function scalars({ tileN, epilogue, block }: Point): RowsCase[] {
  const ragged = { alpha: -1.5, offsetB: 8, values: 'normal' } as const;
  if (epilogue === 'direct') {
    const odd = block === 32;
    const n = tileN - (odd ? 3 : 2);
    const c = odd ? { ldcExtra: 5, offsetC: 1 } : { ldcExtra: 6, offsetC: 2 };
    return [
      {
        id: 'ragged',
        tier: 5,
        counts: [1, 0],
        problem: { ...ragged, ...c, n, ldbExtra: tileN + 8 - n, beta: 1 },
      },
      { id: 'beta', tier: 5, counts: [1, 0], problem: { n: tileN / 2, beta: -1.5, ldcExtra: 8 } },
      ...(odd ? [] : [oddN(tileN, 'n and ldc must be even'), oddC('aligned to two elements')]),
    ];
  }
  const n = tileN - 8;
  return [
    {
      id: 'ragged',
      tier: 5,
      counts: [1, 0],
      problem: { ...ragged, n, ldbExtra: 16, ldcExtra: 24, offsetC: 8 },
    },
    oddN(tileN, 'n must be a multiple'),
    { id: 'narrow', tier: 5, counts: [1, 0, 1], problem: { n: 8, ldbExtra: 8 } },
    { id: 'beta', tier: 5, counts: [1], problem: { n: tileN / 2, beta: 1 }, options: { refuses: 'beta' } },
    { id: 'odd-ldc', tier: 5, counts: [1], problem: { n: 64, ldcExtra: 4 }, options: { refuses: 'ldc' } },
    oddC('16-byte'),
  ];
}
