import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { EnvironmentError } from '../errors.ts';
import type { Executor } from '../exec/executor.ts';
import { withLock } from '../util/lock.ts';
import { makeTemporary, removeTemporary } from '../util/temporary.ts';

export interface InstallOptions {
  /** Shared libraries (default) or archives. */
  readonly shared?: boolean;
  /** Build the CUDA library: where a toolkit is found (default), surely, or not at all. */
  readonly cuda?: 'auto' | 'on' | 'off';
  /** Root of the CUDA toolkit; otherwise the library's CMake looks in CUDA_HOME and the usual places. */
  readonly cudaHome?: string | undefined;
  /** Folders searched for `cmake` and `ninja` before PATH, e.g. that of the downloaded toolchain. */
  readonly toolFolders?: readonly string[];
  /** Further `-D` definitions. */
  readonly define?: Readonly<Record<string, string>>;
  readonly jobs?: number;
  /** Told how much of the library is built, e.g. `40%` or `4/10`. */
  readonly onProgress?: (share: string) => void;
  /** Build here and keep it, so that another kind of the same library compiles next to nothing. */
  readonly buildFolder?: string;
  /** The library's folder as messages name it, where a copy of it is built. */
  readonly shownAs?: string;
}

/** Builds an emitted library with CMake and installs it under `prefix`. */
export async function installLibrary(
  library: string,
  prefix: string,
  executor: Executor,
  options: InstallOptions = {},
): Promise<void> {
  const build = options.buildFolder ?? makeTemporary('build');
  const path = [...(options.toolFolders ?? []), ...(process.env.PATH ?? '').split(':')];
  const env = { PATH: path.join(':'), TMPDIR: build }; // what a killed compiler leaves goes with the folder
  const generator = path.some((folder) => existsSync(join(folder, 'ninja'))) ? ['-G', 'Ninja'] : [];
  const onStdout = (line: string) => {
    const share = /^\[\s*(\d+%|\d+\/\d+)\]/.exec(line)?.[1]; // of make, of ninja
    if (share !== undefined) options.onProgress?.(share);
  };
  const step = async (what: string, argv: readonly string[]) => {
    const { exitCode, stdout, stderr } = await executor.run(argv, {
      env,
      timeoutMs: 15 * 60_000,
      onStdout,
    });
    if (exitCode !== 0)
      throw new EnvironmentError(
        `could not ${what} ${options.shownAs ?? library}:\n${lastLines(stdout + stderr)}`,
      );
  };
  try {
    await step('configure', [...configureCommand(library, build, prefix, options), ...generator]);
    await step('build', ['cmake', '--build', build, '--parallel', String(options.jobs ?? 2)]);
    const lock = { elsewhere: 'name another folder with --prefix' };
    const install = () => step('install', ['cmake', '--install', build]);
    await withLock(join(prefix, '.tilewright.lock'), lock, install);
  } finally {
    if (options.buildFolder === undefined) removeTemporary(build);
  }
}

function configureCommand(library: string, build: string, prefix: string, options: InstallOptions): string[] {
  const { shared = true, cuda = 'auto', cudaHome, define = {} } = options;
  const definitions = {
    CMAKE_INSTALL_PREFIX: prefix,
    BUILD_SHARED_LIBS: shared ? 'ON' : 'OFF',
    TILEWRIGHT_CUDA: cuda.toUpperCase(),
    ...(cudaHome && { TILEWRIGHT_CUDA_HOME: cudaHome }),
    ...define,
  };
  return [
    'cmake',
    '-S',
    library,
    '-B',
    build,
    ...Object.entries(definitions).map(([name, value]) => `-D${name}=${value}`),
  ];
}

function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-30).join('\n');
}
