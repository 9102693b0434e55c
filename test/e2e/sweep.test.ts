import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildWorker } from '../../src/compile/worker.ts';
import { openRun } from '../../src/store/run.ts';
import { sha256 } from '../../src/util/hash.ts';
import { edit, gen, genHere, summaryOf, verdictsOf, workspace } from '../helpers/gen.ts';
import { sound, two } from '../helpers/scale.ts';
import { testContext, testToolchain } from '../helpers/toolchain.ts';

const slow = { timeout: 300_000 };

beforeAll(async () => {
  await buildWorker('emulated', await testToolchain(), testContext());
}, 300_000);

describe('gen sweep', () => {
  test('goes from a space to a library; a second run compiles nothing', slow, async () => {
    const { path, out } = workspace({ fresh: true });
    const argv = ['sweep', 'scale', '--preset', 'sound', ...two, '--device', 'emulated'];
    const first = await genHere(path, [...argv, '--json']);
    expect(first.stderr).toContain('36 points, 2 selected and legal, 2 variants');
    expect(first.code).toBe(0);
    const ids = sound.slice(0, 2);
    expect(verdictsOf(first.events)).toEqual(Object.fromEntries(ids.map((id) => [id, 'passed'])));
    const summary = summaryOf(first.events);
    expect(summary).toMatchObject({
      funnel: { points: 36, legal: 2, rendered: 2, compiled: 2, passed: 2, timed: 0 },
      verdicts: { passed: 2 },
      cache: { hits: 0, compiled: 4 },
      library: join(out, 'library'),
      untimed: expect.stringContaining('only the emulated device was asked for'),
    });
    for (const file of ['library/CMakeLists.txt', 'library/manifest.json', `sources/scale/${sound[0]}.cu`]) {
      expect(existsSync(join(out, file)), file).toBe(true);
    }
    const second = await gen(path, argv);
    expect(second.stdout).toContain('compiled nothing: 4 artifacts from the cache');
    expect(second.stdout).toContain(
      '36 points -> 2 selected and legal -> 2 rendered -> 2 compiled -> 2 passed -> 0 timed',
    );
  });

  test('writes below a folder whose name has a comma, a blank and a quote', slow, async () => {
    const { path, out } = workspace();
    const other = join(path, "a,b c'd");
    renameSync(out, other);
    const { code, stderr } = await genHere(path, [
      ...['sweep', 'scale', '--preset', 'sound', '--device', 'emulated', '--limit', '1', '--out', other],
    ]);
    expect(code, stderr).toBe(0);
    expect(existsSync(join(other, 'library/manifest.json'))).toBe(true);
  });

  test('the reproduction command of a failure shows it again', slow, async () => {
    const { path } = workspace();
    const swept = await genHere(path, [
      'validate',
      'scale',
      'scale.t128.wrong-370c',
      '--device',
      'emulated',
      '--json',
    ]);
    const [verdict] = swept.events.filter((one) => one.event === 'verdict');
    if (verdict?.event !== 'verdict') throw new Error('no verdict');
    const [, ...words] = (verdict.evidence.reproduce ?? '').split(' ');
    const again = await genHere(path, [...words, '--json']);
    expect(again.code).toBe(1);
    expect(again.events.find((one) => one.event === 'verdict')).toMatchObject({
      verdict: 'wrong',
      evidence: { message: verdict.evidence.message, case: verdict.evidence.case },
    });
  });

  test('the reproduction command sets what was set: arch, config and watchdog', slow, async () => {
    const { path } = workspace();
    renameSync(join(path, 'gen.config.ts'), join(path, 'my config.ts'));
    const set = ['--arch', 'sm_80', '--config', 'my config.ts', '--watchdog', '9'];
    const ids = ['scale.t128.registers-321c', 'scale.t128.wrong-370c'] as const;
    for (const [id, more] of [
      [ids[0], ''],
      [ids[1], '--device emulated --case ragged --seed \\d+ --watchdog 9 '],
    ] as const) {
      const asked = ['validate', 'scale', id, ...set, '--device', 'emulated', '--json'];
      const before = (await genHere(path, asked)).events.find((one) => one.event === 'verdict');
      const command = before?.evidence.reproduce ?? '';
      expect(command).toMatch(
        new RegExp(`^npx validate scale ${id} ${more}--arch sm_80 --config 'my config.ts'$`),
      );
      const words = [...command.matchAll(/'[^']*'|\S+/g)].map(([word]) => word.replaceAll("'", '')).slice(1);
      const again = await genHere(path, [...words, '--json']);
      expect(again.events[0]).toMatchObject({ event: 'start', arch: 'sm_80' });
      expect(verdictsOf(again.events)).toEqual({ [id]: before?.verdict });
    }
  });

  test('an edited kernel is judged anew, and what was said of the former is forgotten', slow, async () => {
    const { path, out } = workspace({ fresh: true });
    const kernel = join(path, 'kernels/scale/scale.cu.hbs');
    const fault = ' + (kPerThread == 2 && i == 7 ? 1.0f : 0.0f);';
    const resume = async () => {
      const { code, events } = await gen(path, ['sweep', '--resume', '--json']);
      expect(code).toBe(0);
      return summaryOf(events).verdicts;
    };
    edit(kernel, (text) => text.replace('args.x[i];', `args.x[i]${fault}`));
    await gen(path, ['sweep', 'scale', '--preset', 'sound', ...two, '--device', 'emulated']);
    edit(kernel, (text) => text.replace(fault, ';'));
    expect(await resume()).toEqual({ passed: 2 });
    const manifest = JSON.parse(readFileSync(join(out, 'library/manifest.json'), 'utf8'));
    expect(manifest.operations.scale.provenance.gate).toMatchObject({ passed: 2, verdicts: 2 });
    edit(kernel, (text) => text.replace('args.x[i];', `args.x[i]${fault}`));
    expect(await resume()).toEqual({ passed: 1, wrong: 1 });
    const page = await genHere(path, ['report']);
    expect(page.stdout).toMatch(/verdicts \| (1 passed, 1 wrong|1 wrong, 1 passed) \|/);
    expect((await genHere(path, ['show', 'scale.t64.e2-a379'])).stdout).toContain('verdict wrong');
  });

  test('a part of the gate is none: nothing that passed it alone is emitted', slow, async () => {
    const { path, out } = workspace();
    const some = ['scale', '--preset', 'sound', '--device', 'emulated'];
    const { code } = await genHere(path, ['validate', ...some, '--case', 'ragged']);
    expect(code).toBe(0);
    const { code: none, stderr } = await genHere(path, ['emit']);
    expect(none).toBe(1);
    expect(stderr).toContain('nothing has passed in this run');
    expect(existsSync(join(out, 'library'))).toBe(false);
    const { stderr: refused } = await genHere(path, ['sweep', ...some, '--case', 'ragged']);
    expect(refused).toContain("unknown option '--case'");
  });

  test('a stopped gate of one file goes on with that file, and ships nothing', slow, async () => {
    const { path, out } = workspace({ fresh: true });
    const id = 'scale.t64-e3b0';
    await genHere(path, ['render', 'scale', id]);
    const file = join(path, 'mine.cu');
    const text = readFileSync(join(out, `sources/scale/${id}.cu`), 'utf8');
    writeFileSync(file, text.replace('args.x[i];', 'args.x[i] + 1.0f;'));
    const judged = await genHere(path, ['validate', 'scale', file, '--device', 'emulated', '--json']);
    const { run } = summaryOf(judged.events);
    writeFileSync(join(run, 'journal.jsonl'), '');
    const resumed = await genHere(path, ['sweep', '--resume', run, '--json']);
    expect(verdictsOf(resumed.events)).toEqual({ [id]: 'wrong' });
    writeFileSync(file, text);
    expect(summaryOf((await genHere(path, ['sweep', '--resume', run, '--json'])).events)).toMatchObject({
      verdicts: { passed: 1 },
      library: null,
    });
  });

  test('nothing that passes: exit code 1 and no library', slow, async () => {
    const { path, out } = workspace();
    const { code, stdout } = await genHere(path, [
      'sweep',
      'scale',
      '--preset',
      'broken',
      '--device',
      'emulated',
    ]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/compile: 1 variant[\s\S]*wrong: 1 variant/);
    expect(existsSync(join(out, 'library'))).toBe(false);
  });

  test('nothing that is asked for: exit code 1, without a compiler or a device', slow, async () => {
    const where = ['--where', 'threads == 64 && threads == 128'];
    const bare = { PATH: '/nowhere', CUDA_HOME: '', CUDA_PATH: '', TILEWRIGHT_CACHE: '/nowhere', CXX: '' };
    const { code, events } = await genHere(workspace().path, ['sweep', 'scale', ...where, '--json'], bare);
    expect(events.map(({ event }) => event)).toEqual(['start', 'space', 'note', 'summary']);
    expect(events[2]).toMatchObject({ message: 'no point fulfils --where' });
    expect(summaryOf(events)).toMatchObject({
      funnel: { points: 36, legal: 0 },
      untimed: 'there is no variant to time',
    });
    expect(code).toBe(1);
  });

  test('nothing that is legal: exit code 1, and which constraint it is', slow, async () => {
    const where = ['--where', "threads == 64 && perThread == 1 && defect == 'wrong'"];
    const { code, stderr } = await genHere(workspace().path, ['render', 'scale', ...where]);
    expect(stderr).toMatch(
      /no point of --where is legal on sm_90a: ruled out by defects are planted once 1;/,
    );
    expect(code).toBe(1);
  });
});

describe('stages by themselves', () => {
  test('render, build, validate, select and emit on a run', slow, async () => {
    const { path, out } = workspace();
    const flags = ['--preset', 'sound', '--json'];
    expect(summaryOf((await genHere(path, ['render', 'scale', ...flags])).events).funnel).toMatchObject({
      rendered: 6,
      compiled: 0,
    });
    expect(summaryOf((await genHere(path, ['build', 'scale', ...flags])).events).funnel).toMatchObject({
      compiled: 6,
      passed: 0,
    });
    const early = await genHere(path, ['emit']);
    expect(early.stderr).toMatch(/nothing has passed in this run; gate it: .* sweep --resume scale-/);
    expect(early.code).toBe(1);
    const gated = await genHere(path, ['validate', 'scale', ...flags, '--device', 'emulated']);
    expect(summaryOf(gated.events)).toMatchObject({ funnel: { passed: 6 }, library: null });
    const run = summaryOf(gated.events).run;
    for (const flags of [[], ['--device', 'auto']]) {
      const bare = { PATH: '/nowhere' }; // no nvidia-smi
      const untimed = await genHere(path, ['time', run, ...flags, '--json'], bare);
      expect(untimed.events.map(({ event }) => event)).toEqual(['start', 'space', 'error']);
      expect(untimed.events[2]).toMatchObject({
        kind: 'environment',
        message: expect.stringMatching(
          /^cannot time: .* mean nothing; `npx gen time --device auto` uses a GPU/,
        ),
      });
      expect(untimed.stderr).not.toContain('go on with');
      expect(untimed.code).toBe(2);
    }
    expect((await genHere(path, ['select', run])).code).toBe(0);
    expect(JSON.parse(readFileSync(join(run, 'selection.json'), 'utf8'))).toMatchObject({
      family: 'scale',
      timed: false,
    });
    // A name that there is not is refused before anything is emitted.
    const misspelt = await genHere(path, ['emit', run, 'scael', '--json']);
    expect(misspelt.code).toBe(2);
    expect(misspelt.events).toMatchObject([
      { event: 'error', message: expect.stringContaining("no run 'scael'") },
    ]);
    // Records of the journal count again: the summary is still that of the whole run.
    expect(summaryOf((await genHere(path, ['emit', run, '--json'])).events)).toMatchObject({
      funnel: { compiled: 6, passed: 6 },
      verdicts: { passed: 6 },
      library: join(out, 'library'),
    });
  });

  test('emit that does not compile leaves the verdicts as they were', slow, async () => {
    const { path, out, family } = workspace();
    const verdicts = () => {
      const journal = readFileSync(join(openRun(join(out, 'runs')).path, 'journal.jsonl'), 'utf8');
      return journal.match(/"event":"verdict"/g)?.length;
    };
    await genHere(path, ['validate', 'scale', '--preset', 'sound', ...two, '--device', 'emulated']);
    expect(verdicts()).toBe(2);
    const kernel = join(family, 'scale.cu.hbs');
    edit(kernel, (text) => text.replace('args.x[i];', 'args.x[i] broken;'));
    const failed = await gen(path, ['emit', '--json']);
    expect(failed.code).toBe(1);
    expect(summaryOf(failed.events).verdicts).toEqual({ compile: 2 });
    edit(kernel, (text) => text.replace(' broken;', ';'));
    const emitted = await gen(path, ['emit', '--json']);
    expect(summaryOf(emitted.events)).toMatchObject({
      verdicts: { passed: 2 },
      library: join(out, 'library'),
    });
    expect(verdicts()).toBe(2);
  });

  test('validate takes an edited file of a variant', slow, async () => {
    const { path, out } = workspace();
    const id = 'scale.t64-e3b0';
    await genHere(path, ['render', 'scale', id]);
    const file = join(path, 'mine.cu');
    const text = readFileSync(join(out, 'sources/scale', `${id}.cu`), 'utf8');
    writeFileSync(file, text);
    const same = await genHere(path, ['validate', 'scale', 'mine.cu', '--device', 'emulated', '--json']);
    expect(same.code).toBe(0);
    // The hash by which wisdom and evidence know a source: that of the text, wherever it came from.
    expect(same.events).toContainEqual(expect.objectContaining({ event: 'artifact', source: sha256(text) }));
    edit(file, (text) => text.replace('args.alpha * args.x[i]', 'args.x[i]'));
    const { code, stdout } = await genHere(path, ['validate', 'mine.cu', '--device', 'emulated']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/wrong: 1 variant/);
    expect(stdout).toContain(`cli.js validate scale ${file} --as ${id}`);
    // The copy's defect does not count against the variant.
    expect((await genHere(path, ['show', id])).stdout).toMatch(/^verdict passed/m);
    edit(file, (text) => text.replace(/^\/\/ .*\n/, ''));
    expect(
      (await genHere(path, ['validate', 'scale', 'mine.cu', '--as', id, '--device', 'emulated'])).code,
    ).toBe(1);
  });

  test('list, show and why', slow, async () => {
    const { path } = workspace();
    expect((await genHere(path, ['list'])).stdout).toContain('scale  y = alpha * x');
    expect(
      (await genHere(path, ['list', 'scale', '--where', 'threads == 64 && perThread == 2'])).stdout,
    ).toBe('scale.t64.e2-a379\n');
    expect((await genHere(path, ['show', 'scale'])).stdout).toContain('Elements per thread.');
    expect((await genHere(path, ['show', 'scale', 'scale.t64.e2-a379'])).stdout).toContain(
      'tile = 128 (derived)',
    );
    // An id says which family it is of.
    expect((await genHere(path, ['show', 'scale.t64.e2-a379'])).stdout).toContain('tile = 128 (derived)');
    expect((await genHere(path, ['why', 'scale.t64.e2-a379'])).stdout).toContain('legal: scale.t64.e2-a379');
    const why = await genHere(path, ['why', 'scale', 'threads=64', 'perThread=1', 'defect=wrong']);
    expect(why.code).toBe(1);
    expect(why.stdout).toMatch(/BROKEN +defects are planted once/);
  });
});
