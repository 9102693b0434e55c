// Families whose C++ is broken in one place: the runner tells that it is the family's fault, and which place it is. What is wrong
// in family.ts alone is in test/unit/malformed-families.test.ts.
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileEmulated } from '../../src/compile/host.ts';
import { buildWorker } from '../../src/compile/worker.ts';
import { jobVariant } from '../../src/device/job-variant.ts';
import type { GateJob } from '../../src/device/protocol.ts';
import { type DeviceSession, openDevice } from '../../src/device/session.ts';
import { loadFamily } from '../../src/discover.ts';
import { EnvironmentError, UsageError } from '../../src/errors.ts';
import { localExecutor } from '../../src/exec/local.ts';
import { renderVariant } from '../../src/render/render.ts';
import { enumerate } from '../../src/space/enumerate.ts';
import { packageRoot } from '../../src/util/package-root.ts';
import { gen, genHere } from '../helpers/gen.ts';
import { breakFile, newFamily } from '../helpers/malformed.ts';
import { contextOf, testCache, testToolchain } from '../helpers/toolchain.ts';

const slow = { timeout: 240_000 };
const sweep = ['sweep', 'my-op', '--preset', 'quick', '--limit', '2', '--device', 'emulated'];

/** Folders that outlive a test. */
const kept: string[] = [];

/** A new family that a sweep finds, with the artifacts of earlier tests. */
function workspace(kept?: string[]): { readonly root: string; readonly folder: string } {
  const made = newFamily(kept);
  writeFileSync(join(made.root, 'gen.config.ts'), "export default { families: ['templates/kernels/*'] };\n");
  mkdirSync(join(made.root, 'generated'));
  mkdirSync(testCache, { recursive: true });
  symlinkSync(testCache, join(made.root, 'generated/artifacts'));
  return made;
}

/** Sweeps; what is said must be of exit code 2, of the family, and of no bug and no stack. */
async function refusalOf(root: string, run: typeof gen = genHere): Promise<string> {
  const { code, stderr } = await run(root, sweep, { CUDA_VISIBLE_DEVICES: '' });
  expect(stderr).not.toMatch(/this is a bug|^\s+at .*:\d+:\d+\)?$/m);
  expect(code).toBe(2);
  return stderr.slice(stderr.indexOf('error:')).replaceAll(/\s*\n\s*/g, ' ');
}

type Defect = readonly [number: number, code: string, says: RegExp];

/** Defects of the oracle below by number, each with the code that a problem asks for and the message that it gets. */
const defects: readonly Defect[] = [
  [1, 'throw std::runtime_error("boom");', /oracle\.hpp:\d+: make_problem\(\): boom \(case 'one' of my_op/],
  [2, 'throw 7;', /make_problem\(\): something that is no std::exception/],
  [3, 'throw std::out_of_range("boom");', /make_problem\(\): boom/],
  [4, 'std::vector<float>(static_cast<std::size_t>(-1));', /make_problem\(\): .*vector/],
  [
    5,
    'std::vector<char>(std::size_t{1} << 60);',
    /not enough memory for case 'one' of my_op\S*: memory runs out; lower --jobs/,
  ],
  [6, 'problem.at("cuont");', /family\.ts.*the family asks for a problem that its oracle refuses: .*cuont/],
  [7, 'throw std::invalid_argument("boom");', /its oracle refuses: boom \(case 'one' of my_op/],
  [
    8,
    'std::abort();',
    /oracle\.hpp: the family's C\+\+ crashes the runner before any kernel runs: it died of SIGABRT/,
  ],
  [9, '*static_cast<volatile int*>(nullptr) = 1;', /it died of SIGSEGV.*\(case 'one' of my_op/],
  [10, 'raise(8);', /it died of SIGFPE/],
  [
    11,
    'tensors_[0].image.pop_back(); tensors_[0].cols = 1; tensors_[0].image.resize(3);',
    /tensors\(\): tensor 'x': the image has 3 bytes/,
  ],
  [12, 'tensors_[0].rows = -1;', /tensors\(\): tensor 'x' has a negative number of rows/],
  [13, 'tensors_.pop_back();', /no tensor is an output: there is nothing to judge/],
  [
    14,
    'tensors_[0].rows = 2; tensors_[0].cols = 4; tensors_[0].stride = 3;',
    /rows of 4 elements only 3 apart/,
  ],
];
const ofReference: readonly Defect[] = [
  [
    21,
    'y.value.push_back(0);',
    /oracle\.hpp:\d+: reference\(\): 1 values and 0 bounds for the 0 elements of 'y' \(case 'one' of my_op/,
  ],
  [22, 'y.bound.push_back(0);', /0 values and 1 bounds for the 0 elements of 'y'/],
  [23, 'return {y, y};', /2 references for 1 outputs/],
  [24, 'return {};', /no reference for the output 'y'/],
  [25, 'throw std::logic_error("boom");', /reference\(\): boom/],
  [26, 'throw std::bad_alloc();', /not enough memory for case 'one'/],
];
const ofBounds: readonly Defect[] = [
  [31, 'bound = -1;', /the bound of element 0 of 'y' is -1.*case 'one' of my_op/],
  [32, 'bound = std::nan("");', /the bound of element 0 of 'y' is -?nan/],
  [33, 'bound = HUGE_VAL;', /the bound of element 0 of 'y' is inf/],
];
const ofWorkspace: readonly Defect[] = [
  [41, 'throw std::logic_error("boom");', /bind\(\): boom \(case 'one' of my_op/],
  [
    42,
    'Bound bound; bound.workspace.bytes = 1; bound.workspace.contents.resize(2); return bound;',
    /its contents, cleared range or scratch .* reaches beyond its 1 bytes/,
  ],
  [
    43,
    'Bound bound; bound.workspace.bytes = bound.workspace.clear_bytes = 8; bound.workspace.clear_offset = 4; return bound;',
    /its contents, cleared range or scratch .* reaches beyond its 8 bytes/,
  ],
];
const ofLaunches: readonly Defect[] = [
  [
    51,
    'parameters.number("tiel");',
    /oracle\.hpp:\d+: bind\(\): variant has no parameter 'tiel'; there are .*; did you mean 'tile'\? \(case 'one' of my_op/,
  ],
  [52, 'parameters.text("threads");', /oracle\.hpp:\d+: bind\(\): parameter 'threads' is a number/],
  [53, 'throw std::runtime_error("boom");', /bind\(\): boom/],
  [54, 'raise(11);', /crashes the runner before any kernel runs: it died of SIGSEGV/],
];
const all: readonly Defect[] = [...defects, ...ofReference, ...ofBounds, ...ofWorkspace, ...ofLaunches];

/** All defects in one oracle, which is made of tensors alone: it is compiled once. */
function plant(folder: string): void {
  cpSync(join(packageRoot, 'test/fixtures/axpy_oracle.hpp'), join(folder, 'oracle.hpp'));
  const when = (name: string, list: readonly Defect[]) =>
    list.map(([number, code]) => `    if (${name} == ${number}) { ${code} }`).join('\n');
  const oracle = (from: string, to: string) => breakFile(folder, 'oracle.hpp', from, to);
  oracle('#include <cmath>', '#include <cmath>\n#include <csignal>');
  oracle('    if (count_ < 0)', '    defect_ = problem.integer("defect", 0);\n    if (count_ < 0)');
  oracle('tensor("y", Role::inout, y_, offset)};', `$&\n${when('defect_', defects)}`);
  oracle('    Reference y;\n', `$&${when('defect_', ofReference)}\n`);
  oracle('      const double bound =', '      double bound =');
  oracle('      y.value.push_back(value);', `${when('defect_', ofBounds)}\n$&`);
  oracle('      y.bound.push_back(exact_ ||', '      y.bound.push_back(defect_ > 0 ? bound : exact_ ||');
  oracle('    Shape shape{};', `${when('defect_', [...ofWorkspace, ...ofLaunches])}\n$&`);
  oracle('  std::int64_t count_;', '  std::int64_t count_, defect_ = 0;');
}

describe('a family whose C++ is broken', () => {
  let session: DeviceSession;
  let job: (problem: object) => GateJob;
  beforeAll(async () => {
    const { root, folder } = workspace(kept);
    plant(folder);
    const { family } = await loadFamily('my-op', { root });
    const [variant] = enumerate(family, { preset: 'quick' }).variants;
    if (!variant) throw new Error('quick is empty');
    const toolchain = await testToolchain();
    const context = contextOf({ family, folder });
    const artifact = await compileEmulated(renderVariant(family, folder, variant), toolchain, context);
    if ('verdict' in artifact) throw new Error(artifact.evidence.message);
    const worker = await buildWorker('emulated', toolchain, context);
    const opened = await openDevice('emulated', worker.path, localExecutor, undefined, { folder });
    if (!opened.available) throw new Error(opened.reason);
    session = opened.session;
    job = (problem) => ({
      variant: jobVariant(artifact),
      cases: [{ id: 'one', tier: 'exact', problem: { alpha: 3, values: 'integers', seed: 1, ...problem } }],
      schedules: [],
      vendor: false,
    });
  }, 240_000);
  afterAll(async () => {
    await session?.close();
    for (const path of kept.splice(0)) rmSync(path, { recursive: true, force: true });
  });

  test.each(all)('defect %i: %s', slow, async (number, _, says) => {
    const count = number > 30 ? 1 : 0;
    const error = await session.gate(job({ count, defect: number })).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(says.source.includes('memory') ? EnvironmentError : UsageError);
    expect((error as Error).message).toMatch(says);
    expect((error as Error).message).toContain("case 'one' of my_op.t64-e3b0");
  });

  test('a launch that crashes the worker behind kernels that ran is named as such', slow, async () => {
    const both = job({ count: 1 });
    const [sound] = both.cases;
    if (!sound) throw new Error('there is no case');
    const broken = { ...sound, id: 'two', problem: { ...sound.problem, defect: 54 } };
    expect(await session.gate({ ...both, cases: [sound, broken] })).toMatchObject({
      verdict: 'fault',
      evidence: {
        case: 'two',
        message: expect.stringMatching(
          /SIGSEGV in case 'two', while the family's C\+\+ prepared it: .*launch\.hpp/,
        ),
      },
    });
  });

  test('none of the defects is there where it is not asked for', slow, async () => {
    expect(await session.gate(job({ count: 1000 }))).toMatchObject({ verdict: 'passed' });
  });

  test('a parameter that launch.hpp misspells is named, with the nearest and the variant', slow, async () => {
    const { root, folder } = workspace();
    breakFile(folder, 'launch.hpp', 'parameters.number("tile")', 'parameters.number("tiel")');
    // The sweep's two variants are gated at the same time: either may be the first to be refused.
    expect(await refusalOf(root)).toMatch(
      /launch\.hpp:\d+: bind\(\): variant has no parameter 'tiel'; there are tile, threads, vector, unroll; did you mean 'tile'\? \(case 'integers-0' of my_op\.t(64|256\.v2\.u4)-[0-9a-f]{4}\)/,
    );
  });

  test('an interface that does not compile ends the sweep before a library is named', slow, async () => {
    const { root, folder } = workspace();
    breakFile(folder, 'family.ts', '  scalars:', "  features: { length: { doc: 'elements' } },\n  scalars:");
    breakFile(folder, 'family.ts', 'export default defineFamily({', '$&\n  features: () => ({ length: 1 }),');
    writeFileSync(join(folder, 'features.hpp'), '#pragma once\n#include "operation.hpp"\nint x = nothing;\n');
    expect(await refusalOf(root)).toMatch(
      /my-op\/features\.hpp:\d+:\d+: error: .*nothing.* the library's interface does not compile/,
    );
  });

  test('a family.ts that waits for ever is told to', slow, async () => {
    const { root, folder } = workspace();
    breakFile(folder, 'family.ts', 'export default', 'await new Promise(() => {});\nexport default');
    expect(await refusalOf(root, gen)).toMatch(/family\.ts: it waits for a promise that nothing settles/);
  });
});
