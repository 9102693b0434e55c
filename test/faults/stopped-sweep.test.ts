// Sweeps with variants that crash or never end, and sweeps that are stopped.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { buildWorker } from '../../src/compile/worker.ts';
import { localExecutor } from '../../src/exec/local.ts';
import { folderOf } from '../helpers/folder.ts';
import {
  edit,
  gen,
  genArgv,
  genHere,
  processesOf,
  summaryOf,
  verdictsOf,
  workspace,
} from '../helpers/gen.ts';
import { sound, two } from '../helpers/scale.ts';
import { testContext, testToolchain } from '../helpers/toolchain.ts';

const slow = { timeout: 300_000 };

beforeAll(async () => {
  await buildWorker('emulated', await testToolchain(), testContext());
}, 300_000);

test(
  'a variant whose compiler is killed is not judged; the next part of the run judges it',
  slow,
  async () => {
    const { path } = workspace({ fresh: true });
    const cxx = join(path, 'g++');
    const kill = 'case "$*" in *scale.t64-e3b0.cu*) kill -KILL $$ ;; esac';
    writeFileSync(cxx, `#!/bin/sh\n${kill}\nexec g++ "$@"\n`, { mode: 0o755 });
    const argv = ['sweep', 'scale', '--device', 'emulated', '--json'];
    const first = await genHere(path, [...argv, '--preset', 'sound', ...two], { CXX: cxx });
    expect(first.code).toBe(0);
    expect(summaryOf(first.events).verdicts).toEqual({ passed: 1, machine: 1 });
    expect(first.stderr).toMatch(
      /1 variant not judged, which is this machine's fault; go on with: .*--resume/,
    );
    const second = await genHere(path, [...argv, '--resume']);
    expect(summaryOf(second.events)).toMatchObject({
      verdicts: { passed: 2 },
      cache: { hits: 3, compiled: 1 },
    });
    const only = ['validate', 'scale', 'scale.t64-e3b0', '--device', 'emulated'];
    edit(join(path, 'kernels/scale/scale.cu.hbs'), (text) => `${text}// again\n`);
    const alone = await gen(path, only, { CXX: cxx });
    expect(alone.stdout).toContain('machine: 1 variant');
    expect(alone.code).toBe(2);
  },
);

test(
  'a crash, an endless loop, spills, a typo and a wrong result cost nobody else a verdict',
  slow,
  async () => {
    const { path } = workspace();
    const { code, events } = await genHere(path, [
      'sweep',
      'scale',
      '--preset',
      'all',
      '--device',
      'emulated',
      '--json',
    ]);
    expect(verdictsOf(events)).toEqual({
      ...Object.fromEntries(sound.map((id) => [id, 'passed'])),
      'scale.t128.illegal-15d9': 'out-of-bounds',
      'scale.t128.endless-1b1f': 'hang',
      'scale.t128.registers-321c': 'resources',
      'scale.t128.wrong-370c': 'wrong',
      'scale.t128.syntax-2327': 'compile',
    });
    expect(code).toBe(0);
    const failed = events.flatMap((one) =>
      one.event === 'verdict' && one.verdict !== 'passed' ? [one] : [],
    );
    for (const { evidence, variant } of failed)
      expect(evidence.reproduce).toContain(`npx validate scale ${variant}`);
  },
);

test('goes on after kill -9 where it was', slow, async () => {
  const { path, out } = workspace();
  // The endless variant comes before the last ones and keeps the run alive for seconds.
  const child = localExecutor.open(
    [...genArgv, 'sweep', 'scale', '--preset', 'all', '--device', 'emulated', '--json', '--jobs', '2'],
    { cwd: path },
  );
  const judged = new Set<string>();
  const lines = child.lines[Symbol.asyncIterator]();
  while (judged.size < 3) {
    const event = JSON.parse((await lines.next()).value ?? '');
    if (event.event === 'verdict') judged.add(event.variant);
  }
  process.kill(child.pid, 'SIGKILL');
  await child.exited;
  // Compilers end by themselves; a runner with an endless kernel must not stay behind.
  await expect.poll(() => processesOf(path), { timeout: 30_000 }).toEqual([]);
  const resumed = await genHere(path, ['sweep', '--resume', '--json'], {});
  const start = resumed.events[0];
  expect(start).toMatchObject({ event: 'start', resumed: true });
  expect(Object.keys(verdictsOf(resumed.events))).toHaveLength(11);
  expect(summaryOf(resumed.events).verdicts).toMatchObject({ passed: 6, hang: 1 });
  expect(summaryOf(resumed.events).run).toContain(join(out, 'runs/scale-'));
  const journal = readFileSync(join(summaryOf(resumed.events).run, 'journal.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  const verdicts = journal.map((line) => JSON.parse(line)).filter((record) => record.event === 'verdict');
  expect(verdicts).toHaveLength(11); // nobody was judged twice
});

test(
  'Ctrl-C ends it with 130, says how to go on, and leaves no process and no temporary file',
  slow,
  async () => {
    const { path } = workspace();
    const temporary = folderOf();
    const child = localExecutor.open(
      [...genArgv, 'sweep', 'scale', '--preset', 'all', '--device', 'emulated'],
      { cwd: path, env: { TMPDIR: temporary } },
    );
    await expect.poll(() => child.stderrTail(), { timeout: 120_000 }).toContain('36 points');
    await sleep(1000);
    process.kill(child.pid, 'SIGINT');
    expect(await child.exited).toEqual({ code: 130, signal: undefined });
    await expect.poll(() => processesOf(path), { timeout: 30_000 }).toEqual([]);
    await expect.poll(() => readdirSync(temporary), { timeout: 30_000 }).toEqual([]);
    expect(child.stderrTail()).toMatch(
      /stopped; go on with: node \S+cli\.js sweep scale --resume scale-\d{8}-\d{6}/,
    );
  },
);
