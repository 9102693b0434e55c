import { jobVariant } from '../device/job-variant.ts';
import { limitsOf } from '../device/limits.ts';
import type { Check, TimeOptions } from '../device/protocol.ts';
import type { DeviceSession } from '../device/session.ts';
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
  /** At most this many variants are timed with care; the others keep the few samples of their heat. */
  readonly finalists: number;
  /** Variants that were slower than this many times the best of the heats are dropped. */
  readonly keep: number;
  /** Variants in one heat. */
  readonly heat: number;
  /** Called with each check and measurement as it comes. */
  readonly onEvent?: (event: Check | Measurement) => void;
}

export const defaultMeasureOptions: MeasureOptions = {
  samples: 20,
  launchesPerSample: 10,
  cold: true,
  finalists: 12,
  keep: 1.2,
  heat: 48,
};

export interface WorkloadTimes {
  /** Every subject once per L2 state; variants that fell out in a heat are `stoppedEarly`. */
  readonly measurements: readonly Measurement[];
  /** Every subject that was checked on this workload, with its last verdict. */
  readonly checks: readonly Check[];
}

/**
 * Times variants on one workload: short heats first, then the fastest once more with care, beside the baselines. Every
 * subject is checked on this workload before its first sample, finalists after their last one too.
 */
export async function measureWorkload(
  session: DeviceSession,
  workload: Workload,
  artifacts: readonly Artifact[],
  options: MeasureOptions = defaultMeasureOptions,
): Promise<WorkloadTimes> {
  const timer = new Timer(session, workload, options);
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
  const measurements = [...final, ...dropped.map((heat) => ({ ...heat, stoppedEarly: true }))];
  return { measurements, checks: [...timer.checks.values()] };
}

class Timer {
  readonly checks = new Map<string, Check>();
  readonly #started = performance.now();
  /** When each subject had its first figure, seconds. */
  readonly #known = new Map<string, number>();
  readonly #session: DeviceSession;
  readonly #workload: Workload;
  readonly #options: MeasureOptions;

  constructor(session: DeviceSession, workload: Workload, options: MeasureOptions) {
    this.#session = session;
    this.#workload = workload;
    this.#options = options;
  }

  passed(subject: string): boolean {
    return this.checks.get(subject)?.verdict === 'passed';
  }

  /** Times the artifacts together: in a heat, or (`careful`) as the finalists. */
  async run(artifacts: readonly Artifact[], careful: boolean): Promise<Measurement[]> {
    const measurements: Measurement[] = [];
    const job = {
      workload: this.#workload,
      variants: artifacts.map(jobVariant),
      baselines: careful,
      options: this.#timeOptions(careful),
    };
    for await (const event of this.#session.time(job)) {
      if (event.kind === 'check') this.checks.set(event.check.subject, event.check);
      else measurements.push(this.#dated(event.measurement));
      this.#options.onEvent?.(event.kind === 'check' ? event.check : event.measurement);
    }
    return measurements;
  }

  #dated(measurement: Measurement): Measurement {
    const { subject } = measurement;
    const elapsed = this.#known.get(subject) ?? Math.round(performance.now() - this.#started) / 1000;
    this.#known.set(subject, elapsed);
    return { ...measurement, elapsed };
  }

  #timeOptions(careful: boolean): TimeOptions {
    const { samples, launchesPerSample, cold } = this.#options;
    const limits = limitsOf(this.#session.info);
    const common = { hot: true, earlyStop: 1.5, ...limits };
    return careful
      ? { ...common, warmup: 3, samples, launchesPerSample, cold, recheck: true }
      : { ...common, warmup: 1, samples: 3, launchesPerSample: 5, cold: false, recheck: false };
  }
}
