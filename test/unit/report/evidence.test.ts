import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { report } from '../../../src/cli/report.ts';
import { UsageError } from '../../../src/errors.ts';
import type { JournalRecord, Summary } from '../../../src/model/event.ts';
import { type RunEvidence, runEvidenceSchema } from '../../../src/model/evidence.ts';
import { resultsPage } from '../../../src/report/page.ts';
import { createRun } from '../../../src/store/run.ts';
import { folderOf } from '../../helpers/folder.ts';
import { h200, h200Copy, h200Run } from '../../helpers/journal.ts';

const space: JournalRecord = {
  event: 'space',
  points: 1000,
  legal: 10,
  variants: 10,
  rejected: { 'fits-shared': 900, preset: 90 },
};
const part: Summary = {
  event: 'summary',
  funnel: { points: 1000, legal: 10, rendered: 10, compiled: 10, passed: 8, timed: 8 },
  verdicts: { passed: 8, resources: 2 },
  cache: { hits: 0, compiled: 10 },
  seconds: { compile: 10, time: 20.5, total: 30 },
  run: '/runs/a',
  library: null,
};

/** Writes the evidence of the kept run, with more in its journal, and reads it back. */
async function evidence(more: readonly JournalRecord[] = []): Promise<{ text: string; data: RunEvidence }> {
  const { out } = h200Copy(more);
  const file = join(out, 'evidence.json');
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  await report(h200Run, { out, evidence: file });
  const text = readFileSync(file, 'utf8');
  return { text, data: runEvidenceSchema.parse(JSON.parse(text)) };
}

describe('evidence of a run', () => {
  test('says what was done, where, and what came of it', async () => {
    const { data } = await evidence([h200, space, part]);
    expect(data).toMatchObject({
      run: h200Run,
      date: '2026-11-21T10:19:57.000Z',
      command: 'gen sweep bsr-spmm --preset default --device cuda',
      commit: '0123456789abcdef',
      preset: 'default',
      environment: { nvcc: '13.0.88', gpu: { name: 'NVIDIA H200', l2Bandwidth: 10.1e12 } },
      funnel: { points: 1000, legal: 10, rendered: 10, compiled: 10, passed: 8, timed: 8 },
      rejected: { 'fits-shared': 900 },
      verdicts: { passed: 8, resources: 2 },
      seconds: { compile: 10, time: 20.5, total: 30 },
      variantsPerMinute: 20,
    });
    expect(data.failures).toHaveLength(2);
    expect(data.failures[0]).toMatchObject({
      verdict: 'resources',
      message: expect.stringContaining('spilled'),
    });
    expect(JSON.stringify(data)).not.toContain('uuid');
  });

  test('names the gate case of a failure', async () => {
    const wrong = {
      device: 'cuda',
      verdict: 'wrong',
      evidence: { message: '3 elements', case: 'ragged' },
    } as const;
    const { data } = await evidence([{ event: 'verdict', variant: 'v', ...wrong, parameters: {} }]);
    const { device, verdict } = wrong;
    expect(data.failures).toContainEqual({ variant: 'v', device, verdict, ...wrong.evidence });
  });

  test('adds up the parts of a run that was resumed', async () => {
    const { data } = await evidence([h200, space, part, { ...part, seconds: { time: 1, total: 2.5 } }]);
    expect(data.seconds).toEqual({ compile: 10, time: 21.5, total: 32.5 });
  });

  test('of an old journal leaves out what it does not know', async () => {
    const { data } = await evidence();
    expect(data.environment).toBeUndefined();
    expect(data.commit).toBeUndefined();
    expect(data.seconds).toEqual({});
    expect(data.variantsPerMinute).toBeUndefined();
  });

  test('keeps every measurement, in the order of the trials, samples of those timed with care', async () => {
    const { data } = await evidence();
    const [workload] = data.workloads;
    expect(workload).toMatchObject({ id: '4096.d12.b128', flops: 13421772800, tried: 8, untimed: [] });
    expect(workload?.problem).toMatchObject({ m: 4096, block: 128 });
    expect(workload?.l2Bytes).toBe(13421772800 / 128);
    expect(workload?.measurements).toHaveLength(17);
    const hot = workload?.measurements.filter(({ kind, l2 }) => kind === 'variant' && l2 === 'hot') ?? [];
    expect(hot.map(({ trial }) => trial)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(hot.flatMap(({ trial, samples }) => (samples?.length === 20 ? [trial] : []))).toEqual([5, 6, 7]);
    expect(hot[4]).toMatchObject({ median: 4.923e-5, tflops: 272.63 });
    expect(Object.keys(workload?.paths ?? {}).sort()).toEqual(['mma', 'naive', 'simt']);
    expect(workload?.paths.mma).toContain('.mma.b128.f16.f16.tn128.tk64.pf0.');
  });

  test('describes the variants that it shows by the parameters that matter for them', async () => {
    const { data } = await evidence();
    const [naive] = Object.entries(data.variants).filter(([id]) => id.includes('.naive.'));
    expect(naive?.[1]).toEqual({
      registers: 32,
      parameters: { path: 'naive', block: 128, input: 'f16', output: 'f16' },
    });
  });

  test('says what the gate did, and what the vendor made of the same cases', async () => {
    const { data } = await evidence();
    const [gate, ...more] = data.gate ?? [];
    expect(more).toEqual([]);
    expect(gate).toMatchObject({ device: 'cuda', variants: 8, passed: 8, cases: 88 });
    expect(gate?.maxErrorOverBound).toBeCloseTo(0.98758, 5);
    expect(gate?.vendor['cuSPARSE Blocked-ELL']).toMatchObject({ disagrees: ['non-finite'] });
    expect(resultsPage([data])).toContain(
      '| gate on cuda | 8 of 8 pass, 88 cases, error / bound up to 0.988; ',
    );
  });

  test('has one measurement per line', async () => {
    const { text } = await evidence([h200]);
    const lines = text.split('\n').filter((line) => line.includes('"subject":'));
    expect(lines).toHaveLength(17);
    for (const line of lines) expect(() => JSON.parse(line.replace(/,$/, ''))).not.toThrow();
  });
});

describe('without a run named', () => {
  const later = (out: string) => {
    const asked = {
      family: 'bsr-spmm',
      arch: 'sm_90a',
      command: 'gen sweep',
      space: {},
      depth: 'quick',
    } as const;
    const run = createRun(join(out, 'runs'), { ...asked, device: 'auto' }, new Date('2100-01-01'));
    const passed = { device: 'emulated', verdict: 'passed', evidence: { message: 'passed' } } as const;
    run.append({ event: 'verdict', variant: 'v', ...passed, parameters: {} });
    return run;
  };
  const reported = async (out: string) => {
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    said.mockClear();
    const file = join(out, 'evidence.json');
    await report(undefined, { out, evidence: file });
    const { run } = runEvidenceSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    return { run, said: said.mock.calls.map(([text]) => String(text)).join('') };
  };

  test('the newest that ended is taken, and one that did not is named', async () => {
    const { out, run } = h200Copy();
    run.writeJson('summary.json', part);
    const aborted = later(out);
    const { run: taken, said } = await reported(out);
    expect(taken).toBe(h200Run);
    expect(said).toContain(`${aborted.id} did not end: reporting ${h200Run} instead`);
    aborted.writeJson('summary.json', part);
    expect((await reported(out)).run).toBe(aborted.id);
  });

  test('one that judged nothing is passed over', async () => {
    const { out, run } = h200Copy();
    run.writeJson('summary.json', part);
    const rendered = { ...run.info, command: 'gen render' };
    createRun(join(out, 'runs'), rendered, new Date('2100-01-01')).writeJson('summary.json', part);
    expect((await reported(out)).run).toBe(h200Run);
  });

  test('where none ended, the newest is taken, and that is said', async () => {
    const { out, run } = h200Copy();
    rmSync(join(run.path, 'summary.json'), { force: true });
    const { run: taken, said } = await reported(out);
    expect(taken).toBe(h200Run);
    expect(said).toContain(`${h200Run} did not end: reporting what it has`);
  });
});

describe('pages of evidence files', () => {
  test('put equal workloads side by side, with a picture', async () => {
    const folder = folderOf({
      'a.json': (await evidence([h200, space, part])).text,
      'b.json': (await evidence()).text,
    });
    const markdown = join(folder, 'page.md');
    await report(undefined, { from: [join(folder, 'a.json'), join(folder, 'b.json')], markdown });
    const page = readFileSync(markdown, 'utf8');
    expect(page).toContain('4096.d12.b128 (run 1)');
    expect(page).toContain('4096.d12.b128 (run 2)');
    expect(page).toContain('(page.svg)');
    expect(readFileSync(join(folder, 'page.svg'), 'utf8')).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
  });

  test.each([
    ['no evidence', '{}', /is no evidence file: [\s\S]*version[\s\S]*--evidence/],
    ['cut short', '{"version":1,', /no JSON \(cut short\?\)/],
  ])('refuse a file that is %s', async (_, text, message) => {
    const folder = folderOf({ 'a.json': text });
    const reading = report(undefined, { from: [join(folder, 'a.json')] });
    await expect(reading).rejects.toThrow(message);
    await expect(reading).rejects.toThrow(UsageError);
  });

  test('name no run', async () => {
    await expect(report(h200Run, { from: ['a.json'] })).rejects.toThrow(UsageError);
  });
});
