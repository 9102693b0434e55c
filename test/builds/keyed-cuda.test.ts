// Contexts of the CUDA library where the runtime is a stand-in: what the emulated device cannot show.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fastGlob from 'fast-glob';
import { expect, test } from 'vitest';
import { localExecutor } from '../../src/exec/local.ts';
import { packageRoot } from '../../src/util/package-root.ts';
import { folderOf } from '../helpers/folder.ts';
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

test('captured calls on a miss neither allocate nor wait; kernels that fail to launch are replaced and remembered', {
  timeout: 600_000,
}, async () => {
  const { cudaHome, cxx } = await testToolchain();
  const out = folderOf();
  const { path } = await emitTestLibrary({
    out,
    presets: ['shipped'],
    where: 'block == 64 && input == "f16" && output == "f16"',
    cuda: 'empty',
  });
  const folders = ['src', 'src/tuner', 'src/cuda', 'src/operations/bsr_spmm'].map((one) => join(path, one));
  const program = join(out, 'keyed_cuda');
  const includes = ['', 'include', 'src', 'device', 'src/operations/bsr_spmm'].flatMap((one) => [
    '-I',
    join(path, one),
  ]);
  const argv = [
    ...[cxx, '-std=c++20', '-O1', '-pthread', ...includes, '-isystem', join(cudaHome, 'include')],
    `-Wl,${wrapped.map((name) => `--wrap=${name}`).join(',')}`,
    ...fastGlob.sync(folders.map((folder) => `${folder}/*.cpp`)),
    ...[join(path, 'src/manifest.S'), join(path, 'src/cuda/kernels.S')],
    join(packageRoot, 'bench/stand-in-cudart.cpp'),
    join(packageRoot, 'test/fixtures/c/keyed_cuda.cpp'),
    ...['-o', program],
  ];
  const built = await localExecutor.run(argv, { timeoutMs: 500_000 });
  expect(built.exitCode, built.stderr).toBe(0);
  const run = async (there: 'yes' | 'no', env: Readonly<Record<string, string>>) => {
    const words = [program, join(out, `cache ${there}`), there];
    const { exitCode, stdout, stderr } = await localExecutor.run(words, { env });
    expect(exitCode, stderr).toBe(0);
    expect(stdout).toBe('OK\n');
  };
  await run('no', {});
  writeFileSync(join(out, 'cusparse.c'), cusparse);
  const shared = [cxx, '-shared', '-fPIC', '-x', 'c++', join(out, 'cusparse.c'), '-o'];
  const library = await localExecutor.run([...shared, join(out, 'libcusparse.so.12')]);
  expect(library.exitCode, library.stderr).toBe(0);
  await run('yes', { LD_LIBRARY_PATH: out });
});
