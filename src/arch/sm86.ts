import type { Arch } from '../model/arch.ts';

/** Ampere: A10, A40, RTX A6000, GeForce 30. Its code also runs on compute capability 8.7 and 8.9. */
export const sm86: Arch = {
  name: 'sm_86',
  capability: 86,
  gencode: 'arch=compute_86,code=sm_86',
  features: ['cp.async', 'mma.bf16'],
  maxSharedBytesPerBlock: 99 * 1024,
  sharedBytesPerSm: 100 * 1024,
  reservedSharedBytesPerBlock: 1024,
  maxThreadsPerBlock: 1024,
  maxThreadsPerSm: 1536,
  maxBlocksPerSm: 16,
  maxRegistersPerThread: 255,
  registersPerSm: 65_536,
  maxClusterBlocks: 1,
  // NVIDIA Ampere GA102 GPU Architecture: 512, 256 and 128 multiply-adds; on tensor cores GeForce runs f16 with fp32 accumulate, and TF32, at half rate.
  flopsPerClock: { f16: 1024, tf32: 512, f32: 256 },
  l2Bandwidth: 0,
  source: 'CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability", column 8.6',
};
