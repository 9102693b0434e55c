import { describe, expect, test } from 'vitest';
import type { JournalRecord } from '../../../src/model/event.ts';
import { Current } from '../../../src/store/current.ts';

const artifact = (device: 'cuda' | 'emulated', source: string): JournalRecord => ({
  ...{ event: 'artifact', variant: 'v', device, arch: 'sm_90a', cached: false, seconds: 1, source },
  key: `${device} ${source}`,
});
const verdict = (
  device: 'cuda' | 'emulated' | 'none',
  source: string,
  word: 'passed' | 'wrong' | 'compile' | 'machine',
): JournalRecord => ({
  ...{ event: 'verdict', variant: 'v', device, verdict: word, evidence: { message: word }, parameters: {} },
  key: device === 'none' ? source : `${device} ${source}`,
});
const time: JournalRecord = {
  ...{ event: 'measurement', workload: 'w', subject: 'v', kind: 'variant', l2: 'hot' },
  ...{ samples: [1], median: 1, mad: 0, flops: 1, bytes: 1, tflops: 1 },
};
const parts = ['cuda', 'emulated'] as const;
const whole = (source: string) => [
  ...parts.map((device) => artifact(device, source)),
  verdict('emulated', source, 'passed'),
  verdict('cuda', source, 'passed'),
];

function after(...records: readonly JournalRecord[]): readonly JournalRecord[] {
  const current = new Current();
  for (const record of records) current.add(record);
  return current.records();
}

describe('what holds of a journal', () => {
  test('is everything once, where nothing has changed', () => {
    const current = new Current();
    for (const record of [...whole('a'), time]) expect(current.add(record)).toBe(true);
    for (const record of [...whole('a'), time]) expect(current.add(record)).toBe(false);
    expect(current.records()).toEqual([...whole('a'), time]);
    expect(current.about('v')).toHaveLength(5);
  });

  test('is nothing of former code, its times neither', () => {
    expect(after(...whole('a'), time, ...whole('b'))).toEqual(whole('b'));
    expect(after(...whole('a'), time, ...whole('b'), ...whole('a'))).toEqual(whole('a'));
  });

  test('is no artifact of former code where the new does not build, and the other way round', () => {
    const broken = verdict('none', 'b', 'wrong');
    expect(after(...whole('a'), time, broken)).toEqual([broken]);
    expect(after(...whole('a'), broken, ...whole('a'))).toEqual(whole('a'));
  });

  test('is the last word of each device, and none of those that are asked after it', () => {
    const fails = verdict('emulated', 'a', 'wrong');
    expect(after(...whole('a'), fails)).toEqual([...whole('a').slice(0, 2), fails]);
    const later = verdict('cuda', 'a', 'wrong');
    expect(after(...whole('a'), later)).toEqual([...whole('a').slice(0, 3), later]);
  });

  test('is the word on the kernel, not that a machine had no memory to compile it again', () => {
    const killed = verdict('none', 'a', 'machine');
    expect(after(...whole('a'), time, killed)).toEqual([...whole('a'), time]);
    const broken = verdict('none', 'a', 'compile');
    expect(after(broken, killed)).toEqual([broken]);
    const fails = verdict('emulated', 'a', 'wrong');
    expect(after(artifact('emulated', 'a'), fails, killed)).toEqual([artifact('emulated', 'a'), fails]);
  });

  test('is that the machine gave none where the kernel is another one, or had none before', () => {
    const killed = verdict('none', 'b', 'machine');
    expect(after(...whole('a'), time, killed)).toEqual([killed]);
    expect(after(artifact('cuda', 'b'), killed)).toEqual([artifact('cuda', 'b'), killed]);
    expect(after(killed, ...whole('b'))).toEqual(whole('b'));
  });

  test('keeps times where only the emulated device has other code', () => {
    const other = { ...artifact('emulated', 'a'), key: 'another compiler' } as JournalRecord;
    expect(after(...whole('a'), time, other)).toContain(time);
  });
});
