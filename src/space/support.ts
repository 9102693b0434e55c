import { archs } from '../arch/index.ts';
import type { Arch } from '../model/arch.ts';
import type { AnyFamily } from '../model/family.ts';
import type { ParameterValue } from '../model/parameter.ts';

type Point = Readonly<Record<string, ParameterValue>>;

/** Reason that a point cannot run on an architecture; undefined if it can. */
export function obstacle(family: AnyFamily, point: Point, arch: Arch): string | undefined {
  const missing = (family.needs?.(point as never) ?? []).filter((one) => !arch.features.includes(one));
  if (missing.length > 0) return `needs ${missing.join(', ')}, which ${arch.name} does not have`;
  const own = family.notSupported?.(point as never, arch);
  if (own !== undefined) return own;
  const { threads, sharedBytes } = family.budget(point as never, arch);
  if (sharedBytes > arch.maxSharedBytesPerBlock)
    return `needs ${sharedBytes} bytes of shared memory, and a block of ${arch.name} has at most ${arch.maxSharedBytesPerBlock}`;
  if (threads > arch.maxThreadsPerBlock)
    return `needs ${threads} threads, and a block of ${arch.name} has at most ${arch.maxThreadsPerBlock}`;
  return undefined;
}

/**
 * The oldest architecture that can run a point and whose PTX drivers compile for all later GPUs too; undefined where only those
 * can whose PTX serves no other GPU (`a`).
 */
export function portableArch(family: AnyFamily, point: Point): Arch | undefined {
  return archs.find((arch) => !arch.name.endsWith('a') && obstacle(family, point, arch) === undefined);
}
