import { packageNames } from '../emit/binding.ts';
import type { BuildTools } from '../emit/package.ts';
import { localExecutor } from '../exec/local.ts';
import type { Stage } from '../model/stage.ts';
import { shortPath } from '../report/format.ts';
import { listRuns, openRun } from '../store/run.ts';
import { cachePaths } from '../toolchain/paths.ts';
import { ensureToolchain } from '../toolchain/toolchain.ts';
import type { Options } from './options.ts';
import { remark } from './output.ts';
import { configOf, type Prepared, prepareExisting, runsRoot } from './prepare.ts';
import { execute } from './run.ts';

/** Stages to run: the verdicts are in the journal already. */
const stages: readonly Stage[] = ['build', 'select', 'emit'];

/** Packages that the options ask for, each by its name. */
function askedPackages(options: Options): readonly string[] {
  const given = new Map(Object.entries(options));
  return packageNames().filter((name) => given.get(name) === true);
}

/** `gen emit`: the library, and then the packages around it. */
export async function emitRuns(names: readonly string[], options: Options): Promise<number> {
  const code = await emitLibraries(names, options);
  const asked = code === 0 ? askedPackages(options) : [];
  if (asked.length === 0) return code;
  const { emitPackage } = await import('../emit/package.ts');
  const { out } = await configOf(options);
  const tools = () => buildTools(options);
  for (const name of asked) remark(`${name}: ${shortPath(await emitPackage(name, out, remark, tools))}`);
  return code;
}

/** Tools that build shared libraries. */
async function buildTools(options: Options): Promise<BuildTools> {
  const executor = localExecutor;
  const { install } = options;
  const { cudaHome } = await ensureToolchain({ executor, install, with: ['cmake'], progress: remark });
  const { jobs } = await configOf(options);
  return { executor, cudaHome, jobs, toolFolders: [cachePaths(process.env).bin] };
}

/** One run after the other; what is installed has them all. Ends at the first that has nothing to give. */
async function emitLibraries(names: readonly string[], options: Options): Promise<number> {
  const { prefix: _, static: _s, ...withoutPrefix } = options;
  const root = runsRoot(await configOf(options));
  // A run that there is not is told before the library of the first one is made.
  for (const name of names) if (listRuns(root, name).length === 0) openRun(root, name);
  const earlier = names.slice(0, -1);
  for (const name of earlier) {
    const code = await execute(await prepareEmit(name, withoutPrefix), withoutPrefix);
    if (code !== 0) return code;
  }
  return execute(await prepareEmit(names.at(-1), options), options);
}

async function prepareEmit(name: string | undefined, options: Options): Promise<Prepared> {
  const root = runsRoot(await configOf(options));
  const isFamily = name !== undefined && listRuns(root, name).length > 0;
  return prepareExisting(isFamily ? undefined : name, isFamily ? name : undefined, stages, options);
}
