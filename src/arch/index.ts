import { UsageError } from '../errors.ts';
import type { Arch } from '../model/arch.ts';
import { sm80 } from './sm80.ts';
import { sm86 } from './sm86.ts';
import { sm89 } from './sm89.ts';
import { sm90a } from './sm90a.ts';
import { sm100a } from './sm100a.ts';
import { sm120 } from './sm120.ts';

/** Every architecture that kernels can be compiled for, oldest first: the files of this folder. */
export const archs: readonly Arch[] = [sm80, sm86, sm89, sm90a, sm100a, sm120];

/** Architecture compiled for if there is no GPU. */
export const defaultArch: Arch = sm90a;

/** `sm_80, sm_86, …`: what `--arch` takes. */
export const archNames: string = archs.map(({ name }) => name).join(', ');

/** Throws a UsageError that lists the known names. */
export function archNamed(name: string): Arch {
  const found = archs.find((arch) => arch.name === name);
  if (found) return found;
  throw new UsageError(`there is no architecture '${name}': known are ${archNames}`);
}

/**
 * Whether code for an architecture runs on GPUs of a compute capability (major * 10 + minor): code for 8.0 on any 8.x, code
 * with architecture-specific instructions (`a`) on exactly its own.
 */
export function runsOn({ name, capability }: Arch, computeCapability: number): boolean {
  if (name.endsWith('a')) return capability === computeCapability;
  const sameMajor = Math.floor(capability / 10) === Math.floor(computeCapability / 10);
  return sameMajor && capability <= computeCapability;
}

/** The newest architecture whose code runs on GPUs of this compute capability; undefined where there is none. */
export function archOf(computeCapability: number): Arch | undefined {
  return archs.findLast((arch) => runsOn(arch, computeCapability));
}

/** The architecture of exactly this compute capability, whose figures then hold. */
export function archOfCapability(computeCapability: number): Arch | undefined {
  return archs.find(({ capability }) => capability === computeCapability);
}
