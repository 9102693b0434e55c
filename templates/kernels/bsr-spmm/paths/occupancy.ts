import type { Arch } from '../../../../src/model/family.ts';

/** Needs of a thread block: threads, bytes of shared memory, and fp32 accumulators of a thread. */
interface Footprint {
  readonly threads: number;
  readonly sharedBytes: number;
  readonly accumulators: number;
}

/** Whether so many thread blocks fit on a multiprocessor, with registers for accumulators and 40 more per thread. */
export function fits({ threads, sharedBytes, accumulators }: Footprint, blocks: number, arch: Arch): boolean {
  return (
    sharedBytes <= arch.maxSharedBytesPerBlock &&
    blocks * (sharedBytes + arch.reservedSharedBytesPerBlock) <= arch.sharedBytesPerSm &&
    blocks * threads <= arch.maxThreadsPerSm &&
    blocks * threads * (accumulators + 40) <= arch.registersPerSm
  );
}
