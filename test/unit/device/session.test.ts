import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { GateJob } from '../../../src/device/protocol.ts';
import { type DeviceSession, openDevice } from '../../../src/device/session.ts';
import { EnvironmentError, UsageError } from '../../../src/errors.ts';
import type { Executor } from '../../../src/exec/executor.ts';
import { localExecutor } from '../../../src/exec/local.ts';
import { schedulesFrom } from '../../../src/gate/schedules.ts';
import { isDoubtful } from '../../../src/model/verdict.ts';
import { type Bench, buildBench, jobVariantOf, openBench } from '../../helpers/axpby.ts';
import { folderOf } from '../../helpers/folder.ts';

let bench: Bench;
let session: DeviceSession;

beforeAll(async () => {
  bench = await buildBench();
  session = await openBench(bench, { kernel: 2, host: 60 });
}, 600_000);
afterAll(() => session?.close());

const plain = {
  id: 'plain',
  tier: 'structures' as const,
  problem: { m: 5, n: 36, alpha: 2, ldExtra: 3 },
} as const;
const repeated = {
  id: 'repeated',
  tier: 'repetition' as const,
  launches: 2,
  problem: { m: 3, n: 8, beta: 0.5, seed: 4 },
};

function job(kernel: string): GateJob {
  const variant = jobVariantOf(bench, kernel);
  return { variant, cases: [plain, repeated], schedules: schedulesFrom(1), vendor: false };
}

describe('an emulated session', () => {
  it('says what the device is', () => {
    expect(session.info).toMatchObject({ device: 'emulated', computeCapability: 90 });
  });

  it.each([
    ['good', 'passed'],
    ['shared', 'passed'],
    ['race', 'race'],
    ['unwritten', 'unwritten'],
    ['null', 'out-of-bounds'],
    ['deadlock', 'hang'],
    ['trap', 'fault'],
    ['missing', 'launch'],
  ])('judges %s: %s', async (kernel, verdict) => {
    const answer = await session.gate(job(kernel));
    expect(answer.verdict).toBe(verdict);
    expect(answer.evidence.message).not.toBe('');
  });

  it('runs jobs in turn when they are asked for at once', async () => {
    const answers = await Promise.all(
      ['good', 'unwritten', 'shared'].map((kernel) => session.gate(job(kernel))),
    );
    expect(answers.map(({ verdict }) => verdict)).toEqual(['passed', 'unwritten', 'passed']);
  });

  it('kills a worker that makes no progress, and only its variant pays', async () => {
    const answer = await session.gate(job('loop'));
    expect(answer.verdict).toBe('hang');
    expect(answer.evidence).toMatchObject({
      case: 'plain',
      tier: 'structures' as const,
      schedule: 0,
      seed: 1,
    });
    expect(answer.evidence.message).toBe(
      "the worker made no progress for 4 s and was killed in case 'plain', while the kernel ran",
    );
    expect((await session.gate(job('good'))).verdict).toBe('passed');
  });

  it.each([1, 2])(
    'lets the device give up on a kernel by itself after the %i s it is given',
    async (seconds) => {
      const patient = await openBench(bench, { kernel: seconds, host: 60 });
      const answer = await patient.gate(job('spin')).finally(() => patient.close());
      expect(answer.verdict).toBe('hang');
      expect(answer.evidence.message).toContain(`the launch has run for more than ${seconds} s`);
    },
  );

  it('replaces a worker that died, and only its variant pays', async () => {
    const [before, crash, after] = await Promise.all(
      [job('good'), job('crash'), job('good')].map((one) => session.gate(one)),
    );
    expect(before?.verdict).toBe('passed');
    expect(crash?.verdict).toBe('fault');
    expect(crash?.evidence.message).toContain("died of SIGABRT in case 'plain', while the kernel ran");
    expect(after?.verdict).toBe('passed');
  });

  it('throws for a job that makes no sense and goes on', async () => {
    const bad = { ...job('good'), cases: [{ id: 'x', tier: 'exact' as const, problem: { n: 4 } }] };
    const refusal = session.gate(bad);
    await expect(refusal).rejects.toThrow(
      /family asks for a problem that its oracle refuses: .*no member "m"/,
    );
    await expect(refusal).rejects.toThrow(UsageError);
    expect((await session.gate(job('good'))).verdict).toBe('passed');
  });

  it('has no clock', async () => {
    const options = { warmup: 0, samples: 1, launchesPerSample: 1, cold: false, hot: true, recheck: false };
    const workload = { id: 'w', problem: plain.problem };
    const limits = { earlyStop: 0, peakTflops: 0, bandwidth: 0 };
    const request = { workload, variants: [], baselines: false, options: { ...options, ...limits } };
    await expect(session.time(request)[Symbol.asyncIterator]().next()).rejects.toThrow('has no clock');
    expect((await session.gate(job('good'))).verdict).toBe('passed');
  });
});

/** Real workers, of which each that `dooms` is killed from outside as soon as it says that a kernel runs. */
function killer(dooms: (worker: number) => boolean, signal: NodeJS.Signals = 'SIGKILL') {
  let workers = 0;
  const open: Executor['open'] = (argv, options) => {
    const worker = localExecutor.open(argv, options);
    const doomed = dooms(++workers);
    async function* lines() {
      for await (const line of worker.lines) {
        if (doomed && line.includes('"event":"case"')) process.kill(worker.pid, signal);
        yield line;
      }
    }
    return { ...worker, lines: lines() };
  };
  return { executor: { ...localExecutor, open }, workers: () => workers };
}

/** Real workers, of which each that `dooms` has no memory left once it has given a verdict. */
function filled(dooms: (worker: number) => boolean) {
  let workers = 0;
  const open: Executor['open'] = (argv, options) => {
    const worker = localExecutor.open(argv, options);
    const doomed = dooms(++workers);
    async function* lines() {
      let verdicts = 0;
      for await (const line of worker.lines) {
        const { event, id } = JSON.parse(line);
        const full = doomed && verdicts > 0;
        yield full
          ? JSON.stringify({ event: 'error', id, message: 'memory runs out', blame: 'memory' })
          : line;
        if (event === 'verdict') verdicts++;
      }
    }
    return { ...worker, lines: lines() };
  };
  return { executor: { ...localExecutor, open }, workers: () => workers };
}

describe('a worker without memory', () => {
  it('after other jobs gives way to a fresh one', async () => {
    const { executor, workers } = filled((worker) => worker === 1);
    const opened = await openDevice('emulated', bench.worker, executor, { kernel: 4, host: 60 });
    if (!opened.available) throw new Error(opened.reason);
    onTestFinished(() => opened.session.close());
    for (const _ of [1, 2]) expect((await opened.session.gate(job('good'))).verdict).toBe('passed');
    expect(workers()).toBe(2);
  });
});

describe('a worker that is killed from outside', () => {
  const open = async (executor: Executor) => {
    const opened = await openDevice('emulated', bench.worker, executor, { kernel: 1, host: 60 });
    if (!opened.available) throw new Error(opened.reason);
    onTestFinished(() => opened.session.close());
    return opened.session;
  };

  it.each(['SIGKILL', 'SIGTERM'] as const)('by %s once: its job is done by a fresh one', async (signal) => {
    const { executor, workers } = killer((worker) => worker === 1, signal);
    const answer = await (await open(executor)).gate(job('spin'));
    expect(answer.evidence.message).toContain('the launch has run for more than 1 s');
    expect(workers()).toBe(2);
  });

  it('each time: the verdict is fault, and nobody relies on it', async () => {
    const { executor, workers } = killer(() => true);
    const { verdict, evidence } = await (await open(executor)).gate(job('spin'));
    expect(verdict).toBe('fault');
    expect(evidence.message).toContain(
      "died of SIGKILL in case 'plain', while the kernel ran; something else",
    );
    expect(isDoubtful(evidence)).toBe(true);
    expect(workers()).toBe(2);
  });

  it('while it starts: another is started', async () => {
    const state = join(folderOf(), 'started');
    const path = program(`test -e ${state} && exec ${bench.worker}; touch ${state}; kill -KILL $$`);
    const opened = await openDevice('emulated', path, localExecutor);
    expect(opened.available).toBe(true);
    if (opened.available) await opened.session.close();
  });

  it('is no crash of the variant: that is certain when it happens twice', async () => {
    const { evidence } = await session.gate(job('crash'));
    expect(isDoubtful(evidence)).toBe(false);
  });
});

/** A program in the worker's place. */
function program(body: string): string {
  const path = join(folderOf(), 'worker');
  writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  return path;
}

describe('a worker that is stopped', () => {
  /** Real workers, of which each that `dooms` is stopped as soon as it says that a kernel runs. */
  const open = async (dooms: (worker: number) => boolean) => {
    const { executor, workers } = killer(dooms, 'SIGSTOP');
    const opened = await openDevice('emulated', bench.worker, executor, { kernel: 2, host: 60, idle: 1 });
    if (!opened.available) throw new Error(opened.reason);
    onTestFinished(() => opened.session.close());
    return { session: opened.session, workers };
  };

  it('once: its job is done by a fresh one', async () => {
    const { session, workers } = await open((worker) => worker === 1);
    const { evidence } = await session.gate(job('spin'));
    expect(evidence.message).toContain('the launch has run for more than 2 s');
    expect(workers()).toBe(2);
  });

  it('each time: the verdict is hang, and nobody relies on it', async () => {
    const { session } = await open(() => true);
    const { verdict, evidence } = await session.gate(job('spin'));
    expect(verdict).toBe('hang');
    expect(evidence.message).toMatch(
      /given hardly any CPU time \(was it stopped\?\).*so --resume asks again/,
    );
    expect(isDoubtful(evidence)).toBe(true);
  });
});

describe('opening a device', () => {
  it('answers with the reason where there is no such device', async () => {
    const path = program(`echo '{"event":"unavailable","reason":"no driver"}'; exit 3`);
    expect(await openDevice('cuda', path, localExecutor)).toEqual({ available: false, reason: 'no driver' });
  });

  it('is an error of the environment when the runner does not start', async () => {
    const path = program('echo "libfoo.so: cannot open" >&2; exit 127');
    const opening = openDevice('cuda', path, localExecutor);
    await expect(opening).rejects.toThrow(EnvironmentError);
    await expect(opening).rejects.toThrow('ended with code 127; it said: libfoo.so: cannot open');
  });

  it('refuses a program that does not speak the protocol', async () => {
    await expect(openDevice('cuda', program('echo hello'), localExecutor)).rejects.toThrow(
      'the protocol lacks: hello',
    );
  });
});
