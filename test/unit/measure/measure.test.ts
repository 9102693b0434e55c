import { describe, expect, it } from 'vitest';
import type { Check, DeviceInfo, TimeEvent, TimeJob } from '../../../src/device/protocol.ts';
import type { DeviceSession } from '../../../src/device/session.ts';
import {
  comparisonMeasureOptions,
  defaultMeasureOptions,
  measureWorkload,
} from '../../../src/measure/measure.ts';
import type { Artifact } from '../../../src/model/artifact.ts';

const info: DeviceInfo = {
  device: 'cuda',
  ...{ name: 'a GPU', driver: '', runtime: '', uuid: '', smCount: 132, computeCapability: 90 },
  ...{ memoryBytes: 0, l2Bytes: 0, maxSmClock: 1980, bandwidth: 4e12 },
};

/** A device on which a variant named `v7` takes 7 ms, `v0` is wrong; `fickle` ones are wrong when they are timed with care. */
class Clock implements DeviceSession {
  readonly info = info;
  readonly jobs: TimeJob[] = [];
  readonly #fickle: readonly string[];

  constructor(fickle: readonly string[] = []) {
    this.#fickle = fickle;
  }

  gate(): never {
    throw new Error('not asked for');
  }
  async close() {}

  async *time(job: TimeJob): AsyncGenerator<TimeEvent> {
    this.jobs.push(job);
    const variants = job.variants.map(({ id }) => ({
      id,
      kind: 'variant' as const,
      ms: Number(id.slice(1)),
    }));
    for (const { id, kind, ms } of [
      ...variants,
      ...(job.baselines ? [{ id: 'vendor', kind: 'baseline' as const, ms: 9 }] : []),
    ]) {
      const wrong = ms === 0 || (job.options.recheck && this.#fickle.includes(id));
      const verdict = wrong ? 'wrong' : 'passed';
      const check: Check = {
        subject: id,
        kind,
        workload: job.workload.id,
        verdict,
        evidence: { message: '' },
      };
      yield { kind: 'check', check };
      if (verdict !== 'passed') continue;
      const samples = Array.from({ length: job.options.samples }, () => ms / 1e3);
      const measurement = {
        subject: id,
        kind,
        workload: job.workload.id,
        l2: 'hot' as const,
        samples,
        median: ms / 1e3,
      };
      yield { kind: 'measurement', measurement: { ...measurement, mad: 0, flops: 1, bytes: 1, tflops: 1 } };
    }
  }
}

function artifact(id: string): Artifact {
  const variant = {
    ...{ family: 'f', id, symbol: id, parameters: {}, derived: {}, template: '', deterministic: true },
    budget: { threads: 32, sharedBytes: 0 },
  };
  const source = { variant, path: '', text: '', hash: '' };
  return { source, device: 'cuda', arch: 'sm_90a', path: `/${id}.cubin`, key: '', cached: true, seconds: 0 };
}

const workload = { id: 'w', problem: { m: 1 } };
const run = (clock: Clock, count: number, onCheck: (check: Check) => void = () => {}) =>
  measureWorkload(
    clock,
    workload,
    Array.from({ length: count }, (_, i) => artifact(`v${i}`)),
    onCheck,
    {
      ...defaultMeasureOptions,
      ...{ finalists: 4, heat: 10, keep: 2 },
    },
  );

describe('measureWorkload', () => {
  it('times few variants with care at once, beside the baselines', async () => {
    const clock = new Clock();
    const measurements = await run(clock, 4);
    expect(clock.jobs.map(({ baselines, options }) => [baselines, options.samples, options.recheck])).toEqual(
      [[true, 20, true]],
    );
    expect(measurements.map(({ subject }) => subject)).toEqual(['v1', 'v2', 'v3', 'vendor']);
  });

  it('leaves vendors and cold caches out of comparisons', async () => {
    const clock = new Clock();
    await measureWorkload(clock, workload, [artifact('v1')], () => {}, comparisonMeasureOptions);
    expect(clock.jobs).toMatchObject([{ baselines: false, options: { cold: false } }]);
  });

  it('tells each check at once and once, and again where a later one says otherwise', async () => {
    const clock = new Clock();
    const told: string[] = [];
    const tell = ({ subject, verdict }: Check) => told.push(`${clock.jobs.length} ${subject} ${verdict}`);
    await run(clock, 12, tell);
    // Two heats, then v1 and v2 with care.
    const first = Array.from({ length: 9 }, (_, i) => `1 v${i + 1} passed`);
    expect(told).toEqual(['1 v0 wrong', ...first, '2 v10 passed', '2 v11 passed', '3 vendor passed']);
    told.length = 0;
    const fickle = new Clock(['v1']);
    const measurements = await run(fickle, 12, ({ subject, verdict }) => told.push(`${subject} ${verdict}`));
    expect(told.slice(12)).toEqual(['v1 wrong', 'vendor passed']);
    expect(measurements.map(({ subject }) => subject)).not.toContain('v1');
  });

  it('races many in short heats and times the fastest again', async () => {
    const clock = new Clock();
    const measurements = await run(clock, 25);
    expect(clock.jobs.map(({ variants, options }) => [variants.length, options.samples])).toEqual([
      [10, 3],
      [10, 3],
      [5, 3],
      [2, 20], // v1, and v2 within twice its time
    ]);
    const careful = measurements.filter(({ stoppedEarly }) => !stoppedEarly).map(({ subject }) => subject);
    expect(careful).toEqual(['v1', 'v2', 'vendor']);
    expect(measurements).toHaveLength(25);
    expect(measurements.find(({ subject }) => subject === 'v24')?.samples).toHaveLength(3);
  });

  it('knows the limits of the device', async () => {
    const clock = new Clock();
    await run(clock, 1);
    expect(clock.jobs[0]?.options.peakTflops).toBeCloseTo(1070.5, 0);
    expect(clock.jobs[0]?.options.bandwidth).toBe(4e12);
    const scalar = new Clock();
    await measureWorkload(scalar, workload, [artifact('v1')], () => {}, {
      ...defaultMeasureOptions,
      arithmetic: 'f32',
    });
    expect(scalar.jobs[0]?.options.peakTflops).toBeCloseTo(66.9, 0);
  });
});
