import type { GateCase, Tier } from '../../../src/model/workload.ts';
import { fixedChoices, transposedRows } from './fixed-choices.ts';
import type { Point } from './parameters.ts';
import type { Problem } from './workloads.ts';

/** Problems by size: block rows and columns of A as the pattern needs them. */
export class Cases {
  readonly list: GateCase[] = [];
  readonly #point: Point;

  constructor(point: Point) {
    this.#point = point;
  }

  add(
    id: string,
    tier: Tier,
    problem: Shape,
    options: Pick<GateCase, 'launches' | 'multiprocessors' | 'refuses' | 'reserved'> = {},
  ): void {
    const { block, input, output } = this.#point;
    const { rows, columns, ...rest } = problem;
    const complete: Problem = {
      m: rows * block,
      k: columns * block,
      block,
      input,
      output,
      values: 'normal',
      seed: 1 + this.list.length,
      ...fixedChoices(this.#point),
      ...rest,
    };
    // Repeated cases also alternate, with the same problem in other numbers.
    const alternate = tier === 'repetition' && { alternate: { ...complete, seed: complete.seed + 1 } };
    this.list.push({ id, tier, problem: { ...complete }, ...options, ...alternate });
  }

  addRows(id: string, tier: Tier, counts: readonly number[], problem: RowShape, options = {}): void {
    const [rows, columns] = [counts.length, Math.max(...counts) + 1];
    const shape = this.#point.transposeA
      ? { rows: columns, columns: rows, pattern: transposedRows(counts) }
      : { rows, columns, pattern: { kind: 'rows', counts } as const };
    this.add(id, tier, { ...shape, ...problem }, options);
  }
}

/** A problem by block rows and columns of A. */
export type Shape = Pick<Problem, 'n' | 'pattern'> &
  Partial<Problem> & { readonly rows: number; readonly columns: number };
type RowShape = Omit<Shape, 'rows' | 'columns' | 'pattern'>;
