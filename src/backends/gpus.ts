import { archOf, runsOn } from '../arch/index.ts';
import type { Arch } from '../model/arch.ts';
import type { Gpu } from '../model/gpu.ts';
import type { DeviceChoice } from './choice.ts';

/** The GPUs that a run works on, or why there is none. */
export interface ChosenGpus {
  readonly gpus: readonly Gpu[];
  /** A sentence on each that is there, was not named and cannot be used. */
  readonly leftOut: readonly string[];
  readonly obstacle?: string;
}

/**
 * Those of `all` that were asked for, run code for `arch` and are of one model, so that the figures of a run compare. One that
 * was named and is not so is an obstacle; where all were asked for, it is left out. `whyNone`: what to say where the machine has
 * none.
 */
export function chooseGpus(
  all: readonly Gpu[],
  choice: DeviceChoice,
  arch: Arch,
  whyNone: () => string,
): ChosenGpus {
  if (all.length === 0) return refusal(whyNone());
  const missing = missingGpu(all, choice);
  if (missing !== undefined) return refusal(missing);
  const asked = askedGpus(all, choice);
  const first = asked.find((gpu) => runsOn(arch, gpu.computeCapability));
  const reasons = asked.map((gpu) => unfit(gpu, arch, first));
  const others = reasons.filter((why) => why !== undefined);
  if (others[0] !== undefined && (choice.numbers || first === undefined)) return refusal(others[0]);
  const gpus = asked.filter((_, index) => reasons[index] === undefined);
  return { gpus, leftOut: others.map((why) => `not used: ${why}`) };
}

/** Reason that a run cannot use a GPU beside the `first`; undefined if it can. */
function unfit(gpu: Gpu, arch: Arch, first: Gpu | undefined): string | undefined {
  if (!runsOn(arch, gpu.computeCapability)) return mismatch(gpu, arch);
  if (first === undefined || gpu.name === first.name) return undefined;
  return `${gpu.id} is an ${gpu.name}, and ${first.id} an ${first.name}: a run times on GPUs of one model; begin one with --device ${gpu.id}`;
}

/** Those that were asked for, whatever they run. */
export function askedGpus(all: readonly Gpu[], { numbers }: DeviceChoice): readonly Gpu[] {
  return all.filter((_, index) => numbers?.includes(index) ?? true);
}

function refusal(obstacle: string): ChosenGpus {
  return { gpus: [], leftOut: [], obstacle };
}

function missingGpu(all: readonly Gpu[], { numbers = [] }: DeviceChoice): string | undefined {
  const missing = numbers.filter((number) => number >= all.length);
  if (missing.length === 0) return undefined;
  const ids = all.map(({ id }) => id).join(', ');
  return `there is no GPU ${missing.join(', ')}: this process may use ${ids} (nvidia-smi, CUDA_VISIBLE_DEVICES)`;
}

function mismatch({ id, name, computeCapability }: Gpu, arch: Arch): string {
  const own = archOf(computeCapability);
  const use = own ? `; use --arch ${own.name}` : '';
  return `code for ${arch.name} does not run on ${id}, this ${name}${use}`;
}
