import type { Budget } from './family.ts';
import type { ParameterValue } from './parameter.ts';

/** A point of a family's space with its id. */
export interface Variant {
  readonly family: string;
  /** Stable and readable, e.g. `my_op.mma.b64.tn128.st3`. */
  readonly id: string;
  /** C identifier of the kernel: the id with every other character turned into `_`. */
  readonly symbol: string;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  /** Names of the parameters that matter at this point, in order; absent: all. The others have their first value. */
  readonly active?: readonly string[];
  readonly derived: Readonly<Record<string, ParameterValue>>;
  readonly budget: Budget;
  readonly template: string;
  readonly deterministic: boolean;
}

/** A rendered `.cu`. */
export interface Source {
  readonly variant: Variant;
  readonly path: string;
  readonly text: string;
  /** SHA-256 of the text, hex. */
  readonly hash: string;
}
