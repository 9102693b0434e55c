import type { Operation } from './operation.ts';
import type { GateCase, Tier, Workload } from './workload.ts';

/** Gate cases of a variant, in order. A case's place is its seed, so that no two have the same numbers. */
export class CaseList {
  readonly cases: GateCase[] = [];
  readonly #common: Workload['problem'];

  /** `common`: the fields of all problems, unless a case has its own. */
  constructor(common: Workload['problem']) {
    this.#common = common;
  }

  /** Adds a case. Repeated ones also alternate, with the same problem in other numbers. */
  add(id: string, tier: Tier, problem: Workload['problem'], options: Partial<GateCase> = {}): void {
    const complete = { values: 'normal', seed: 1 + this.cases.length, ...this.#common, ...problem };
    const alternate = tier === 'repetition' && { alternate: { ...complete, seed: complete.seed + 1 } };
    this.cases.push({ id, tier, problem: complete, ...options, ...alternate });
  }
}

/**
 * Scalars without the few bits of 0, 1 or -1.5, which show what becomes of alpha and beta on the way: a third, a subnormal, and a
 * number whose products overflow f16.
 */
export const [third, subnormal, huge] = [1 / 3, 1e-39, 3e30];

/** Elements behind lines of `width`, so many that the last of `lines` lines begins behind 2^32 elements; lines stay multiples of 8. */
export function farApart(lines: number, width: number): number {
  return 8 * Math.ceil(2 ** 32 / (lines - 1) / 8) - width;
}

/** Half of the elements that something is aligned to, at least one: the most that a check for too few lets pass. */
export function half(elements: number): number {
  return Math.max(elements / 2, 1);
}

/** Numbers of steps around what a pipeline of so many stages holds. */
export function stepsAround(stages: number): readonly number[] {
  const steps = new Set([1, stages - 1, stages, stages + 1, 3 * stages + 2]);
  return [...steps].filter((count) => count > 0);
}

/** The least multiple that is no smaller than `size`. */
export function roundUp(size: number, multiple: number): number {
  return Math.ceil(size / multiple) * multiple;
}

/** A case without what the list gives it: its id, its own fields of the problem, and options. */
export type BareCase = readonly [id: string, problem: Workload['problem'], options?: Partial<GateCase>];

/**
 * Cases of operands that are aligned to less than several `elements`, each alone, so that all are looked at: first lines `off` elements
 * further apart than they need be (`odd-lda`), then first elements `off` elements further on (`odd-a`). Half of what is needed lets whoever asks
 * for less pass. A variant that needs several elements refuses lines by the names of their distances, and addresses by the reason `refuses`; any
 * other gives the right answer.
 */
export function oddOperands(
  { operands }: Operation,
  names: readonly string[],
  elements: number,
  refuses: string,
  off = half(elements),
): readonly BareCase[] {
  const unless = (reason: string) => (elements > 1 ? { refuses: reason } : {});
  const distances = names.flatMap((name) => operands[name]?.leading ?? []).join(' and ');
  const lines = names.flatMap((name): BareCase[] => {
    const leading = operands[name]?.leading;
    return leading
      ? [[`odd-${leading}`, { [`${name}Extra`]: off }, unless(`${distances} must be multiples`)]]
      : [];
  });
  const addresses = names.map((name): BareCase => {
    return [`odd-${name}`, { [`${name}Offset`]: off }, unless(refuses)];
  });
  return [...lines, ...addresses];
}
