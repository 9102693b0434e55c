import { half, roundUp } from '../../../src/model/family.ts';
import type { Shape } from './case-list.ts';
import { alignment, valueAlignment, vectorOfB } from './derive.ts';
import type { Point } from './parameters.ts';
import type { RowsCase } from './rows-case.ts';
import type { Layout } from './workloads.ts';

type Layouts = Readonly<Record<'layoutB' | 'layoutC', Layout>>;

/** Elements behind `width`: up to a multiple of what B is loaded by, and as many once more. */
function padding(point: Point, width: number): number {
  const unit = alignment(point);
  return roundUp(width, unit) - width + unit;
}

/** Pattern of every block. */
const dense = { kind: 'random', density: 1 } as const;

/**
 * All choices of the operation at once, each of which may forget another: products of a batch, indices of 64 bits, bias, residual and
 * activation. op(A) ends within a block, and C is square: what is a row's is not a column's. Transposed, A has two block columns instead.
 */
export function togetherProblem(point: Point, layouts: Layouts, transposed: boolean): Shape {
  const { block, path } = point;
  const [outer, n] = transposed ? [block + 3, 11] : [19, 19];
  const inner = path === 'narrow' ? 2 * block : 2 * block - 7;
  const [outerBlocks, innerBlocks] = [Math.ceil(outer / block), Math.ceil(inner / block)];
  const size = transposed
    ? ({ m: inner, k: outer, rows: innerBlocks, columns: outerBlocks, transposeA: 'yes' } as const)
    : { m: outer, k: inner, rows: outerBlocks, columns: innerBlocks };
  return {
    ...size,
    ...layouts,
    ...{ n, pattern: dense, values: 'integers', alpha: -1, beta: 1, activation: 'relu' },
    ...{ batch: 2, batched: 'yes', bias: 'yes', residual: 'yes', index: 'i64' },
    ...{ ldbExtra: padding(point, layouts.layoutB === 'row' ? n : inner), ldcExtra: 3, ldrExtra: 6 },
  };
}

/** Products of A, and then of B, apart by half of a vector. Right, or refused. */
export function oddBatchCases(point: Point, layouts: Layouts): readonly RowsCase[] {
  const n = 24;
  const problem = { ...layouts, n, ldbExtra: 8, batch: 2, batched: 'yes', values: 'integers' } as const;
  const refused = (elements: number) => (elements > 1 ? { options: { refuses: 'values_stride' } } : {});
  const base = { tier: 'edges', counts: [1] } as const;
  return [
    {
      id: 'odd-batch-a',
      ...base,
      problem: { ...problem, batchExtraA: half(valueAlignment(point)) },
      ...refused(valueAlignment(point)),
    },
    {
      id: 'odd-batch-b',
      ...base,
      problem: { ...problem, batchExtraB: half(vectorOfB(point)) },
      ...refused(alignment(point)),
    },
  ];
}
