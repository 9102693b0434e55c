// One GPU and two of the same machine: the same verdicts, and each workload timed on one of them.
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import type { Event } from '../../src/model/event.ts';
import { usableGpus } from '../../src/toolchain/gpu.ts';
import { gen, summaryOf, workspace } from '../helpers/gen.ts';

const fields = ['--query-gpu=name,uuid,driver_version,compute_cap', '--format=csv,noheader'];
const gpus = usableGpus(
  execFileSync('nvidia-smi', fields, { encoding: 'utf8' }),
  process.env.CUDA_VISIBLE_DEVICES,
);
const alike = gpus.filter(({ name }) => name === gpus[0]?.name);
const numbers = alike.slice(0, 2).map(({ id }) => id.split(':')[1]);
if (alike.length < 2) console.log('skipped test/gpu/several: there are fewer than two GPUs of one model');

const slow = { timeout: 900_000 };

/** Verdicts by variant, without GPU and duration. */
function judgements(events: readonly Event[]): Record<string, unknown> {
  const pairs = events.flatMap((one) =>
    one.event === 'verdict' ? [[one.variant, [one.verdict, one.evidence.case, one.evidence.cases]]] : [],
  );
  return Object.fromEntries(pairs);
}

const placesOf = (events: readonly Event[], name: Event['event']) =>
  new Set(
    events.flatMap((one) =>
      one.event === name && 'gpu' in one && typeof one.gpu === 'string' ? [one.gpu] : [],
    ),
  );

describe.skipIf(alike.length < 2)('two GPUs', () => {
  const one = `cuda:${numbers[0]}`;
  const two = `cuda:${numbers.join(',')}`;
  const both = numbers.map((number) => `cuda:${number}`);

  test.each([
    ['scale', 'quick'],
    ['bsr-spmm', 'quick'],
  ])('give the verdicts of one on %s', slow, async (family, preset) => {
    const { path } = workspace();
    const validate = (device: string) =>
      gen(path, ['validate', family, '--preset', preset, '--device', device, '--json']);
    const alone = await validate(one);
    const shared = await validate(two);
    expect(shared.code, shared.stderr).toBe(alone.code);
    expect(judgements(shared.events)).toEqual(judgements(alone.events));
    expect(placesOf(alone.events, 'verdict')).toEqual(new Set([one]));
    expect(placesOf(shared.events, 'verdict')).toEqual(new Set(both));
    expect(shared.events.find(({ event }) => event === 'environment')).toMatchObject({
      gpus: both.map((id) => ({ id })),
    });
    const seconds = [alone, shared].map(({ events }) => summaryOf(events).seconds.gate);
    console.log(`${family}: gated in ${seconds[0]} s on one GPU, in ${seconds[1]} s on two`);
  });

  test('time all of a workload on one of them', slow, async () => {
    const { path } = workspace();
    const { code, events, stderr } = await gen(path, [
      'sweep',
      'bsr-spmm',
      '--preset',
      'quick',
      '--device',
      two,
      '--json',
    ]);
    expect(code, stderr).toBe(0);
    const places = new Map<string, Set<string | undefined>>();
    for (const one of events) {
      if (one.event !== 'measurement' && one.event !== 'check') continue;
      places.set(one.workload, (places.get(one.workload) ?? new Set()).add(one.gpu));
    }
    expect(places.size).toBeGreaterThan(1);
    for (const [workload, used] of places) expect([...used], workload).toHaveLength(1);
    expect(new Set([...places.values()].flatMap((used) => [...used]))).toEqual(new Set(both));
  });
});
