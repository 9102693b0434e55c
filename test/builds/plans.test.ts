// Kernels that plans of an emitted library take, by its wisdom, for A transposed and other kinds of calls.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastGlob from 'fast-glob';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadFamily } from '../../src/discover.ts';
import { localExecutor } from '../../src/exec/local.ts';
import { isCandidate, namedWorkloads } from '../../src/model/family.ts';
import type { Manifest } from '../../src/model/manifest.ts';
import { dispatchOrder } from '../../src/select/dispatch.ts';
import { packageRoot } from '../../src/util/package-root.ts';
import { emitTestLibrary } from '../helpers/library.ts';
import { testToolchain } from '../helpers/toolchain.ts';

const out = mkdtempSync(join(tmpdir(), 'tilewright-plans-'));
afterAll(() => rmSync(out, { recursive: true, force: true }));

const size = 4096;
const block = 64;
/** Stored blocks of each block row. */
const stored = 6;
const layouts = ['row', 'column'];

interface Call {
  readonly n: number;
  readonly layoutB: string;
  readonly layoutC: string;
  readonly transposeA: 'no' | 'yes';
}

const calls: readonly Call[] = (['no', 'yes'] as const).flatMap((transposeA) =>
  layouts.flatMap((layoutB) =>
    layouts.flatMap((layoutC) => [5, 512, 1001, 1008].map((n) => ({ n, layoutB, layoutC, transposeA }))),
  ),
);
/** As test/fixtures/c/plan_paths.cpp reads it; 0 is f16. */
const lineOf = ({ n, layoutB, layoutC, transposeA }: Call) =>
  [size, n, size, block, stored, 0, 0, layouts.indexOf(layoutB), layouts.indexOf(layoutC)].join(' ') +
  (transposeA === 'yes' ? ' 1\n' : ' 0\n');
const named = ({ n, layoutB, layoutC, transposeA }: Call) =>
  `${transposeA === 'yes' ? 'transposed ' : ''}${layoutB}-${layoutC} ${n}`;

/** The preset `shipped`, as it would be emitted where there is no GPU. */
async function emitShipped(where: string, folder: string, cuda: false | 'empty') {
  const { family, wisdom } = await loadFamily('bsr-spmm');
  const { workloads, guessed } = family.presets.shipped ?? {};
  return emitTestLibrary({
    ...{ out: join(out, folder), presets: ['shipped'], where, cuda },
    winners: wisdom.flatMap(({ arch, records }) => (arch === 'sm_90a' ? records : [])),
    ...{ workloads: namedWorkloads(family, workloads), guessed: namedWorkloads(family, guessed) },
  });
}

/** A program that plans calls by the library's own code in C++. */
async function buildPlanner(library: string, flags: readonly string[], sources: readonly string[]) {
  const { cxx } = await testToolchain();
  const folders = ['', 'include', 'src', 'device', 'src/operations/bsr_spmm', 'simt/include', 'simt/src'];
  const includes = folders.flatMap((one) => ['-I', join(library, one)]);
  const program = join(library, 'plan_paths');
  const built = await localExecutor.run(
    [
      ...[cxx, '-std=c++20', '-O0', '-pthread', ...flags, ...includes],
      ...fastGlob.sync(sources.map((source) => join(library, source))),
      ...[join(packageRoot, 'test/fixtures/c/plan_paths.cpp'), '-o', program],
    ],
    { timeoutMs: 500_000 },
  );
  expect(built.exitCode, built.stderr).toBe(0);
  return program;
}

/** Variant of each call's plan. */
async function plansOf(program: string, env: Readonly<Record<string, string>> = {}) {
  const input = calls.map(lineOf).join('');
  const { exitCode, stdout, stderr } = await localExecutor.run([program], { input, env });
  expect(exitCode, stderr).toBe(0);
  const lines = stdout.trim().split('\n');
  return new Map(calls.map((call, index) => [named(call), lines[index] ?? '']));
}

let manifest: Manifest;
let planner: string;
let plans: ReadonlyMap<string, string>;

beforeAll(async () => {
  const where = 'block == 64 && input == "f16" && output == "f16"';
  const library = await emitShipped(where, 'cuda', 'empty');
  ({ manifest } = library);
  const { cudaHome } = await testToolchain();
  const flags = ['-isystem', join(cudaHome, 'include'), join(packageRoot, 'bench/stand-in-cudart.cpp')];
  planner = await buildPlanner(library.path, flags, [
    ...['src/*.cpp', 'src/tuner/*.cpp', 'src/cuda/*.cpp', 'src/operations/bsr_spmm/operation.cpp'],
    ...['src/manifest.S', 'src/cuda/kernels.S'],
  ]);
  plans = await plansOf(planner);
}, 600_000);

test('plans at the sizes that were timed are of the kernels that were fastest there, and wide ones between them on wgmma', async () => {
  const { wisdom } = await loadFamily('bsr-spmm');
  const records = wisdom.flatMap(({ arch, records }) => (arch === 'sm_90a' ? records : []));
  const fastest = new Map(records.map(({ workload, variant }) => [workload, variant]));
  for (const call of calls) {
    const { n, layoutB, layoutC, transposeA } = call;
    const kind = `cell${transposeA === 'yes' ? '.transposed' : ''}.f16.${layoutB}-${layoutC}`;
    const plan = plans.get(named(call));
    if (n === 512) expect(plan, named(call)).toMatch(/^bsr_spmm\.wgmma\.b64\./);
    else expect(plan, named(call)).toBe(fastest.get(`${kind}.${n}.b64`));
  }
});

test('GPUs that nobody compiled for take fallbacks by their PTX, as far as these find shared memory there', async () => {
  const { variants } = manifest.operations.bsr_spmm ?? { variants: [] };
  const most = 48 * 1024;
  const env = { STAND_IN_CAPABILITY: '120', STAND_IN_SHARED_BYTES: String(most) };
  for (const [call, id] of await plansOf(planner, env)) {
    const variant = variants.find((one) => one.id === id);
    expect(variant?.fallback, call).toBe(true);
    expect(variant?.images.map(({ arch }) => arch)).toEqual(['sm_90a', 'compute_80']);
    expect(variant?.sharedBytes, call).toBeLessThanOrEqual(most);
  }
  const older = await localExecutor.run([planner], {
    input: calls.map(lineOf).join(''),
    env: { STAND_IN_CAPABILITY: '75' },
  });
  expect(older.stderr).toContain('compiled for sm_90a, the device is sm_75');
});

test('gen cells asks the variants in the order in which the library does', async () => {
  const { family } = await loadFamily('bsr-spmm');
  const { variants, policy, timings = [] } = manifest.operations.bsr_spmm ?? { variants: [], policy: [] };
  expect(timings).toEqual([]);
  const selection = {
    ...{ family: family.name, timed: false, unserved: [], tolerance: 0 },
    ...{ variants: variants.map(({ id }) => id), choices: policy },
    fallbacks: variants.filter(({ fallback }) => fallback).map(({ id }) => id),
  };
  const orderOf = dispatchOrder(family, selection);
  for (const call of calls.filter(({ n }) => n === 512 || n === 1008)) {
    const { transposeA, ...rest } = call;
    const pattern = { kind: 'equal-rows', density: stored / (size / block) };
    const sizes = { m: size, k: size, block, input: 'f16', output: 'f16', pattern };
    const workload = { id: named(call), problem: { ...sizes, ...rest, transposeA } };
    const able = orderOf(workload).filter((id) => {
      const variant = variants.find((one) => one.id === id);
      return variant !== undefined && isCandidate(family, variant.parameters, workload);
    });
    expect(plans.get(named(call)), named(call)).toBe(able[0]);
  }
});
