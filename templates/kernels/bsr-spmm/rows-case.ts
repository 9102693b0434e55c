import type { GateCase, Tier } from '../../../src/model/workload.ts';
import type { Problem } from './workloads.ts';

/** A gate case on block rows of given lengths. */
export interface RowsCase {
  readonly id: string;
  readonly tier: Tier;
  readonly counts: readonly number[];
  readonly problem: Partial<Problem> & { readonly n: number };
  readonly options?: Pick<GateCase, 'launches' | 'multiprocessors' | 'refuses'>;
}
