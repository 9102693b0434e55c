// Runs and libraries under kill -9, damaged files, a full disk and many processes at once. Each test begins from a sound state
// and ends with the same verdicts as an undisturbed run.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildWorker } from '../../src/compile/worker.ts';
import { manifestSchema } from '../../src/model/manifest.ts';
import { openRun } from '../../src/store/run.ts';
import { folderOf } from '../helpers/folder.ts';
import { genArgv, type Workspace, workspace } from '../helpers/gen.ts';
import { testContext, testToolchain } from '../helpers/toolchain.ts';
import { type Helper, start, until } from './processes.ts';
import { count, processes, rounds } from './rounds.ts';

const space = ['--preset', 'quick', '--device', 'emulated', '--jobs', '2'];
const sweep = ['sweep', 'scale', ...space];
const resume = ['sweep', 'scale', '--resume', '--device', 'emulated', '--jobs', '2'];

beforeAll(async () => {
  await buildWorker('emulated', await testToolchain(), testContext());
}, 600_000);

/** Verdict by variant of a run that nobody disturbs. */
const expected = {
  ...Object.fromEntries(
    ['t64-e3b0', 't64.e2-a379', 't128-8bd2', 't128.e2-0fd3', 't256-f1bf', 't256.e2-0dc6'].map((id) => [
      `scale.${id}`,
      'passed',
    ]),
  ),
  'scale.t128.illegal-15d9': 'out-of-bounds',
  'scale.t128.registers-321c': 'resources',
  'scale.t128.wrong-370c': 'wrong',
  'scale.t128.syntax-2327': 'compile',
};

function verdictsIn(out: string): Record<string, string> {
  const records = openRun(join(out, 'runs')).records();
  const pairs = records.flatMap((one) => (one.event === 'verdict' ? [[one.variant, one.verdict]] : []));
  return Object.fromEntries(pairs);
}

/** Lines of the newest run's journal that hold a verdict: more than there are variants, where one was judged twice. */
function verdictLines(out: string): number {
  const { path } = openRun(join(out, 'runs'));
  return readFileSync(join(path, 'journal.jsonl'), 'utf8').match(/"event":"verdict"/g)?.length ?? 0;
}

function gened({ path }: Workspace, args: readonly string[]): Helper {
  return start([...genArgv, ...args], path, { NO_COLOR: '1' });
}

function operationsOf(library: string) {
  const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(library, 'manifest.json'), 'utf8')));
  return Object.values(manifest.operations);
}

/** The library is whole: every file of every variant in its manifest is there. */
function mustBeWhole(library: string): void {
  const variants = operationsOf(library).flatMap((operation) => operation.variants);
  expect(variants.length).toBeGreaterThan(0);
  for (const { source, images } of variants) {
    for (const file of [source, ...images.map(({ file }) => file)])
      expect(existsSync(join(library, file)), file).toBe(true);
  }
  expect(existsSync(join(library, 'CMakeLists.txt'))).toBe(true);
}

/** Contents of the output folder, without those that every sweep leaves there. */
function remains(out: string): string[] {
  const usual = ['artifacts', 'library', 'runs', 'sources'];
  return readdirSync(out).filter((name) => !usual.includes(name));
}

const noStack = (text: string) => expect(text).not.toMatch(/this is a bug|^ +at /m);

/** So many of them, at random, each at most once. */
function some<T>(all: readonly T[], count: number): readonly T[] {
  return all
    .map((one) => ({ one, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .slice(0, count)
    .map(({ one }) => one);
}

describe('kill -9', () => {
  test('of a sweep at random times: --resume ends with the same verdicts', async () => {
    const place = workspace();
    let interrupted = 0;
    for (let round = 0; round < rounds(3); round++) {
      rmSync(join(place.out, 'runs'), { recursive: true, force: true });
      let child = gened(place, sweep);
      await until(
        () => existsSync(join(place.out, 'runs')) && readdirSync(join(place.out, 'runs')).length > 0,
      );
      for (let kill = 0; kill < 3; kill++) {
        await sleep(Math.random() * 1500);
        if (child.process.kill('SIGKILL')) interrupted++;
        await child.ended;
        child = gened(place, resume);
      }
      expect((await child.ended).code, child.output()).toBe(0);
      noStack(child.output());
      expect(verdictsIn(place.out)).toEqual(expected);
      expect(verdictLines(place.out)).toBe(Object.keys(expected).length);
      mustBeWhole(join(place.out, 'library'));
      expect(remains(place.out)).toEqual([]);
    }
    expect(interrupted).toBeGreaterThan(0);
    count('sweeps killed', interrupted);
  });

  test('of processes that emit: the library is there and whole', async () => {
    const place = workspace();
    expect((await gened(place, sweep).ended).code).toBe(0);
    for (let round = 0; round < rounds(6); round++) {
      const child = gened(place, ['emit', '--device', 'emulated']);
      await until(
        () =>
          readdirSync(place.out).some((name) => name.startsWith('.library')) ||
          child.process.exitCode !== null,
      );
      await sleep(Math.random() * 100);
      child.process.kill('SIGKILL');
      await child.ended;
    }
    count('emits killed', rounds(6));
    const last = gened(place, ['emit', '--device', 'emulated']);
    expect((await last.ended).code, last.output()).toBe(0);
    mustBeWhole(join(place.out, 'library'));
    expect(remains(place.out)).toEqual([]);
  });

  test('of runners: no variant is blamed', async () => {
    const place = workspace();
    let killed = 0;
    for (let round = 0; round < rounds(2); round++) {
      const child = gened(place, sweep);
      const end = child.ended.then(() => true);
      while (!(await Promise.race([end, sleep(60 + Math.random() * 100, false)])))
        killed += killOneRunner(child.pid);
      noStack(child.output());
      const doubted = openRun(join(place.out, 'runs'))
        .records()
        .some((one) => one.event === 'verdict' && one.evidence.doubtful === true);
      if (!doubted) expect(verdictsIn(place.out)).toEqual(expected);
      const again = gened(place, resume);
      expect((await again.ended).code, again.output()).toBe(0);
      expect(verdictsIn(place.out)).toEqual(expected);
    }
    expect(killed).toBeGreaterThan(0);
    count('runners killed', killed);
  });
});

/** Kills a runner that a process has started; 1 where there was one. */
function killOneRunner(parent: number): number {
  const found = spawnSync('pgrep', ['-P', String(parent), '-f', 'runner|worker'], { encoding: 'utf8' });
  const [pid] = found.stdout.split('\n').filter((line) => line !== '');
  if (pid === undefined) return 0;
  try {
    process.kill(Number(pid), 'SIGKILL');
    return 1;
  } catch {
    return 0; // it has ended
  }
}

describe('many processes', () => {
  const many = processes(8);

  test('that resume one run at once: one does it, the others say who', async () => {
    for (let round = 0; round < rounds(1); round++) {
      const place = workspace();
      const first = gened(place, sweep);
      await until(
        () => existsSync(join(place.out, 'runs')) && readdirSync(join(place.out, 'runs')).length > 0,
      );
      await sleep(Math.random() * 1000);
      first.process.kill('SIGKILL');
      await first.ended;
      const all = Array.from({ length: many }, () => gened(place, resume));
      const codes = await Promise.all(all.map(async (one) => (await one.ended).code));
      expect(codes.filter((code) => code === 0).length).toBeGreaterThan(0);
      for (const [index, one] of all.entries()) {
        noStack(one.output());
        if (codes[index] !== 0)
          expect(one.output()).toMatch(/is in use by process \d+ on \S+ \(.*, since .*\): wait/);
      }
      expect(verdictsIn(place.out)).toEqual(expected);
      expect(verdictLines(place.out)).toBe(Object.keys(expected).length);
    }
    count('processes resumed one run', rounds(1) * many);
  });

  test('that sweep into one folder at once: each has a run of its own, and the library is of one of them', async () => {
    const place = workspace();
    const all = Array.from({ length: many }, () => gened(place, sweep));
    for (const one of all) {
      expect((await one.ended).code, one.output()).toBe(0);
      noStack(one.output());
    }
    const runs = readdirSync(join(place.out, 'runs'));
    expect(runs).toHaveLength(many);
    count('sweeps into one folder', many);
    mustBeWhole(join(place.out, 'library'));
    const [operation] = operationsOf(join(place.out, 'library'));
    expect(runs).toContain(operation?.provenance.run);
    expect(remains(place.out)).toEqual([]);
  });
});

describe('damaged files', () => {
  const damages: readonly (readonly [string, (path: string) => void])[] = [
    ['empty', (path) => truncateSync(path)],
    ['cut short', (path) => truncateSync(path, Math.floor(readFileSync(path).length / 2))],
    ['full of zeroes', (path) => writeFileSync(path, Buffer.alloc(readFileSync(path).length))],
    ['other bytes', (path) => writeFileSync(path, Buffer.from([0xff, 0xfe, 0, 10, 0x7b, 10]))],
    ['JSON of another kind', (path) => writeFileSync(path, '[1]\n')],
    ['gone', (path) => rmSync(path)],
    ['a folder', (path) => [rmSync(path), mkdirSync(path)]],
    ['a link to itself', (path) => [rmSync(path), symlinkSync(path, path)]],
    ['unreadable', (path) => chmodSync(path, 0)],
  ];

  const files = ['run.json', 'journal.jsonl', 'summary.json', 'selection.json'];
  const pairs = files.flatMap((file) => damages.map(([what, damage]) => ({ file, what, damage })));

  test('of a run: each command says what is the matter, or does without', async () => {
    const place = workspace();
    expect((await gened(place, sweep).ended).code).toBe(0);
    const { path } = openRun(join(place.out, 'runs'));
    const sound = folderOf();
    cpSync(path, sound, { recursive: true });
    for (const { file, what, damage } of some(pairs, rounds(6))) {
      rmSync(path, { recursive: true, force: true });
      cpSync(sound, path, { recursive: true });
      damage(join(path, file));
      for (const args of [['report'], resume, ['emit', '--device', 'emulated']]) {
        const child = gened(place, args);
        const { code } = await child.ended;
        noStack(child.output());
        expect([0, 2], `${args.join(' ')}, ${file} ${what}: ${child.output()}`).toContain(code);
      }
      mustBeWhole(join(place.out, 'library'));
    }
  });

  test('of the cache: what is damaged is built anew', async () => {
    const place = workspace({ fresh: true });
    const first = gened(place, sweep);
    expect((await first.ended).code, first.output()).toBe(0);
    const keys = openRun(join(place.out, 'runs'))
      .records()
      .flatMap((one) => (one.event === 'artifact' ? [one.key] : []));
    expect(keys.length).toBeGreaterThan(6);
    for (const [what, damage] of some(damages, rounds(3))) {
      const key = keys[Math.floor(Math.random() * keys.length)] ?? '';
      const folder = join(place.out, 'artifacts', key.slice(0, 2), key);
      for (const file of readdirSync(folder)) damage(join(folder, file));
      const child = gened(place, sweep);
      const { code } = await child.ended;
      noStack(child.output());
      expect(code, `${what}: ${child.output()}`).toBe(0);
      expect(verdictsIn(place.out), what).toEqual(expected);
    }
  });
});

test('a disk that fills up leaves a run that --resume goes on with', async ({ skip }) => {
  const disk = folderOf();
  const mount = (size: string, ...more: string[]) =>
    spawnSync('mount', ['-t', 'tmpfs', '-o', [...more, `size=${size}`].join(','), 'none', disk]).status === 0;
  if (!mount('64k')) return skip('a small disk takes root');
  onTestFinished(() => void spawnSync('umount', ['-l', disk]));
  const place = workspace();
  rmSync(join(place.out, 'runs'), { recursive: true, force: true });
  symlinkSync(disk, join(place.out, 'runs'));
  let filled = 0;
  for (let round = 0; round < rounds(3); round++) {
    rmSync(join(disk, 'filler'), { force: true });
    for (const name of readdirSync(disk)) rmSync(join(disk, name), { recursive: true });
    const left = 8 + 4 * (round % 5); // KiB: run.json, the lock and a part of the journal
    writeFileSync(join(disk, 'filler'), Buffer.alloc((64 - left) * 1024));
    const full = gened(place, sweep);
    const { code } = await full.ended;
    noStack(full.output());
    if (code === 2) expect(full.output()).toMatch(/no space left on the disk; free some/);
    else expect(code, full.output()).toBe(0);
    filled += Number(code === 2);
    rmSync(join(disk, 'filler'));
    if (!readdirSync(disk).some((name) => existsSync(join(disk, name, 'run.json')))) continue;
    const again = gened(place, resume);
    expect((await again.ended).code, again.output()).toBe(0);
    expect(verdictsIn(place.out)).toEqual(expected);
  }
  expect(filled).toBeGreaterThan(0);
});
