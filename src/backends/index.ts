import type { DeviceName } from '../model/artifact.ts';
import type { Backend } from '../model/backend.ts';
import { cuda } from './cuda.ts';
import { emulated } from './emulated.ts';

/** The backends by name, in the order in which variants are built for them. */
export const backends: Readonly<Record<DeviceName, Backend>> = { cuda, emulated };

export {
  automatic,
  type DeviceChoice,
  emulatedOnly,
  parseDevices,
  wantsGpu,
} from './choice.ts';
export { cuda, emulated };

/** The artifact of a kernel for the backend that times, where these hold one. */
export function timedArtifacts<T extends { readonly device: DeviceName }>(artifacts: readonly T[]): T[] {
  return artifacts.filter(({ device }) => backends[device].times);
}
