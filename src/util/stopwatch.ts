/** Wall-clock seconds by stage. A stage with several tasks at once is counted once: while any of them runs. */
export class Stopwatch {
  readonly #now: () => number;
  readonly #started: number;
  readonly #stages = new Map<string, { active: number; since: number; seconds: number }>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#started = now();
  }

  async measure<T>(stage: string, task: () => Promise<T> | T): Promise<T> {
    const entry = this.#stages.get(stage) ?? { active: 0, since: 0, seconds: 0 };
    this.#stages.set(stage, entry);
    if (entry.active++ === 0) entry.since = this.#now();
    try {
      return await task();
    } finally {
      if (--entry.active === 0) entry.seconds += (this.#now() - entry.since) / 1000;
    }
  }

  /** Seconds of every stage that ran, and `total` since the stopwatch was made. */
  seconds(): Record<string, number> {
    const stages = [...this.#stages].map(([name, { seconds }]) => [name, round(seconds)] as const);
    return { ...Object.fromEntries(stages), total: round((this.#now() - this.#started) / 1000) };
  }
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
