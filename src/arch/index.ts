import { UsageError } from '../errors.ts';
import type { Arch } from '../model/arch.ts';
import { sm80 } from './sm80.ts';
import { sm90a } from './sm90a.ts';

/** Every architecture that kernels can be compiled for, oldest first. */
export const archs: readonly Arch[] = [sm80, sm90a];

/** What is compiled for where there is no GPU to ask. */
export const defaultArch: Arch = sm90a;

/** Throws a UsageError that lists the known names. */
export function archNamed(name: string): Arch {
  const found = archs.find((arch) => arch.name === name);
  if (found) return found;
  const names = archs.map((arch) => arch.name);
  throw new UsageError(`there is no architecture '${name}': known are ${names.join(', ')}`);
}

/**
 * The architecture whose code runs on a GPU of this compute capability (major * 10 + minor): code for 8.0 runs on any
 * 8.x; code with architecture-specific instructions (`a`) on exactly its own. Undefined where there is none.
 */
export function archOf(computeCapability: number): Arch | undefined {
  return archs.findLast((arch) => {
    const capability = capabilityOf(arch);
    if (arch.name.endsWith('a')) return capability === computeCapability;
    return (
      capability <= computeCapability && Math.floor(capability / 10) === Math.floor(computeCapability / 10)
    );
  });
}

/** `sm_90a`: 90. */
export function capabilityOf(arch: Arch): number {
  return Number.parseInt(arch.name.slice('sm_'.length), 10);
}
