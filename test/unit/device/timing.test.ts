import { describe, expect, it } from 'vitest';
import type { TimeEvent, TimeJob, WorkerLine } from '../../../src/device/protocol.ts';
import { runTimeJob } from '../../../src/device/timing.ts';
import type { Ending } from '../../../src/device/worker.ts';

// No GPU is needed to see how a timing job survives its variants: what a worker would write is given here line by line.

const options = {
  ...{ warmup: 0, samples: 1, launchesPerSample: 1, cold: false, hot: true, recheck: false },
  ...{ earlyStop: 0, peakTflops: 0, bandwidth: 0 },
};
const variant = (id: string) => ({ id, symbol: id, artifact: '/x', parameters: {}, deterministic: true });
const job = (...ids: string[]): TimeJob => ({
  workload: { id: 'w', problem: {} },
  variants: ids.map(variant),
  baselines: true,
  options,
});

const running = (subject: string): WorkerLine => ({
  event: 'case',
  id: '1',
  case: 'w',
  schedule: 0,
  subject,
});
const check = (
  subject: string,
  verdict: 'passed' | 'fault' | 'wrong',
  kind: 'variant' | 'baseline' = 'variant',
): WorkerLine => ({
  ...{ event: 'check', id: '1', subject, kind, workload: 'w', verdict, evidence: { message: '' } },
});
const measured = (subject: string): WorkerLine => ({
  ...{ event: 'measurement', id: '1', subject, kind: 'variant', workload: 'w', l2: 'hot' },
  ...{ samples: [1], median: 1, mad: 0, flops: 1, bytes: 1, tflops: 1 },
});
const done: WorkerLine = { event: 'done', id: '1' };
const died: Ending = { kind: 'died', code: 4, signal: undefined, stderr: '' };
const killed: Ending = { kind: 'died', code: undefined, signal: 'SIGKILL', stderr: '' };
const silent: Ending = { kind: 'silent', seconds: 15, idle: false };

/** Runs a job against prepared conversations; gives what came out and what was asked. */
async function play(request: TimeJob, ...conversations: (WorkerLine | Ending)[][]) {
  const asked: TimeJob[] = [];
  const converse = async function* (sent: object) {
    asked.push(sent as TimeJob);
    yield* conversations.shift() ?? [];
  };
  const events: TimeEvent[] = [];
  for await (const event of runTimeJob(converse, request)) events.push(event);
  const text = events.map((event) =>
    event.kind === 'check'
      ? `${event.check.subject} ${event.check.verdict}`
      : `${event.measurement.subject} timed`,
  );
  return {
    text,
    asked: asked.map(({ variants, baselines }) => [...variants.map(({ id }) => id), baselines]),
  };
}

describe('runTimeJob', () => {
  it('passes checks and measurements on', async () => {
    const lines = [
      running('a'),
      check('a', 'passed'),
      running('b'),
      check('b', 'wrong'),
      measured('a'),
      done,
    ];
    const { text, asked } = await play(job('a', 'b'), lines);
    expect(text).toEqual(['a passed', 'b wrong', 'a timed']);
    expect(asked).toEqual([['a', 'b', true]]);
  });

  it('runs the job again without a variant that broke the device', async () => {
    const first = [running('a'), check('a', 'passed'), running('b'), check('b', 'fault'), died];
    const second = [
      running('a'),
      check('a', 'passed'),
      running('c'),
      check('c', 'passed'),
      measured('a'),
      measured('c'),
      done,
    ];
    const { text, asked } = await play(job('a', 'b', 'c'), first, second);
    expect(text).toEqual(['a passed', 'b fault', 'c passed', 'a timed', 'c timed']);
    expect(asked).toEqual([
      ['a', 'b', 'c', true],
      ['a', 'c', true],
    ]);
  });

  it('names the variant that hung, even while it was sampled', async () => {
    const first = [
      running('a'),
      check('a', 'passed'),
      { event: 'sampling', id: '1', subject: 'a', round: 0 } as const,
      silent,
    ];
    const { text } = await play(job('a', 'b'), first, [check('b', 'passed'), measured('b'), done]);
    expect(text).toEqual(['a passed', 'a hang', 'b passed', 'b timed']);
  });

  it('goes on without the libraries when one of them breaks the device', async () => {
    const { text, asked } = await play(
      job('a'),
      [running('vendor'), died],
      [running('vendor'), died],
      [check('a', 'passed'), measured('a'), done],
    );
    expect(text).toEqual(['vendor fault', 'a passed', 'a timed']);
    expect(asked).toEqual([
      ['a', true],
      ['a', true],
      ['a', false],
    ]);
  });

  it('repeats a job whose worker was killed, and blames nobody for it', async () => {
    const { text, asked } = await play(
      job('a'),
      [killed],
      [running('a'), killed],
      [running('a'), check('a', 'passed'), measured('a'), done],
    );
    expect(text).toEqual(['a passed', 'a timed']);
    expect(asked).toHaveLength(3);
  });

  it('gives up when the worker dies twice before it ran anything', async () => {
    await expect(play(job('a'), [died], [died])).rejects.toThrow('before it ran anything of w');
  });
});
