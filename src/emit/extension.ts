import { join } from 'node:path';
import { EnvironmentError } from '../errors.ts';
import type { Executor } from '../exec/executor.ts';
import { makeFolder } from '../util/disk.ts';

/** A compiled module of a Python package. */
export interface Extension {
  /** Inside the package. */
  readonly path: string;
  /** Path of the built module. */
  readonly file: string;
}

interface Source {
  /** Folder of the binding, and the C source in it. */
  readonly root: string;
  readonly from: string;
}

/** Flags of an extension module under PEP 384: Python's symbols are resolved in the process that loads it. */
const flags = ['-O2', '-shared', '-fPIC', '-fvisibility=hidden', '-Wl,--gc-sections', '-s'];

/** Compiles modules for Python's stable ABI. Without headers of Python there are none, which is remarked: a package does without. */
export async function buildExtensions(
  sources: readonly Source[],
  folder: string,
  executor: Executor,
  remark: (message: string) => void,
): Promise<readonly Extension[]> {
  if (sources.length === 0) return [];
  const include = await headers(executor);
  if (include === undefined) {
    remark(
      'python3 has no headers (Debian: python3-dev): the wheel calls by ctypes, which takes 2 us more for a call',
    );
    return [];
  }
  makeFolder(folder);
  return Promise.all(sources.map((source) => compile(source, include, folder, executor)));
}

async function compile(
  { root, from }: Source,
  include: string,
  folder: string,
  executor: Executor,
): Promise<Extension> {
  const path = from.replace(/\.c$/, '.abi3.so');
  const file = join(folder, path.replaceAll('/', '.'));
  const cc = process.env.CC ?? 'gcc';
  const argv = [...cc.split(' '), ...flags, `-I${include}`, '-o', file, join(root, from)];
  const { exitCode, stderr } = await executor.run(argv);
  if (exitCode !== 0)
    throw new EnvironmentError(`could not compile ${from} for Python:\n${stderr.trimEnd()}`);
  return { path, file };
}

/** Folder of `Python.h` of the `python3` on PATH. */
async function headers(executor: Executor): Promise<string | undefined> {
  const script = [
    'import os, sysconfig',
    "folder = sysconfig.get_path('include')",
    "print(folder if os.path.exists(os.path.join(folder, 'Python.h')) else '')",
  ].join('\n');
  const { exitCode, stdout } = await executor.run(['python3', '-c', script]);
  return exitCode === 0 && stdout.trim() !== '' ? stdout.trim() : undefined;
}
