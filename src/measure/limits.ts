import type { DeviceInfo } from '../device/protocol.ts';

/**
 * Dense f16 tensor-core operations per clock and multiprocessor, by compute capability: NVIDIA's A100 and H100
 * architecture whitepapers (1024 and 2048 multiply-adds).
 */
const flopsPerClock: Readonly<Record<number, number>> = { 80: 2048, 86: 1024, 89: 1024, 90: 4096 };

/** What the device cannot exceed, for the verdict `implausible`; 0 where it is not known. */
export function limitsOf(info: DeviceInfo): { readonly peakTflops: number; readonly bandwidth: number } {
  const perClock = flopsPerClock[info.computeCapability] ?? 0;
  return { peakTflops: (perClock * info.smCount * info.maxSmClock) / 1e6, bandwidth: info.bandwidth };
}
