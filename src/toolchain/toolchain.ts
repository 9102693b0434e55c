import { join } from 'node:path';
import { EnvironmentError } from '../errors.ts';
import type { Executor } from '../exec/executor.ts';
import {
  type Environment,
  findCusparse,
  findCxx,
  findToolkit,
  onSearchPath,
  type Passed,
  systemLibraries,
  type Toolchain,
  type Toolkit,
} from './find.ts';
import { installParts, isInstalled } from './install.ts';
import { type PartName, parts } from './parts.ts';
import { cachePaths } from './paths.ts';

export interface EnsureOptions {
  readonly executor: Executor;
  readonly environment?: Environment;
  /** False: refuse to install, say what to do instead. */
  readonly install: boolean;
  /** Parts needed beside a compiler. */
  readonly with?: readonly Exclude<PartName, 'compile'>[];
  /** Told, one line at a time, what is being installed. */
  readonly progress: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** The toolchain of this machine, or undefined where no usable CUDA toolkit is found. Installs nothing. */
export async function findToolchain(
  executor: Executor,
  environment: Environment = process.env,
): Promise<Toolchain | undefined> {
  const { toolkit } = await findToolkit(environment, executor);
  return toolkit && { ...toolkit, ...(await findCxx(environment, executor)) };
}

/** The toolchain of this machine; where there is no usable CUDA toolkit, its compiler is installed first. */
export async function ensureToolchain(options: EnsureOptions): Promise<Toolchain> {
  const environment = options.environment ?? process.env;
  // g++ first: nobody should wait for a download to learn that it is missing.
  const cxx = await findCxx(environment, options.executor);
  const { toolkit, passed } = await findToolkit(environment, options.executor);
  const paths = cachePaths(environment);
  const wanted = [...(toolkit ? [] : [parts.compile]), ...(options.with ?? []).map((name) => parts[name])];
  const missing = wanted.filter(
    (part) => part.name === 'compile' || !(isInstalled(part, paths) || isOnPath(part.name, environment)),
  );
  if (missing.length === 0 && toolkit) return { ...toolkit, ...cxx };
  if (!options.install)
    throw refusal(
      missing.map(({ brings }) => brings),
      passed,
    );
  await installParts(missing, { ...options, environment });
  return { ...(toolkit ?? (await installedToolkit(environment, options.executor))), ...cxx };
}

/**
 * The toolchain with cuSPARSE in its library path, installed where it is missing. It is a second opinion and a baseline,
 * nothing more: where it cannot be had, that is told and the run goes on without.
 */
export async function withVendorLibraries(toolchain: Toolchain, options: EnsureOptions): Promise<Toolchain> {
  const environment = options.environment ?? process.env;
  const paths = cachePaths(environment);
  const own = join(paths.root, 'lib');
  if (findCusparse([...toolchain.libraryPath, ...systemLibraries])) return toolchain;
  if (!findCusparse([own])) {
    if (!options.install) {
      options.progress('there is no cuSPARSE to compare with: `npx gen toolchain install --with cusparse`');
      return toolchain;
    }
    try {
      await installParts([parts.cusparse], { ...options, environment });
    } catch (error) {
      if (!(error instanceof EnvironmentError)) throw error;
      options.progress(`going on without cuSPARSE to compare with: ${error.message}`);
      return toolchain;
    }
  }
  return { ...toolchain, libraryPath: [...toolchain.libraryPath, own] };
}

/** CMake of the system's own does as well, if it has something to build with. */
function isOnPath(part: PartName, environment: Environment): boolean {
  if (part !== 'cmake') return false;
  const has = (program: string) => onSearchPath(program, environment) !== undefined;
  return has('cmake') && (has('ninja') || has('make'));
}

async function installedToolkit(environment: Environment, executor: Executor): Promise<Toolkit> {
  const { toolkit, passed } = await findToolkit(environment, executor);
  if (toolkit) return toolkit;
  const { base } = cachePaths(environment);
  throw new EnvironmentError(
    `CUDA's compiler was installed but does not work (${reasons(passed)}): delete ${base} and try again`,
  );
}

function refusal(missing: readonly string[], passed: readonly Passed[]): EnvironmentError {
  const found = passed.length > 0 ? ` (${reasons(passed)})` : '';
  return new EnvironmentError(
    `missing${found}: ${missing.join(', ')}. Nothing is installed because of --no-install: leave the flag out, run \`npx gen toolchain install\`, or set CUDA_HOME to a CUDA toolkit`,
  );
}

function reasons(passed: readonly Passed[]): string {
  return passed.map(({ home, why }) => `${home}: ${why}`).join('; ');
}
