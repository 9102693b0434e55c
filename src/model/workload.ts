/** A concrete problem: what the family's C++ side needs to make it (sizes, structure, element type, seed). */
export interface Workload {
  readonly id: string;
  /** Passed verbatim to the family's problem maker as JSON. */
  readonly problem: Readonly<Record<string, unknown>>;
}

/** Purposes of gate cases. The names are for readers, except `repetition`: a GPU replays its cases too. */
export const tiers = [
  'exact',
  'address-coded',
  'structures',
  'non-finite',
  'scalars',
  'edges',
  'operation',
  'magnitude',
  'repetition',
] as const;
export type Tier = (typeof tiers)[number];

/** A workload that the gate uses, with the way it is to be run. */
export interface GateCase extends Workload {
  readonly tier: Tier;
  /** Launches in a row on the same buffers, each under another schedule; results compared bitwise with the first. Default 1. */
  readonly launches?: number;
  /** A launch takes long on the emulated device: the first case, which begins under every kind of schedule, then begins under one. */
  readonly slow?: true;
  /** Another problem, run in turn with this one on buffers of its own. */
  readonly alternate?: Workload['problem'];
  /**
   * Plan as for a device with so few multiprocessors, where it has more: thread blocks that stay and take work after work then
   * have several pieces of it in a small problem too.
   */
  readonly multiprocessors?: number;
  /** Operands have more addresses than a GPU has memory: only for devices that reserve addresses without memory. */
  readonly reserved?: true;
  /** The family must reject the problem instead of running it, for a reason whose text contains this one. */
  readonly refuses?: string;
}
