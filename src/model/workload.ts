/** A concrete problem: what the family's C++ side needs to make it (sizes, structure, element type, seed). */
export interface Workload {
  readonly id: string;
  /** Passed verbatim to the family's problem maker as JSON. */
  readonly problem: Readonly<Record<string, unknown>>;
}

/** A workload that the gate uses, with the way it is to be run. */
export interface GateCase extends Workload {
  /**
   * Tier of the gate (1 exact integers, 2 one-hot, 3 structures, 4 non-finite, 5 scalars and strides, 6 magnitudes, 7
   * repetition).
   */
  readonly tier: number;
  /** Launches in a row on the same buffers, results compared bitwise with the first (tier 7). Default 1. */
  readonly launches?: number;
  /**
   * Plan as for a device with so few multiprocessors, where it has more: thread blocks that stay and take work after work then
   * have several pieces of it in a small problem too.
   */
  readonly multiprocessors?: number;
  /** The family must reject the problem instead of running it, for a reason whose text contains this one. */
  readonly refuses?: string;
}
