import type { Measurement } from './measurement.ts';
import type { Variant } from './variant.ts';

/** Outcome of one variant. */
export interface Result {
  readonly variant: Variant;
  /** Whether the gate let it pass. */
  readonly passed: boolean;
  /** One per workload and L2 state; none where the run does not time. */
  readonly measurements: readonly Measurement[];
}

/**
 * The order in which a space is searched. Variants that are asked for together are built, gated and timed together: what is
 * learned of them comes when all are done. A strategy that asks the same after the same results goes on where an interrupted
 * run ended, since the journal answers for what it holds.
 */
export interface Strategy {
  /** At most `n` variants to look at next; none: the search is over. */
  ask(n: number): readonly Variant[];
  /** Takes the outcomes of all variants that were asked for last. */
  tell(results: readonly Result[]): void;
}
