import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { EnvironmentError } from '../errors.ts';
import type { Executor } from '../exec/executor.ts';
import { cachePaths } from './paths.ts';

/** Compilers and libraries that this machine offers, and where they come from. */
export interface Toolchain {
  readonly cudaHome: string;
  readonly nvcc: string;
  /** `13.0.88`. */
  readonly nvccVersion: string;
  readonly origin: 'CUDA_HOME' | 'PATH' | 'system' | 'installed';
  readonly cxx: string;
  /** `12.2.0`. */
  readonly cxxVersion: string;
  /** Folders for LD_LIBRARY_PATH when a program runs that uses the toolkit's shared libraries. */
  readonly libraryPath: readonly string[];
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The oldest toolkit that knows sm_90a and C++17 as the kernels use them. */
const oldestCuda = 12;
const oldestCxx = 12;

interface Candidate {
  readonly origin: Toolchain['origin'];
  readonly home: string;
}

/** A toolkit that is there but cannot be used, and why. */
export interface Passed {
  readonly home: string;
  readonly why: string;
}

/** The CUDA part of a toolchain. */
export type Toolkit = Omit<Toolchain, 'cxx' | 'cxxVersion'>;

/**
 * The first usable CUDA toolkit of: CUDA_HOME (or CUDA_PATH), nvcc on PATH, /usr/local/cuda, our own. `passed` lists
 * those that were there and could not be used.
 */
export async function findToolkit(
  environment: Environment,
  executor: Executor,
): Promise<{ toolkit?: Toolkit; passed: readonly Passed[] }> {
  const passed: Passed[] = [];
  for (const candidate of candidates(environment)) {
    const found = await inspect(candidate, executor);
    if ('nvcc' in found) return { toolkit: found, passed };
    passed.push(found);
  }
  return { passed };
}

function candidates(environment: Environment): Candidate[] {
  const named = [environment.CUDA_HOME, environment.CUDA_PATH].flatMap((home) =>
    home ? [{ origin: 'CUDA_HOME' as const, home }] : [],
  );
  const onPath = onSearchPath('nvcc', environment);
  return [
    ...named,
    ...(onPath ? [{ origin: 'PATH' as const, home: dirname(dirname(onPath)) }] : []),
    ...['/usr/local/cuda', '/opt/cuda'].map((home) => ({ origin: 'system' as const, home })),
    { origin: 'installed' as const, home: cachePaths(environment).root },
  ].filter(({ home, origin }) => origin === 'CUDA_HOME' || existsSync(home));
}

async function inspect({ origin, home }: Candidate, executor: Executor): Promise<Toolkit | Passed> {
  const nvcc = join(home, 'bin', 'nvcc');
  if (!existsSync(nvcc)) return { home, why: 'it has no bin/nvcc' };
  const version = await versionOf([nvcc, '--version'], /\bV(\d+\.\d+\.\d+)/, executor);
  if (version === undefined) return { home, why: 'its nvcc does not answer `nvcc --version`' };
  if (majorOf(version) < oldestCuda) {
    return { home, why: `it is CUDA ${version}; ${oldestCuda}.0 or newer is needed` };
  }
  const headers = ['include', 'targets/x86_64-linux/include', 'targets/sbsa-linux/include'];
  if (!headers.some((folder) => existsSync(join(home, folder, 'cuda_fp16.h')))) {
    return { home, why: 'it has no include/cuda_fp16.h (the runtime headers are missing)' };
  }
  const libraryPath = ['lib64', 'lib'].map((name) => join(home, name)).filter((path) => existsSync(path));
  return { cudaHome: home, nvcc, nvccVersion: version, origin, libraryPath };
}

/**
 * g++ (or CXX): its command and version. Where CXX is Clang, which packages may be built with, the g++ on PATH: the emulated device needs
 * g++. Throws an EnvironmentError when there is none, or it is too old.
 */
export async function findCxx(
  environment: Environment,
  executor: Executor,
): Promise<Pick<Toolchain, 'cxx' | 'cxxVersion'>> {
  const cxx = (await isClang(environment.CXX, executor)) ? 'g++' : environment.CXX || 'g++';
  const path = cxx.includes('/') ? cxx : onSearchPath(cxx, environment);
  const install = 'install it (Debian, Ubuntu: apt-get install g++) or name one with CXX=/path/to/g++';
  if (path === undefined || !existsSync(path)) {
    throw new EnvironmentError(`there is no C++ compiler '${cxx}': ${install}`);
  }
  const version = await versionOf(
    [path, '-dumpfullversion', '-dumpversion'],
    /^(\d+(?:\.\d+)*)\s*$/m,
    executor,
  );
  if (version === undefined) throw new EnvironmentError(`${path} does not tell its version: ${install}`);
  if (majorOf(version) < oldestCxx) {
    throw new EnvironmentError(
      `${path} is version ${version}, but g++ ${oldestCxx} or newer is needed: ${install}`,
    );
  }
  return { cxx: path, cxxVersion: version };
}

/** Zig's compiler is one, too. */
async function isClang(cxx: string | undefined, executor: Executor): Promise<boolean> {
  return !!cxx && (await versionOf([cxx, '--version'], /(clang)/i, executor)) !== undefined;
}

/** System folders of shared libraries, which programs find by themselves. */
export const systemLibraries: readonly string[] = [
  '/usr/lib/x86_64-linux-gnu',
  '/usr/lib/aarch64-linux-gnu',
  '/usr/lib64',
];

/** Path of cuSPARSE in the first of the folders that has it. */
export function findCusparse(folders: readonly string[]): string | undefined {
  return folders.map((folder) => join(folder, 'libcusparse.so.12')).find((path) => existsSync(path));
}

/** Full path of a program on PATH. */
export function onSearchPath(program: string, environment: Environment): string | undefined {
  return (environment.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder || '.', program))
    .find((path) => existsSync(path));
}

/** A program's version; undefined if it cannot be run or prints something else. */
export async function versionOf(
  argv: readonly string[],
  pattern: RegExp,
  executor: Executor,
): Promise<string | undefined> {
  try {
    const { stdout, stderr } = await executor.run(argv, { timeoutMs: 20_000 });
    return pattern.exec(`${stdout}\n${stderr}`)?.[1];
  } catch {
    return undefined;
  }
}

function majorOf(version: string): number {
  return Number.parseInt(version, 10);
}
