import type { Arch } from '../model/arch.ts';

/** Ampere: A100. Its code also runs on compute capability 8.6 to 8.9, with less shared memory there. */
export const sm80: Arch = {
  name: 'sm_80',
  capability: 80,
  gencode: 'arch=compute_80,code=sm_80',
  features: ['cp.async', 'mma.bf16'],
  maxSharedBytesPerBlock: 163 * 1024,
  sharedBytesPerSm: 164 * 1024,
  reservedSharedBytesPerBlock: 1024,
  maxThreadsPerBlock: 1024,
  maxThreadsPerSm: 2048,
  maxBlocksPerSm: 32,
  maxRegistersPerThread: 255,
  registersPerSm: 65_536,
  maxClusterBlocks: 1,
  // NVIDIA A100 Tensor Core GPU Architecture: 1024, 512 and 64 multiply-adds.
  flopsPerClock: { f16: 2048, tf32: 1024, f32: 128 },
  l2Bandwidth: 0,
  source: 'CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability", column 8.0',
};
