import { backends } from '../backends/index.ts';
import type { Arch } from '../model/arch.ts';
import type { Artifact, DeviceName } from '../model/artifact.ts';
import type { Source } from '../model/variant.ts';
import type { Verdict } from '../model/verdict.ts';
import type { CompileContext, Compilers } from './context.ts';
import { compileEmulated } from './host.ts';
import { compileImported, isImported, notEmulated } from './imported.ts';
import { compileCuda, compilePtx } from './nvcc.ts';
import { budgetVerdict } from './ptxas.ts';

/** Everything that was built of one variant, and why it goes no further where that is so. */
export interface Built {
  readonly artifacts: readonly Artifact[];
  readonly verdict?: Verdict;
}

type Build = (
  source: Source,
  arch: Arch,
  compilers: Compilers,
  context: CompileContext,
) => Promise<Artifact | Verdict>;

/** The compiler of each backend. */
const builds: Readonly<Record<DeviceName, Build>> = {
  cuda: (source, ...rest) => (isImported(source.text) ? compileImported : compileCuda)(source, ...rest),
  emulated: async (source, _, compilers, context) =>
    isImported(source.text) ? notEmulated(source) : compileEmulated(source, compilers, context),
};

/** Builds one variant for the devices that are asked for, and for those that are always built. Stops at the first refusal. */
export async function buildVariant(
  source: Source,
  arch: Arch,
  devices: readonly DeviceName[],
  compilers: Compilers,
  context: CompileContext,
): Promise<Built> {
  const artifacts: Artifact[] = [];
  for (const { name, alwaysBuilt } of Object.values(backends)) {
    if (!alwaysBuilt && !devices.includes(name)) continue;
    const built = await builds[name](source, arch, compilers, context);
    if ('verdict' in built) return { artifacts, verdict: built };
    // The kernels as ptxas made them are known of the first; launches on any device are held against them.
    const kernels = built.kernels ?? artifacts[0]?.kernels;
    artifacts.push({ ...built, ...(kernels && { kernels }) });
    const beyond = budgetVerdict(built, arch);
    if (beyond) return { artifacts, verdict: beyond };
  }
  return { artifacts };
}

/** PTX of one variant, or why nvcc made none; undefined where no architecture is named, and of a cubin that was not made here. */
export async function buildPtx(
  source: Source,
  arch: Arch | undefined,
  compilers: Compilers,
  context: CompileContext,
): Promise<Artifact | Verdict | undefined> {
  return arch && !isImported(source.text) ? compilePtx(source, arch, compilers, context) : undefined;
}
