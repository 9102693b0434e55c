import { packageNames } from '../emit/binding.ts';
import type { BuildTools } from '../emit/package.ts';
import { localExecutor } from '../exec/local.ts';
import type { Stage } from '../model/event.ts';
import { shortPath } from '../report/format.ts';
import { listRuns } from '../store/run.ts';
import { cachePaths } from '../toolchain/paths.ts';
import { ensureToolchain } from '../toolchain/toolchain.ts';
import type { Flags } from './options.ts';
import { remark } from './output.ts';
import { configOf, type Prepared, prepareExisting, runsRoot } from './prepare.ts';
import { execute } from './run.ts';

/** What passed is in the run's journal. */
const stages: readonly Stage[] = ['build', 'select', 'emit'];

/** Packages that the flags ask for, each by its name. */
function askedPackages(flags: Flags): readonly string[] {
  const given = new Map(Object.entries(flags));
  return packageNames().filter((name) => given.get(name) === true);
}

/** `gen emit`: the library, and then the packages around it. */
export async function emitRuns(names: readonly string[], flags: Flags): Promise<number> {
  const code = await emitLibraries(names, flags);
  const asked = code === 0 ? askedPackages(flags) : [];
  if (asked.length === 0) return code;
  const { emitPackage } = await import('../emit/package.ts');
  const { out } = await configOf(flags);
  const tools = () => buildTools(flags);
  for (const name of asked) remark(`${name}: ${shortPath(await emitPackage(name, out, remark, tools))}`);
  return code;
}

/** What shared libraries are built with. */
async function buildTools(flags: Flags): Promise<BuildTools> {
  const executor = localExecutor;
  const { install } = flags;
  const { cudaHome } = await ensureToolchain({ executor, install, with: ['cmake'], progress: remark });
  const { jobs } = await configOf(flags);
  return { executor, cudaHome, jobs, toolFolders: [cachePaths(process.env).bin] };
}

/** One run after the other; what is installed has them all. Ends at the first that has nothing to give. */
async function emitLibraries(names: readonly string[], flags: Flags): Promise<number> {
  const { prefix: _, static: _s, ...withoutPrefix } = flags;
  const earlier = names.slice(0, -1);
  for (const name of earlier) {
    const code = await execute(await prepareEmit(name, withoutPrefix), withoutPrefix);
    if (code !== 0) return code;
  }
  return execute(await prepareEmit(names.at(-1), flags), flags);
}

async function prepareEmit(name: string | undefined, flags: Flags): Promise<Prepared> {
  const root = runsRoot(await configOf(flags));
  const isFamily = name !== undefined && listRuns(root, name).length > 0;
  return prepareExisting(isFamily ? undefined : name, isFamily ? name : undefined, stages, flags);
}
