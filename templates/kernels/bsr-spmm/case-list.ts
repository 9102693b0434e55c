import { CaseList, type GateCase, type Tier } from '../../../src/model/family.ts';
import { fixedChoices, transposedRows } from './fixed-choices.ts';
import type { Point } from './parameters.ts';
import type { Problem } from './workloads.ts';

/** Problems by size: block rows and columns of A as the pattern needs them. */
export class Cases {
  readonly #list: CaseList;
  readonly #point: Point;

  constructor(point: Point) {
    const { block, input, output } = point;
    this.#list = new CaseList({ block, input, output, ...fixedChoices(point) });
    this.#point = point;
  }

  get list(): readonly GateCase[] {
    return this.#list.cases;
  }

  add(
    id: string,
    tier: Tier,
    problem: Shape,
    options: Pick<GateCase, 'launches' | 'multiprocessors' | 'refuses' | 'reserved'> = {},
  ): void {
    const { rows, columns, ...rest } = problem;
    const { block } = this.#point;
    this.#list.add(id, tier, { m: rows * block, k: columns * block, ...rest }, options);
  }

  addRows(id: string, tier: Tier, counts: readonly number[], problem: RowShape, options = {}): void {
    const { leadingColumns = 0 } = problem;
    const [rows, columns] = [counts.length, leadingColumns + Math.max(...counts) + 1];
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
