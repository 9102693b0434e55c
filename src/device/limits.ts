import { archOfCapability } from '../arch/index.ts';
import type { DeviceInfo } from './protocol.ts';

/** Peak FLOPS and bandwidth of the device, above which a measurement is rejected; 0 if not known. */
export function limitsOf(info: DeviceInfo): { readonly peakTflops: number; readonly bandwidth: number } {
  const perClock = archOfCapability(info.computeCapability)?.tensorFlopsPerClock ?? 0;
  return { peakTflops: (perClock * info.smCount * info.maxSmClock) / 1e6, bandwidth: info.bandwidth };
}

/** Measured bandwidth of the L2 cache, bytes per second; 0 where nobody has measured it. */
export function l2BandwidthOf({ computeCapability }: DeviceInfo): number {
  return archOfCapability(computeCapability)?.l2Bandwidth ?? 0;
}
