import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archOf, defaultArch } from '../../src/arch/index.ts';
import { limitsOf } from '../../src/device/limits.ts';
import type { GateJob, TimeEvent, TimeOptions } from '../../src/device/protocol.ts';
import type { DeviceSession } from '../../src/device/session.ts';
import { localExecutor } from '../../src/exec/local.ts';
import { ensureToolchain } from '../../src/toolchain/toolchain.ts';
import { type Bench, buildBench, buildCudaBench, jobVariantOf, openBench } from '../helpers/axpby.ts';

let bench: Bench;
let session: DeviceSession;

beforeAll(async () => {
  const toolchain = await ensureToolchain({ executor: localExecutor, install: true, progress: console.log });
  // The runner says what the GPU is, the kernels are then compiled for it.
  const probe = await openBench(await buildCudaBench(toolchain, defaultArch), undefined, 'cuda');
  const arch = archOf(probe.info.computeCapability);
  await probe.close();
  if (!arch) throw new Error(`no architecture for compute capability ${probe.info.computeCapability}`);
  bench = await buildCudaBench(toolchain, arch);
  session = await openBench(bench, { kernel: 5, host: 60 }, 'cuda');
}, 900_000);
afterAll(() => session?.close());

const plain = {
  id: 'plain',
  tier: 'structures' as const,
  problem: { m: 50, n: 360, alpha: 2, ldExtra: 4, offset: 4 },
};
const repeated = {
  id: 'repeated',
  tier: 'repetition' as const,
  launches: 5,
  problem: { m: 30, n: 80, beta: 0.5, seed: 4 },
};
const oneBlock = {
  id: 'one-block',
  tier: 'repetition' as const,
  launches: 3,
  problem: { m: 1, n: 32, seed: 1 },
} as const;

function job(kernel: string, cases: GateJob['cases'] = [plain, repeated]): GateJob {
  return { variant: jobVariantOf(bench, kernel), cases, schedules: [], vendor: true };
}

describe('a GPU session', () => {
  it('says what the device is and can do', () => {
    const { info } = session;
    expect(info.device).toBe('cuda');
    expect(info.uuid).toMatch(/^GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    for (const figure of [info.smCount, info.memoryBytes, info.l2Bytes, info.maxSmClock, info.bandwidth]) {
      expect(figure).toBeGreaterThan(0);
    }
  });

  it.each([
    ['good', 'passed'],
    ['unwritten', 'unwritten'],
    ['ragged', 'out-of-bounds'],
    ['behind', 'out-of-bounds'],
    ['refused', 'launch'],
    ['missing', 'launch'],
  ])('judges %s: %s', async (kernel, verdict) => {
    const answer = await session.gate(job(kernel));
    expect(answer.verdict, answer.evidence.message).toBe(verdict);
  });

  it('sees what differs from launch to launch', async () => {
    expect((await session.gate(job('stateful', [oneBlock]))).verdict).toBe('stateful');
    expect((await session.gate(job('noisy', [oneBlock]))).verdict).toBe('nondeterministic');
  });

  it.each(['null', 'trap'])('survives a kernel that breaks the context: %s', async (kernel) => {
    const [before, broken, after] = await Promise.all(
      [job('good'), job(kernel), job('good')].map((one) => session.gate(one)),
    );
    expect(before?.verdict).toBe('passed');
    expect(broken?.verdict).toBe('fault');
    expect(broken?.evidence).toMatchObject({ case: 'plain' });
    expect(after?.verdict).toBe('passed');
  });

  it('survives a kernel that never ends', async () => {
    const [hung, after] = await Promise.all([job('loop'), job('good')].map((one) => session.gate(one)));
    expect(hung?.verdict).toBe('hang');
    expect(after?.verdict).toBe('passed');
  });
});

describe('timing', () => {
  const workload = { id: 'w', problem: { m: 4096, n: 8192 } };
  const options = (more: Partial<TimeOptions>): TimeOptions => ({
    ...{ warmup: 2, samples: 8, launchesPerSample: 10, cold: true, hot: true, recheck: true, earlyStop: 0 },
    ...limitsOf(session.info, 'f16'),
    ...more,
  });

  async function time(kernels: readonly string[], more: Partial<TimeOptions> = {}): Promise<TimeEvent[]> {
    const variants = kernels.map((kernel) => jobVariantOf(bench, kernel));
    const events: TimeEvent[] = [];
    const request = { workload, variants, baselines: true, options: options(more) };
    for await (const event of session.time(request)) events.push(event);
    return events;
  }

  it('gives times that the bandwidth allows', async () => {
    const times = (await time(['good'])).flatMap((event) =>
      event.kind === 'measurement' ? [event.measurement] : [],
    );
    expect(times.map(({ l2 }) => l2)).toEqual(['hot', 'cold']);
    for (const { samples, median, bytes, rejected, meanSmClock } of times) {
      expect(samples).toHaveLength(8);
      expect(rejected).toBeUndefined();
      expect(bytes / median).toBeGreaterThan(0.02 * session.info.bandwidth);
      expect(meanSmClock).toBeGreaterThan(200);
      expect(meanSmClock).toBeLessThan(1.03 * session.info.maxSmClock);
    }
  });

  it('times what passes, whatever the others do', async () => {
    const events = await time(['good', 'unwritten', 'null', 'loop'], { cold: false });
    const checks = events.flatMap((event) =>
      event.kind === 'check' ? [`${event.check.subject} ${event.check.verdict}`] : [],
    );
    expect(checks).toEqual([
      'axpby_good passed',
      'axpby_unwritten unwritten',
      'axpby_null fault',
      'axpby_loop hang',
    ]);
    expect(events.filter(({ kind }) => kind === 'measurement')).toHaveLength(1);
  });

  it('rejects a time that no GPU can reach', async () => {
    const events = await time(['good'], { cold: false, peakTflops: 1e-6 });
    const [measurement] = events.flatMap((event) =>
      event.kind === 'measurement' ? [event.measurement] : [],
    );
    expect(measurement?.rejected).toContain('above the peak');
  });
});

describe('the same kernels', () => {
  it('pass on the emulated device', async () => {
    const other = await buildBench();
    const emulated = await openBench(other);
    const variant = jobVariantOf(other, 'good');
    const answer = await emulated.gate({ variant, cases: [plain], schedules: [], vendor: false });
    await emulated.close();
    expect(answer.verdict).toBe('passed');
  });
});
