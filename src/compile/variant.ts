import type { Arch } from '../model/arch.ts';
import type { Artifact } from '../model/artifact.ts';
import type { Source } from '../model/variant.ts';
import type { Verdict } from '../model/verdict.ts';
import type { Slots } from '../util/limit.ts';
import type { CompileContext, Compilers } from './context.ts';
import { compileEmulated } from './host.ts';
import { compileCuda } from './nvcc.ts';
import { budgetVerdict } from './ptxas.ts';

/** Everything that was built of one variant, and why it goes no further where that is so. */
export interface Built {
  readonly artifacts: readonly Artifact[];
  readonly verdict?: Verdict;
}

/**
 * Builds one variant: its cubin always, since ptxas's figures are wanted on every machine, then its form for the device
 * `emulated` where that is asked for. Stops at the first refusal.
 */
export async function buildVariant(
  source: Source,
  arch: Arch,
  emulated: boolean,
  compilers: Compilers,
  context: CompileContext,
  slots: Slots,
): Promise<Built> {
  const cubin = await slots.run(() => compileCuda(source, arch, compilers, context));
  if ('verdict' in cubin) return { artifacts: [], verdict: cubin };
  const beyond = budgetVerdict(cubin, arch);
  if (beyond) return { artifacts: [cubin], verdict: beyond };
  if (!emulated) return { artifacts: [cubin] };
  const object = await slots.run(() => compileEmulated(source, compilers, context));
  if ('verdict' in object) return { artifacts: [cubin], verdict: object };
  const { kernels } = cubin;
  return { artifacts: [cubin, { ...object, ...(kernels && { kernels }) }] };
}
