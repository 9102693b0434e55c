import type { Arch } from '../model/arch.ts';

/** Ada: L4, L40, RTX 6000 Ada, GeForce 40. */
export const sm89: Arch = {
  name: 'sm_89',
  capability: 89,
  gencode: 'arch=compute_89,code=sm_89',
  features: ['cp.async', 'mma.bf16'],
  maxSharedBytesPerBlock: 99 * 1024,
  sharedBytesPerSm: 100 * 1024,
  reservedSharedBytesPerBlock: 1024,
  maxThreadsPerBlock: 1024,
  maxThreadsPerSm: 1536,
  maxBlocksPerSm: 24,
  maxRegistersPerThread: 255,
  registersPerSm: 65_536,
  maxClusterBlocks: 1,
  // NVIDIA Ada GPU Architecture: 512, 256 and 128 multiply-adds; on tensor cores GeForce runs f16 with fp32 accumulate, and TF32, at half rate.
  flopsPerClock: { f16: 1024, tf32: 512, f32: 256 },
  l2Bandwidth: 0,
  source: 'CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability", column 8.9',
};
