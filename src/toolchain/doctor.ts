import { existsSync, statfsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Executor } from '../exec/executor.ts';
import { makeFolder } from '../util/disk.ts';
import {
  type Environment,
  findCusparse,
  findCxx,
  findToolkit,
  onSearchPath,
  systemLibraries,
  type Toolkit,
  versionOf,
} from './find.ts';
import { findGpus, hasDriver } from './gpu.ts';
import { partNames, parts } from './parts.ts';
import { cachePaths } from './paths.ts';

/** One thing that was looked at. */
export interface Check {
  readonly name: string;
  /** `ok`; `missing`: something cannot be done; `optional`: it may be missing. */
  readonly state: 'ok' | 'missing' | 'optional';
  readonly found: string;
  /** Advice, if something is not as it should be. */
  readonly advice?: string;
}

const oldestNode = [20, 19] as const;
const oldestDriver = 580;

/** Looks at everything that this machine needs to build, gate and time, and says what to do about what is missing. */
export async function diagnose(
  executor: Executor,
  environment: Environment,
  out: string,
): Promise<readonly Check[]> {
  const { toolkit, passed } = await findToolkit(environment, executor);
  const notes = passed.map(
    ({ home, why }): Check => ({ name: 'CUDA toolkit', state: 'optional', found: `${home}: ${why}` }),
  );
  return [
    node(),
    await cxx(executor, environment),
    await python(executor, environment),
    ...notes,
    ...(toolkit ? await toolkitChecks(toolkit, executor, environment) : [missingToolkit(environment)]),
    ...(await gpu(executor)),
    ...(await tools(executor, environment)),
    ...disk(out, environment),
  ];
}

function node(): Check {
  const version = process.versions.node;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [least, leastMinor] = oldestNode;
  const fine = major > least || (major === least && minor >= leastMinor);
  if (fine) return { name: 'Node', state: 'ok', found: version };
  return {
    name: 'Node',
    state: 'missing',
    found: version,
    advice: `install ${oldestNode.join('.')} or newer`,
  };
}

async function cxx(executor: Executor, environment: Environment): Promise<Check> {
  try {
    const { cxx: path, cxxVersion } = await findCxx(environment, executor);
    return { name: 'g++', state: 'ok', found: `${cxxVersion}, ${path}` };
  } catch (error) {
    return { name: 'g++', state: 'missing', found: 'no usable one', advice: (error as Error).message };
  }
}

async function python(executor: Executor, environment: Environment): Promise<Check> {
  const name = 'Python';
  const path = onSearchPath('python3', environment);
  const advice = 'only needed to install the toolkit: apt-get install python3-venv';
  if (path === undefined) return { name, state: 'optional', found: 'no python3', advice };
  const version = await versionOf([path, '--version'], /Python (\S+)/, executor);
  const pip = await versionOf([path, '-m', 'pip', '--version'], /pip (\S+)/, executor);
  const ensurepip = await versionOf([path, '-c', 'import ensurepip; print("yes")'], /(yes)/, executor);
  const found = `${version ?? 'of unknown version'}, ${pip ? `pip ${pip}` : ensurepip ? 'venv' : 'neither pip nor venv'}`;
  return pip || ensurepip ? { name, state: 'ok', found } : { name, state: 'optional', found, advice };
}

function missingToolkit(environment: Environment): Check {
  const advice = `it is installed into ${cachePaths(environment).base} when it is needed; now: npx gen toolchain install; or set CUDA_HOME`;
  return { name: 'CUDA toolkit', state: 'missing', found: 'none', advice };
}

async function toolkitChecks(
  toolkit: Toolkit,
  executor: Executor,
  environment: Environment,
): Promise<readonly Check[]> {
  const { cudaHome, nvccVersion, origin } = toolkit;
  return [
    { name: 'CUDA toolkit', state: 'ok', found: `${nvccVersion} (${origin}), ${cudaHome}` },
    await ptxas(toolkit, executor),
    layout(toolkit),
    cusparse(toolkit, environment),
    ...installedParts(environment),
  ];
}

async function ptxas({ cudaHome, nvccVersion }: Toolkit, executor: Executor): Promise<Check> {
  const version = await versionOf([join(cudaHome, 'bin/ptxas'), '--version'], /V(\d+\.\d+\.\d+)/, executor);
  if (version === nvccVersion) return { name: 'ptxas', state: 'ok', found: version };
  const advice = `nvcc is ${nvccVersion}: parts of two toolkits are mixed; reinstall one of them`;
  return { name: 'ptxas', state: 'missing', found: version ?? 'none', advice };
}

function layout({ cudaHome }: Toolkit): Check {
  const name = 'CUDA layout';
  const wanted = ['lib64', 'lib64/libcudart.so', 'lib64/libcudart_static.a'];
  const absent = wanted.filter((path) => !existsSync(join(cudaHome, path)));
  if (absent.length === 0) return { name, state: 'ok', found: 'lib64, libcudart.so, libcudart_static.a' };
  const advice = 'cubins compile, but nothing links: reinstall the toolkit or unset CUDA_HOME';
  return { name, state: 'optional', found: `no ${absent.join(', ')}`, advice };
}

/** Looked for where a run looks for it. */
function cusparse({ cudaHome, libraryPath }: Toolkit, environment: Environment): Check {
  const own = join(cachePaths(environment).root, 'lib');
  const found = findCusparse([...libraryPath, ...systemLibraries, own]);
  if (found !== undefined) return { name: 'cuSPARSE', state: 'ok', found };
  const { name, downloadMb } = parts.cusparse;
  const advice = `only needed as a baseline on a GPU: npx gen toolchain install --with ${name} (${downloadMb} MB)`;
  return { name: 'cuSPARSE', state: 'optional', found: `not in ${cudaHome}`, advice };
}

function installedParts(environment: Environment): Check[] {
  const paths = cachePaths(environment);
  const present = partNames.filter((name) => existsSync(join(paths.parts, name)));
  if (present.length === 0) return [];
  const words = present.map((name) => (name === 'compile' ? "CUDA's compiler" : name)).join(', ');
  return [{ name: 'installed', state: 'ok', found: `by gen: ${words}; in ${paths.base}` }];
}

async function gpu(executor: Executor): Promise<readonly Check[]> {
  const gpus = await findGpus(executor);
  if (gpus.length === 0) {
    const found = hasDriver() ? 'a driver, but nvidia-smi shows no GPU' : 'none';
    const advice = 'variants are gated on the emulated device and not timed';
    return [{ name: 'GPU', state: 'optional', found, advice }];
  }
  return gpus.map(({ id, name, uuid, driver, computeCapability }) => {
    const old = Number.parseInt(driver, 10) < oldestDriver;
    const found = `${id}: ${name} (${(computeCapability / 10).toFixed(1)}), driver ${driver}, ${uuid}`;
    const advice = `the driver is older than ${oldestDriver}, which CUDA 13 needs`;
    return { name: 'GPU', state: old ? 'missing' : 'ok', found, ...(old && { advice }) };
  });
}

async function tools(executor: Executor, environment: Environment): Promise<Check[]> {
  const inRoot = join(cachePaths(environment).root, 'bin');
  const search = { ...environment, PATH: `${environment.PATH ?? ''}${delimiter}${inRoot}` };
  const programs: readonly (readonly [string, RegExp, string])[] = [
    [
      'cmake',
      /version (\S+)/,
      'only needed to build the emitted library: npx gen toolchain install --with cmake',
    ],
    ['ncu', /Version (\S+)/, 'only needed to profile kernels: part of Nsight Compute'],
    ['cuobjdump', /V(\d+\.\d+\.\d+)/, 'only needed to look into cubins: part of the full CUDA toolkit'],
  ];
  return Promise.all(
    programs.map(async ([name, pattern, advice]): Promise<Check> => {
      const path = onSearchPath(name, search);
      const version = path && (await versionOf([path, '--version'], pattern, executor));
      return version
        ? { name, state: 'ok', found: `${version}, ${path}` }
        : { name, state: 'optional', found: 'none', advice };
    }),
  );
}

function disk(out: string, environment: Environment): Check[] {
  return [out, cachePaths(environment).base].map((folder): Check => {
    const name = 'disk';
    try {
      makeFolder(folder);
      const { bavail, bsize } = statfsSync(folder);
      const free = (bavail * bsize) / 1e9;
      const enough = free >= 1;
      const found = `${free.toFixed(1)} GB free in ${folder}`;
      return {
        name,
        state: enough ? 'ok' : 'missing',
        found,
        ...(!enough && { advice: 'a sweep needs about 1 GB' }),
      };
    } catch (error) {
      const advice = 'name another folder with --out or TILEWRIGHT_CACHE';
      return { name, state: 'missing', found: `${folder}: ${(error as Error).message}`, advice };
    }
  });
}
