import type { AnyFamily } from '../model/family.ts';
import type { Choice } from '../model/selection.ts';
import type { Variant } from '../model/variant.ts';

/** The variants that are accurate enough: nobody gets the worse bound of a faster variant without having asked for it. */
export class Accuracy {
  readonly #ranks: ReadonlyMap<string, number>;
  readonly #allowed: number;

  /** `allowed`: the worst rank that may be chosen where there is a better one. */
  constructor(family: AnyFamily, variants: readonly Variant[], allowed = 0) {
    this.#allowed = allowed;
    this.#ranks = new Map(
      variants.flatMap(({ id, parameters }) => {
        const rank = family.accuracy?.(parameters);
        return rank === undefined ? [] : [[id, rank] as const];
      }),
    );
  }

  /** Those of the best rank among them, or of a rank that is allowed. */
  enough(ids: Iterable<string>): ReadonlySet<string> {
    const all = [...ids];
    const best = all.reduce((rank, id) => Math.min(rank, this.#rank(id)), Infinity);
    const worst = Math.max(this.#allowed, best);
    return new Set(all.filter((id) => this.#rank(id) <= worst));
  }

  /** Accuracy fields of a choice. `first`: the first candidate if ranks are ignored. */
  note(chosen: string, first: { readonly id: string; readonly seconds?: number } | undefined) {
    const accuracy = this.#ranks.get(chosen);
    if (accuracy === undefined) return {};
    const worse = first !== undefined && this.#rank(first.id) > accuracy ? first : undefined;
    const lessAccurate: Choice['lessAccurate'] = worse && {
      variant: worse.id,
      accuracy: this.#rank(worse.id),
      ...(worse.seconds !== undefined && { median: worse.seconds }),
    };
    return { accuracy, ...(lessAccurate && { lessAccurate }) };
  }

  #rank(id: string): number {
    return this.#ranks.get(id) ?? 0;
  }
}
