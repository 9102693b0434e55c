import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { defaultJobs } from '../../src/compile/context.ts';
import { buildWorker } from '../../src/compile/worker.ts';
import type { JobVariant } from '../../src/device/protocol.ts';
import { type DeviceSession, openDevice, type Patience } from '../../src/device/session.ts';
import { localExecutor } from '../../src/exec/local.ts';
import type { Arch } from '../../src/model/arch.ts';
import type { DeviceName } from '../../src/model/artifact.ts';
import type { Toolchain } from '../../src/toolchain/find.ts';
import { hashOf } from '../../src/util/hash.ts';
import { Slots } from '../../src/util/limit.ts';
import { packageRoot } from '../../src/util/package-root.ts';

/** Of the C++ tests: a family of a dozen small kernels, most of them broken in one way. */
const familyFolder = join(packageRoot, 'harness/test/family');
const slots = new Slots(defaultJobs());
const cacheRoot = join(packageRoot, 'node_modules/.cache/tilewright');

export interface Bench {
  readonly worker: string;
  readonly kernels: string;
}

/** Builds the emulated runner of the tests' family and its kernels; the cache makes all but the first call short. */
export async function buildBench(): Promise<Bench> {
  mkdirSync(cacheRoot, { recursive: true });
  const version = await localExecutor.run(['g++', '-dumpfullversion']);
  const compilers = {
    cudaHome: '',
    nvcc: '',
    nvccVersion: '',
    cxx: 'g++',
    cxxVersion: version.stdout.trim(),
  };
  const context = { executor: localExecutor, cacheRoot, packageRoot, familyFolder, slots };
  const worker = await buildWorker('emulated', compilers, context);
  return { worker: worker.path, kernels: await buildKernels() };
}

async function buildKernels(): Promise<string> {
  const source = join(familyFolder, 'kernels.cpp');
  const include = join(packageRoot, 'kit/device');
  const hooks = ['-fsanitize=thread', '--param', 'tsan-instrument-func-entry-exit=0'];
  const flags = ['-std=c++20', '-O1', '-g1', '-fPIC', '-fno-strict-aliasing', ...hooks];
  const headers = ['simt/kernel.hpp', 'simt/simt.hpp'].map((name) =>
    readFileSync(join(include, name), 'utf8'),
  );
  const key = hashOf(readFileSync(source, 'utf8'), ...headers, flags.join(' '));
  const out = join(cacheRoot, `axpby-${key.slice(0, 16)}.so`);
  if (existsSync(out)) return out;
  const part = `${out}.${process.pid}`;
  await run(['g++', ...flags, '-I', include, '-c', source, '-o', `${part}.o`]);
  await run(['g++', '-shared', `${part}.o`, '-o', part]);
  rmSync(`${part}.o`);
  renameSync(part, out);
  return out;
}

async function run(argv: readonly string[]): Promise<void> {
  const result = await localExecutor.run(argv);
  if (result.exitCode !== 0) throw new Error(result.stderr);
}

/** The same for a GPU: kernels.cu as a cubin. */
export async function buildCudaBench(toolchain: Toolchain, arch: Arch): Promise<Bench> {
  mkdirSync(cacheRoot, { recursive: true });
  const context = { executor: localExecutor, cacheRoot, packageRoot, familyFolder, slots };
  const worker = await buildWorker('cuda', toolchain, context);
  const source = join(familyFolder, 'kernels.cu');
  const kernels = join(
    cacheRoot,
    `axpby-${hashOf(readFileSync(source, 'utf8'), arch.gencode).slice(0, 16)}.cubin`,
  );
  await run([toolchain.nvcc, '-cubin', '-std=c++17', '-O3', '-gencode', arch.gencode, source, '-o', kernels]);
  return { worker: worker.path, kernels };
}

export async function openBench(
  bench: Bench,
  patience?: Patience,
  device: DeviceName = 'emulated',
): Promise<DeviceSession> {
  const opened = await openDevice(device, bench.worker, localExecutor, patience);
  if (!opened.available) throw new Error(opened.reason);
  return opened.session;
}

/** `axpby_good`, `axpby_race`, ...: see kernels.cpp. */
export function jobVariantOf({ kernels }: Bench, kernel: string): JobVariant {
  const symbol = `axpby_${kernel}`;
  return { id: symbol, symbol, artifact: kernels, parameters: { vector: 4 }, deterministic: true };
}
