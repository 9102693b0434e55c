import { archOfCapability } from '../arch/index.ts';
import type { Arithmetic } from '../model/arch.ts';
import type { DeviceInfo } from './protocol.ts';

/** Peak TFLOPS of the device by arithmetic, at the highest clock; 0 if not known. */
export function peaksOf(info: DeviceInfo): Readonly<Record<Arithmetic, number>> {
  const perClock = archOfCapability(info.computeCapability)?.flopsPerClock;
  const peak = (arithmetic: Arithmetic) =>
    ((perClock?.[arithmetic] ?? 0) * info.smCount * info.maxSmClock) / 1e6;
  return { f16: peak('f16'), tf32: peak('tf32'), f32: peak('f32') };
}

/** Limits of the device, above which a measurement is rejected; 0 if not known. Bytes per second. */
export function limitsOf(
  info: DeviceInfo,
  arithmetic: Arithmetic,
): { readonly peakTflops: number; readonly bandwidth: number } {
  return { peakTflops: peaksOf(info)[arithmetic], bandwidth: info.bandwidth };
}

/** Measured bandwidth of the L2 cache, bytes per second; 0 where nobody has measured it. */
export function l2BandwidthOf({ computeCapability }: DeviceInfo): number {
  return archOfCapability(computeCapability)?.l2Bandwidth ?? 0;
}
