import type { Choice } from '../model/selection.ts';
import type { Workload } from '../model/workload.ts';

/** Times of one workload, as far as a choice tells them. Seconds. */
export interface Times {
  /** Of the variant that is chosen. */
  readonly median: number;
  /** Of the best variant; the chosen one is within the tolerance of it. */
  readonly best: number;
  readonly l2: 'hot' | 'cold';
  /** The fastest baseline. */
  readonly baseline?: Choice['baseline'];
}

/** A variant chosen by times. A baseline that beats the best of ours is named as the winner. */
export function timedChoice(workload: Workload, variant: string, times: Times): Choice {
  const { median, best, l2, baseline } = times;
  const vendorWins = baseline !== undefined && baseline.median < best;
  return {
    workload: workload.id,
    problem: workload.problem,
    winner: vendorWins ? baseline.name : variant,
    variant,
    median: vendorWins ? baseline.median : median,
    ...(vendorWins && { variantMedian: median }),
    l2,
    slowdown: median / best,
    ...(baseline && { baseline }),
  };
}
