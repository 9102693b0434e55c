import type { DeviceInfo } from './protocol.ts';

/**
 * Dense f16 tensor-core operations per clock and multiprocessor, by compute capability: NVIDIA's A100 and H100
 * architecture whitepapers (1024 and 2048 multiply-adds).
 */
const flopsPerClock: Readonly<Record<number, number>> = { 80: 2048, 86: 1024, 89: 1024, 90: 4096 };

/**
 * Bytes per second from the L2 cache into shared memory, all multiprocessors together, by compute capability. NVIDIA
 * documents none: this is the most that `cp.async.bulk` reached on an H200 (driver 580.159, footprints of 4 to 48 MB:
 * 8.9 to 10.1 TB/s).
 */
const l2Bandwidths: Readonly<Record<number, number>> = { 90: 10.1e12 };

/** What the device cannot exceed, so that a time beyond it is rejected; 0 where it is not known. */
export function limitsOf(info: DeviceInfo): { readonly peakTflops: number; readonly bandwidth: number } {
  const perClock = flopsPerClock[info.computeCapability] ?? 0;
  return { peakTflops: (perClock * info.smCount * info.maxSmClock) / 1e6, bandwidth: info.bandwidth };
}

/** Measured bandwidth of the L2 cache, bytes per second; 0 where nobody has measured it. */
export function l2BandwidthOf({ computeCapability }: DeviceInfo): number {
  return l2Bandwidths[computeCapability] ?? 0;
}
