import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EnvironmentError, UsageError } from '../../../src/errors.ts';
import type { Event, VerdictEvent } from '../../../src/model/event.ts';
import { Recorder } from '../../../src/store/recorder.ts';
import { createRun, findRun, listRuns, openRun, takeRun } from '../../../src/store/run.ts';
import { packageRoot } from '../../../src/util/package-root.ts';
import { folderOf } from '../../helpers/folder.ts';

const info = {
  family: 'scale',
  arch: 'sm_90a',
  command: 'gen sweep scale',
  space: {},
  depth: 'quick',
  device: 'auto',
} as const;
const noon = new Date('2026-11-21T12:00:00Z');

function verdict(variant: string, over: Partial<VerdictEvent> = {}): VerdictEvent {
  const evidence = { message: 'passed 2 cases' };
  return {
    event: 'verdict',
    variant,
    device: 'emulated',
    verdict: 'passed',
    evidence,
    parameters: { t: 64 },
    key: 'k',
    ...over,
  };
}

describe('runs', () => {
  test('are named after family and time; two in one second differ', () => {
    const root = folderOf();
    expect(createRun(root, info, noon).id).toBe('scale-20261121-120000');
    expect(createRun(root, info, noon).id).toBe('scale-20261121-120000-2');
  });

  test('are found by id, by folder, or as the newest of a family', () => {
    const root = folderOf();
    const second = createRun(root, { ...info, family: 'other' }, new Date('2026-11-21T13:00:00Z'));
    const first = createRun(root, info, noon);
    expect(openRun(root, first.id).path).toBe(first.path);
    expect(openRun('/nowhere', first.path).id).toBe(first.id);
    expect(openRun(root).id).toBe(second.id);
    expect(openRun(root, undefined, 'scale').id).toBe(first.id);
    expect(listRuns(root)).toEqual([second.id, first.id]);
  });

  test('about one variant alone are not what `newest` means', () => {
    const root = folderOf();
    const whole = createRun(root, info, noon);
    createRun(root, { ...info, only: 'scale.t64' }, noon);
    expect(openRun(root).id).toBe(whole.id);
    const alone = folderOf();
    const { id } = createRun(alone, { ...info, only: 'scale.t64' }, noon);
    expect(() => openRun(alone)).toThrow(`are about one variant each: name one, as ${id}`);
  });

  test('are found by what they hold', () => {
    const root = folderOf();
    const first = createRun(root, info, noon);
    first.append(verdict('a'));
    createRun(root, info, new Date('2026-11-21T13:00:00Z'));
    const judged = (run: { records(): readonly unknown[] }) => run.records().length > 0;
    expect(findRun(root, judged)?.id).toBe(first.id);
    expect(findRun(root, () => false)).toBeUndefined();
  });

  test.each<[string, (path: string) => void]>([
    ['cut short', (path) => truncateSync(join(path, 'run.json'), 20)],
    ['a folder', (path) => [rmSync(join(path, 'run.json')), mkdirSync(join(path, 'run.json'))]],
    ['of another run', (path) => writeFileSync(join(path, 'run.json'), '{"version":1,"id":"x"}')],
  ])('another run whose run.json is %s is passed over', (_, damage) => {
    const root = folderOf();
    const sound = createRun(root, info, noon);
    sound.append(verdict('a'));
    const damaged = createRun(root, info, new Date('2026-11-21T13:00:00Z'));
    damage(damaged.path);
    const said: string[] = [];
    expect(openRun(root, undefined, 'scale', (why) => said.push(why)).id).toBe(sound.id);
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(/^passed over: .*scale-20261121-130000\/run\.json/);
    expect(findRun(root, () => true)?.id).toBe(sound.id);
    expect(listRuns(root)).toContain(sound.id);
  });

  test('another run whose journal is damaged does not keep later stages from finding theirs', () => {
    const root = folderOf();
    const sound = createRun(root, info, noon);
    const damaged = createRun(root, info, new Date('2026-11-21T13:00:00Z'));
    writeFileSync(join(damaged.path, 'journal.jsonl'), Buffer.from([0, 255, 10]));
    const said: string[] = [];
    expect(
      findRun(
        root,
        () => true,
        (why) => said.push(why),
      )?.id,
    ).toBe(sound.id);
    expect(said.join()).toContain('journal.jsonl:1 is no record');
  });

  test('are worked on by one process at a time, and can be read by all', () => {
    const root = folderOf();
    const run = createRun(root, info, noon);
    run.append(verdict('a'));
    const another = openRun(root, run.id);
    expect(() => takeRun(another)).toThrow(UsageError);
    expect(() => takeRun(another)).toThrow(
      new RegExp(
        `run ${run.id} is in use by process ${process.pid} on .*: wait until that has ended, or begin`,
      ),
    );
    run.append(verdict('b'));
    run.close();
    const taken = takeRun(another);
    expect(taken.records()).toEqual([verdict('a'), verdict('b')]);
    taken.close();
    expect(readdirSync(run.path).toSorted()).toEqual(['journal.jsonl', 'run.json']);
    expect(() => taken.append(verdict('c'))).toThrow('is closed');
  });

  test('that cannot be read are not said to be missing, and others are found', () => {
    const root = folderOf();
    const sound = createRun(root, info, noon);
    const other = createRun(root, info, new Date('2026-11-21T13:00:00Z'));
    rmSync(other.path, { recursive: true });
    symlinkSync(other.path, other.path);
    expect(() => openRun(root, other.id)).toThrow(EnvironmentError);
    expect(() => openRun(root, other.id)).toThrow(/cannot read .*run\.json: its symbolic links lead round/);
    const said: string[] = [];
    expect(openRun(root, undefined, 'scale', (why) => said.push(why)).id).toBe(sound.id);
    expect(said).toEqual([expect.stringContaining('passed over: cannot read')]);
    expect(() => openRun(root, join(sound.path, 'run.json'))).toThrow(/there is no run/);
    expect(() => openRun(root, 'x'.repeat(5000))).toThrow(/there is no run/);
  });

  test.each<[string, (root: string) => unknown, RegExp]>([
    ['none yet', (root) => openRun(root, undefined, 'scale'), /there is no run of scale .*gen sweep scale/],
    [
      'a family instead of a run',
      (root) => createRun(root, info, noon) && openRun(root, 'scale'),
      /'scale' is a family, not a run: its newest run is scale-20261121-120000/,
    ],
    [
      'a mistyped id',
      (root) => createRun(root, info, noon) && openRun(root, 'scale-20261121-12000'),
      /did you mean 'scale-20261121-120000'/,
    ],
    [
      'a run.json cut short',
      (root) => truncated(root),
      /run\.json cannot be used: it is no JSON \(cut short\?\)/,
    ],
    [
      'a file instead of a folder',
      (root) => openRun(aFile(root)),
      /cannot read .*: a part of the path is a file/,
    ],
    ['a copied folder', (root) => copied(root), /it belongs to run scale-20261121-120000/],
  ])('%s: the message says so', (_, open, message) => {
    const root = folderOf();
    expect(() => open(root)).toThrow(message);
  });

  function truncated(root: string) {
    const run = createRun(root, info, noon);
    truncateSync(join(run.path, 'run.json'), 20);
    return openRun(root, run.id);
  }

  function aFile(root: string) {
    const file = join(root, 'runs');
    writeFileSync(file, '');
    return file;
  }

  function copied(root: string) {
    const { path, id } = createRun(root, info, noon);
    return openRun(folderOf({ 'copy/run.json': readFileSync(join(path, 'run.json'), 'utf8') }), 'copy') ?? id;
  }

  test("under a root that is a file are the machine's fault", () => {
    const root = join(folderOf({ file: '' }), 'file');
    expect(() => createRun(root, info)).toThrow(EnvironmentError);
  });
});

describe('the journal', () => {
  test('gives back what was appended, in order', () => {
    const root = folderOf();
    const run = createRun(root, info);
    run.append(verdict('a'));
    run.append(verdict('b', { verdict: 'wrong' }));
    run.close();
    expect(openRun(root, run.id).records()).toEqual([verdict('a'), verdict('b', { verdict: 'wrong' })]);
  });

  test('drops a torn last line and goes on after it', () => {
    const root = folderOf();
    const run = createRun(root, info);
    run.append(verdict('a'));
    run.close();
    appendFileSync(join(run.path, 'journal.jsonl'), '{"event":"verdict","variant":"b","dev');
    const again = openRun(root, run.id);
    expect(again.records()).toEqual([verdict('a')]);
    again.append(verdict('ü'));
    expect(openRun(root, run.id).records()).toEqual([verdict('a'), verdict('ü')]);
  });

  test('is not touched by who only reads it', () => {
    const root = folderOf();
    const run = createRun(root, info);
    run.append(verdict('a'));
    const path = join(run.path, 'journal.jsonl');
    appendFileSync(path, '{"event":"verdict","variant":"b","dev'); // another process is in the middle of it
    const before = readFileSync(path, 'utf8');
    openRun(root, run.id).close();
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  test('takes back the part of a line that a full disk took', () => {
    const root = folderOf();
    const { id, path } = createRun(root, info);
    const store = JSON.stringify(join(packageRoot, 'dist/store/run.js'));
    const script = `import { openRun } from ${store};
      const run = openRun(${JSON.stringify(root)}, ${JSON.stringify(id)});
      const record = JSON.parse(process.argv[1]);
      for (let i = 0; ; i++) run.append({ ...record, variant: 'v' + i });`;
    const limited = ['ulimit -f 1; exec "$@"', 'bash', process.execPath, '--input-type=module', '-e', script];
    const child = spawnSync('bash', ['-c', ...limited, JSON.stringify(verdict('a'))], { encoding: 'utf8' });
    expect(child.stderr).toContain('cannot write');
    expect(child.stderr).toContain('the file would be larger than is allowed');
    expect(readFileSync(join(path, 'journal.jsonl'), 'utf8')).toMatch(/}\n$/);
    const again = openRun(root, id);
    const held = again.records().length;
    expect(held).toBeGreaterThan(1);
    again.append(verdict('last'));
    expect(openRun(root, id).records()).toHaveLength(held + 1);
  });

  test('gives texts that a terminal can show, whoever wrote it', () => {
    const root = folderOf();
    const run = createRun(root, info);
    const evidence = { message: 'a\u001b]0;title\u0007\nb\u009b31m', 'k\u001b': 1 };
    const line = JSON.stringify({ ...verdict('x\u001b[2J'), evidence });
    writeFileSync(join(run.path, 'journal.jsonl'), `${line}\n`);
    const [record] = openRun(root, run.id).records();
    expect(record).toMatchObject({
      variant: 'x\\x1b[2J',
      evidence: { message: 'a\\x1b]0;title\\x07\nb\\x9b31m', 'k\\x1b': 1 },
    });
  });

  test('names the line that is damaged', () => {
    const root = folderOf();
    const run = createRun(root, info);
    run.append(verdict('a'));
    appendFileSync(join(run.path, 'journal.jsonl'), '{"event":"verdict","variant":7}\n');
    expect(() => openRun(root, run.id)).toThrow(UsageError);
    expect(() => openRun(root, run.id)).toThrow(/journal\.jsonl:2 is no record of a journal/);
  });

  test('of another version of this program still gives its extra fields back', () => {
    const root = folderOf();
    const run = createRun(root, info);
    writeFileSync(
      join(run.path, 'journal.jsonl'),
      `${JSON.stringify(verdict('a', { evidence: { message: 'x', more: 1 } }))}\n`,
    );
    expect(openRun(root, run.id).records()[0]).toMatchObject({ evidence: { more: 1 } });
  });
});

describe('Recorder', () => {
  const recorded = () => {
    const seen: Event[] = [];
    const run = createRun(folderOf(), info);
    return { seen, run, recorder: new Recorder(run, (event) => seen.push(event)) };
  };

  test('shows everything, keeps what took work, once', () => {
    const { seen, run, recorder } = recorded();
    recorder.record({ event: 'note', message: 'hello' });
    recorder.record(verdict('a'));
    recorder.record(verdict('a'));
    expect(seen).toHaveLength(3);
    expect(run.records()).toEqual([verdict('a')]);
  });

  test('knows what an earlier part of the run has said, in whatever order of fields', () => {
    const { run, recorder } = recorded();
    const space = { points: 9, legal: 3, variants: 3, rejected: {} };
    recorder.record({ event: 'space', ...space });
    const again = new Recorder(openRun(join(run.path, '..'), run.id), () => {});
    again.record({ rejected: {}, variants: 3, event: 'space', points: 9, legal: 3 });
    expect(again.run.records()).toHaveLength(1);
  });

  test('does not pass over a record that is none', () => {
    const { recorder } = recorded();
    expect(() => recorder.record(verdict('a', { verdict: 'fine' as 'passed' }))).toThrow(/verdict/);
  });

  test('knows an earlier verdict on the very same artifact by the same gate only', () => {
    const { recorder } = recorded();
    const quick = { depth: 'quick' } as const;
    const of = (device: 'cuda' | 'emulated', key: string) => ({
      device,
      key,
      source: { variant: { id: 'a' } },
    });
    recorder.record(verdict('a', { key: 'old' }));
    expect(recorder.earlier(of('emulated', 'old'), quick)?.verdict).toBe('passed');
    expect(recorder.earlier(of('emulated', 'new'), quick)).toBeUndefined();
    expect(recorder.earlier(of('cuda', 'old'), quick)).toBeUndefined();
    recorder.record(verdict('a', { key: 'new', verdict: 'wrong', gate: quick }));
    expect(recorder.earlier(of('emulated', 'old'), quick)).toBeUndefined();
    expect(recorder.earlier(of('emulated', 'new'), quick)?.verdict).toBe('wrong');
    expect(recorder.earlier(of('emulated', 'new'), { depth: 'full' })).toBeUndefined();
    recorder.record(verdict('a', { key: 'new', gate: { ...quick, case: 'ragged' } }));
    expect(recorder.earlier(of('emulated', 'new'), quick)).toBeUndefined();
  });

  test.each([
    ['a worker that may have been killed', { doubtful: true }],
    ['the same, in a journal that does not say so', { signal: 'SIGKILL' }],
  ])('does not rely on a verdict about %s', (_, said) => {
    const { recorder } = recorded();
    const quick = { depth: 'quick' } as const;
    const of = { device: 'emulated', key: 'k', source: { variant: { id: 'a' } } } as const;
    recorder.record(verdict('a', { verdict: 'fault', evidence: { message: 'died', ...said } }));
    expect(recorder.earlier(of, quick)).toBeUndefined();
    expect(recorder.objectedBefore([of], quick)).toBe(false);
    recorder.record(verdict('a', { verdict: 'fault', evidence: { message: 'died', signal: 'SIGSEGV' } }));
    expect(recorder.earlier(of, quick)?.verdict).toBe('fault');
  });

  test('keeps the objection of a device that is not asked again', () => {
    const { recorder, run, seen } = recorded();
    const quick = { depth: 'quick' } as const;
    const of = (device: 'cuda' | 'emulated', key: string) => ({
      device,
      key,
      source: { variant: { id: 'a' } },
    });
    recorder.record(verdict('a', { key: 'e', gate: quick }));
    recorder.record(verdict('a', { device: 'cuda', key: 'c', verdict: 'wrong', gate: quick }));
    const again = new Recorder(openRun(join(run.path, '..'), run.id), (event) => seen.push(event));
    again.record(verdict('a', { key: 'e', gate: quick }));
    expect(again.objectedBefore([of('emulated', 'e'), of('cuda', 'c')], quick)).toBe(true);
    expect(again.passed().size).toBe(0);
    expect(again.objectedBefore([of('emulated', 'e'), of('cuda', 'other')], quick)).toBe(false);
  });

  test('says of the last verdicts only what they say now', () => {
    const { recorder, run } = recorded();
    recorder.record(verdict('a', { key: 'broken', verdict: 'wrong' }));
    recorder.record(verdict('a', { key: 'mended' }));
    expect(recorder.verdicts().map((one) => one.verdict)).toEqual(['passed']);
    recorder.record(verdict('a', { key: 'broken', verdict: 'wrong' }));
    const again = openRun(join(run.path, '..'), run.id);
    expect(again.records()).toEqual([verdict('a', { key: 'broken', verdict: 'wrong' })]);
  });

  test('of a command that judges nothing leaves the verdicts of the run in its journal', () => {
    const { recorder, run, seen } = recorded();
    const of = { device: 'emulated', key: 'k', source: { variant: { id: 'a' } } } as const;
    recorder.record(verdict('a', { key: 'k' }));
    const open = () => openRun(join(run.path, '..'), run.id);
    const emit = new Recorder(open(), (event) => seen.push(event), false);
    const killed = verdict('a', { device: 'none', key: 's', verdict: 'machine' });
    emit.record(killed);
    expect(seen).toContainEqual(killed);
    expect(emit.earlier(of, { depth: 'quick' })).toBeUndefined();
    expect(emit.verdicts().map((one) => one.verdict)).toEqual(['machine']);
    expect(new Recorder(open(), () => {}).verdicts().map((one) => one.verdict)).toEqual(['passed']);
  });

  test('counts a variant by its last verdict', () => {
    const { recorder } = recorded();
    const artifact = { event: 'artifact', variant: 'a', arch: 'sm_90a', key: 'k', seconds: 1 } as const;
    recorder.rendered('a');
    recorder.rendered('b');
    recorder.record({ ...artifact, device: 'cuda', cached: true });
    recorder.record({ ...artifact, device: 'emulated', cached: false });
    recorder.record(verdict('a'));
    recorder.record(verdict('a', { device: 'cuda', verdict: 'wrong' }));
    recorder.record(verdict('b'));
    const summary = recorder.summary({ points: 9, legal: 3, seconds: { total: 1 }, library: null });
    expect(summary).toMatchObject({
      funnel: { points: 9, legal: 3, rendered: 2, compiled: 1, passed: 1, timed: 0 },
      verdicts: { wrong: 1, passed: 1 },
      cache: { hits: 1, compiled: 1 },
    });
  });
});
