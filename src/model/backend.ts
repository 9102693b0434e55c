import type { DeviceName } from './artifact.ts';

/** Seconds of silence after which a worker counts as hung. */
export interface Patience {
  /** While a kernel runs. The emulated device looks at its own clock, and is asked to give up after this time. */
  readonly kernel: number;
  /** While the host makes inputs, references and comparisons, and while the worker starts. */
  readonly host: number;
  /** While it computes, but gets no CPU at all; minutes if absent. */
  readonly idle?: number;
}

/** The parts of a runner beside the family's own C++ and `harness/src`. */
export interface RunnerParts {
  /** Folders of sources under `harness/`. */
  readonly sources: readonly string[];
  /** Whether it sees the headers and libraries of a CUDA toolkit. */
  readonly toolkit: boolean;
  /** Linked last. */
  readonly libraries: readonly string[];
}

/**
 * A kind of device that variants run on, as data: what it takes, how its runner is built and opened, what its word is worth.
 * The stages ask for these properties and never for the name.
 */
export interface Backend {
  readonly name: DeviceName;
  /**
   * Whether it is a GPU: one worker runs for each, pinned to it. Otherwise the CPU does the work: as many workers as there are
   * jobs, each of which takes a slot while it works.
   */
  readonly gpu: boolean;
  /** Whether its clock tells how fast a kernel is. */
  readonly times: boolean;
  /** Whether it runs cases under schedules that a seed stands for. */
  readonly seeded: boolean;
  /** Whether the vendor's libraries run on it. */
  readonly vendor: boolean;
  /** Whether operands may have gigabytes of addresses without memory for them. */
  readonly reserves: boolean;
  /** Launches in a row that a gate case may ask of it. */
  readonly maxLaunches: number;
  /** Whether its compiled form is wanted even where it is not asked: ptxas reports registers and spills on every machine. */
  readonly alwaysBuilt: boolean;
  /** Whether its runner is told the architecture that it stands for. */
  readonly playsArch: boolean;
  readonly patience: Patience;
  /** Seconds that its worker gets beyond `patience.kernel` to say itself what hung. */
  readonly lastWordSeconds: number;
  readonly runner: RunnerParts;
}
