import { jobVariant } from '../device/job-variant.ts';
import { limitsOf } from '../device/limits.ts';
import type { Check, TimeOptions } from '../device/protocol.ts';
import type { DeviceSession } from '../device/session.ts';
import type { Arithmetic } from '../model/arch.ts';
import type { Artifact } from '../model/artifact.ts';
import type { Measurement } from '../model/measurement.ts';
import type { Workload } from '../model/workload.ts';
import { finalists } from './race.ts';

export interface MeasureOptions {
  /** Samples per finalist and L2 state. */
  readonly samples: number;
  /** Launches in one sample of a hot measurement. */
  readonly launchesPerSample: number;
  readonly cold: boolean;
  /** Whether the vendors' baselines are timed beside the finalists. */
  readonly baselines: boolean;
  /** At most this many variants are timed with care; the others keep the few samples of their heat. */
  readonly finalists: number;
  /** Variants that were slower than this many times the best of the heats are dropped. */
  readonly keep: number;
  /** Variants in one heat. */
  readonly heat: number;
  /** The workload's; see `Family.arithmetic`. */
  readonly arithmetic: Arithmetic;
}

export const defaultMeasureOptions: MeasureOptions = {
  samples: 20,
  launchesPerSample: 10,
  cold: true,
  baselines: true,
  finalists: 12,
  keep: 1.2,
  heat: 48,
  arithmetic: 'f16',
};

/** For a workload that is compared with its siblings alone: there are hundreds. */
export const comparisonMeasureOptions: MeasureOptions = {
  ...defaultMeasureOptions,
  samples: 10,
  cold: false,
  baselines: false,
};

/**
 * Times variants on one workload: short heats first, then the fastest once more with care, beside the baselines. Every
 * subject is checked on this workload before its first sample, finalists after their last one too. `onCheck` is told what a
 * check says at once, and again only where a later one says otherwise.
 *
 * Figures come all together, every subject once per L2 state; variants that fell out in a heat are `stoppedEarly`. Before the
 * finalists have theirs, those of the others alone would make one of the slow the fastest that is known.
 */
export async function measureWorkload(
  session: DeviceSession,
  workload: Workload,
  artifacts: readonly Artifact[],
  onCheck: (check: Check) => void,
  options: MeasureOptions = defaultMeasureOptions,
): Promise<readonly Measurement[]> {
  const timer = new Timer(session, workload, onCheck, options);
  let chosen = artifacts;
  const heats: Measurement[] = [];
  if (artifacts.length > options.finalists) {
    for (let i = 0; i < artifacts.length; i += options.heat) {
      heats.push(...(await timer.run(artifacts.slice(i, i + options.heat), false)));
    }
    const names = finalists(heats, options);
    chosen = artifacts.filter(({ source }) => names.has(source.variant.id));
  }
  const final = await timer.run(chosen, true);
  const done = new Set(final.map(({ subject }) => subject));
  const dropped = heats.filter(({ subject }) => !done.has(subject) && timer.passed(subject));
  return [...final, ...dropped.map((heat) => ({ ...heat, stoppedEarly: true }))];
}

class Timer {
  /** The last word on each subject. */
  readonly #verdicts = new Map<string, Check['verdict']>();
  readonly #started = performance.now();
  /** Seconds until each subject had its first figure. */
  readonly #known = new Map<string, number>();
  readonly #session: DeviceSession;
  readonly #workload: Workload;
  readonly #onCheck: (check: Check) => void;
  readonly #options: MeasureOptions;

  constructor(
    session: DeviceSession,
    workload: Workload,
    onCheck: (check: Check) => void,
    options: MeasureOptions,
  ) {
    this.#session = session;
    this.#workload = workload;
    this.#onCheck = onCheck;
    this.#options = options;
  }

  passed(subject: string): boolean {
    return this.#verdicts.get(subject) === 'passed';
  }

  /** Times the artifacts together: in a heat, or (`careful`) as the finalists. */
  async run(artifacts: readonly Artifact[], careful: boolean): Promise<Measurement[]> {
    const measurements: Measurement[] = [];
    const job = {
      workload: this.#workload,
      variants: artifacts.map(jobVariant),
      baselines: careful && this.#options.baselines,
      options: this.#timeOptions(careful),
    };
    for await (const event of this.#session.time(job)) {
      if (event.kind === 'check') this.#checked(event.check);
      else measurements.push(this.#dated({ ...event.measurement, ...this.#place }));
    }
    return measurements;
  }

  /** The GPU, where it has a number. */
  get #place(): { readonly gpu?: string } {
    const { gpu } = this.#session;
    return gpu === undefined ? {} : { gpu };
  }

  #checked(check: Check): void {
    const known = this.#verdicts.get(check.subject);
    this.#verdicts.set(check.subject, check.verdict);
    if (known !== check.verdict) this.#onCheck({ ...check, ...this.#place });
  }

  #dated(measurement: Measurement): Measurement {
    const { subject } = measurement;
    const elapsed = this.#known.get(subject) ?? Math.round(performance.now() - this.#started) / 1000;
    this.#known.set(subject, elapsed);
    return { ...measurement, elapsed };
  }

  #timeOptions(careful: boolean): TimeOptions {
    const { samples, launchesPerSample, cold, arithmetic } = this.#options;
    const limits = limitsOf(this.#session.info, arithmetic);
    const common = { hot: true, earlyStop: 1.5, ...limits };
    return careful
      ? { ...common, warmup: 3, samples, launchesPerSample, cold, recheck: true }
      : { ...common, warmup: 1, samples: 3, launchesPerSample: 5, cold: false, recheck: false };
  }
}
