import type { Measurement } from '../model/measurement.ts';

/**
 * Short heats of a few variants each. Clocks differ from heat to heat, by power and temperature: the best so far, the pacemaker,
 * runs along in each, and what the others take is counted by its time in the same heat.
 */
export class Race {
  /** Seconds of each variant, as they would have been in the first heat. */
  readonly #times = new Map<string, number>();

  /** The best so far. */
  get pacemaker(): string | undefined {
    return this.#ranking()[0]?.[0];
  }

  /** Adds the times of a heat, the pacemaker's among them. */
  add(heat: readonly Measurement[]): void {
    const plausible = heat.filter(({ kind, rejected }) => kind === 'variant' && rejected === undefined);
    const { pacemaker } = this;
    const pace = plausible.find(({ subject }) => subject === pacemaker);
    const scale = pace ? (this.#times.get(pace.subject) ?? 0) / pace.median : 1;
    for (const { subject, median } of plausible) {
      if (subject !== pacemaker) this.#times.set(subject, median * scale);
    }
  }

  /** Variants worth careful timing: those within `keep` times the fastest, at most `finalists` of them. */
  finalists({ finalists, keep }: { readonly finalists: number; readonly keep: number }): ReadonlySet<string> {
    const ranked = this.#ranking();
    const limit = keep * (ranked[0]?.[1] ?? 0);
    const near = ranked.slice(0, finalists).filter(([, seconds]) => seconds <= limit);
    return new Set(near.map(([subject]) => subject));
  }

  #ranking(): [subject: string, seconds: number][] {
    return [...this.#times].sort(([, a], [, b]) => a - b);
  }
}
