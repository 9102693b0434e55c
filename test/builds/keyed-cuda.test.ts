// Contexts of the CUDA library where the runtime is a stand-in: what the emulated device cannot show.
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastGlob from 'fast-glob';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { localExecutor } from '../../src/exec/local.ts';
import { packageRoot } from '../../src/util/package-root.ts';
import { emitTestLibrary } from '../helpers/library.ts';
import { testToolchain } from '../helpers/toolchain.ts';

const wrapped = [
  ...['cudaMalloc', 'cudaFree', 'cudaStreamSynchronize', 'cudaEventSynchronize', 'cudaMemcpyAsync'],
  ...['cudaStreamIsCapturing', 'cudaLaunchKernelExC', 'cudaGetDeviceProperties'],
];

/** A stand-in for the part of cuSPARSE that the library calls; every call succeeds, and none computes. */
const cusparse = [
  ...['Create', 'Destroy', 'SetStream', 'CreateBsr', 'CreateDnMat', 'DestroySpMat', 'DestroyDnMat'],
  ...['SpMM_bufferSize', 'SpMM'],
]
  .map((name) => `extern "C" int cusparse${name}(...) { return 0; }\n`)
  .join('');

let library: string;
let cxx: string;
let includes: readonly string[];
let out: string;

beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'tilewright-keyed-cuda-'));
  const toolchain = await testToolchain();
  cxx = toolchain.cxx;
  ({ path: library } = await emitTestLibrary({
    out,
    presets: ['shipped'],
    where: 'block == 64 && input == "f16" && output == "f16"',
    cuda: 'empty',
  }));
  const folders = ['', 'include', 'src', 'device', 'src/operations/bsr_spmm'];
  includes = [
    ...folders.flatMap((one) => ['-I', join(library, one)]),
    ...['-isystem', join(toolchain.cudaHome, 'include')],
  ];
}, 300_000);
afterAll(() => rm(out, { recursive: true, force: true }));

/** Builds a program of sources in test/fixtures/c and of the library's, over a runtime that is a stand-in. */
async function build(name: string, calls: readonly string[], sources: readonly string[]): Promise<string> {
  const program = join(out, name);
  const argv = [
    ...[cxx, '-std=c++20', '-O1', '-pthread', ...includes],
    ...calls.map((call) => `-Wl,--wrap=${call}`),
    ...sources,
    join(packageRoot, 'bench/stand-in-cudart.cpp'),
    join(packageRoot, `test/fixtures/c/${name}.cpp`),
    ...['-o', program],
  ];
  const built = await localExecutor.run(argv, { timeoutMs: 500_000 });
  expect(built.exitCode, built.stderr).toBe(0);
  return program;
}

async function share(source: string, name: string): Promise<void> {
  const argv = [cxx, '-std=c++17', '-shared', '-fPIC', '-O1', '-x', 'c++', source, '-o', join(out, name)];
  const built = await localExecutor.run(argv);
  expect(built.exitCode, built.stderr).toBe(0);
}

test('the dense product of a block-sparse matrix is right in every layout', async () => {
  const own = ['src/tuner/vendor.cpp', 'src/cuda/device.cpp', 'src/cuda/tuning.cpp', 'src/cuda/launcher.cpp'];
  const sources = own.map((file) => join(library, file));
  const program = await build('dense_call', ['cudaMemcpyAsync', 'cudaMemsetAsync'], sources);
  for (const name of ['libcusparse.so.12', 'libcublasLt.so.13'])
    await share(join(packageRoot, 'test/fixtures/c/vendors.cpp'), name);
  const { exitCode, stdout, stderr } = await localExecutor.run([program], { env: { LD_LIBRARY_PATH: out } });
  expect(exitCode, stderr).toBe(0);
  expect(stdout).toBe('144\n');
}, 120_000);

test('tensor maps have the addresses of the call, also of a driver that does not keep them in front', async () => {
  const program = await build(
    'moved_maps',
    ['cudaLaunchKernelExC'],
    [join(library, 'src/cuda/launcher.cpp')],
  );
  for (const at of ['0', '8']) {
    const { exitCode, stdout, stderr } = await localExecutor.run([program, at], {
      env: { STAND_IN_MAP_AT: at },
    });
    expect(exitCode, stderr).toBe(0);
    expect(stdout).toBe('OK\n');
  }
}, 120_000);

test('captured calls on a miss neither allocate nor wait; kernels that fail to launch are replaced and remembered', {
  timeout: 600_000,
}, async () => {
  const parts = ['*.cpp', 'tuner/*.cpp', 'cuda/*.cpp', 'operations/bsr_spmm/operation.cpp'];
  const assembly = ['src/manifest.S', 'src/cuda/kernels.S'].map((file) => join(library, file));
  const sources = [...fastGlob.sync(parts.map((part) => join(library, 'src', part))), ...assembly];
  const program = await build('keyed_cuda', wrapped, sources);
  const run = async (there: 'yes' | 'no', env: Readonly<Record<string, string>>) => {
    const words = [program, join(out, `cache ${there}`), there];
    const { exitCode, stdout, stderr } = await localExecutor.run(words, { env });
    expect(exitCode, stderr).toBe(0);
    expect(stdout).toBe('OK\n');
  };
  await run('no', {});
  const found = join(out, 'cusparse');
  mkdirSync(found);
  writeFileSync(join(out, 'cusparse.c'), cusparse);
  await share(join(out, 'cusparse.c'), 'cusparse/libcusparse.so.12');
  await run('yes', { LD_LIBRARY_PATH: found });
});
