import type { Arch } from '../model/arch.ts';

/** Hopper with its architecture-specific instructions: H100, H200. The code runs on compute capability 9.0 only. */
export const sm90a: Arch = {
  name: 'sm_90a',
  capability: 90,
  gencode: 'arch=compute_90a,code=sm_90a',
  features: ['cp.async', 'mma.bf16', 'mbarrier', 'tma', 'cluster', 'dependent-launch', 'wgmma', 'setmaxnreg'],
  maxSharedBytesPerBlock: 227 * 1024,
  sharedBytesPerSm: 228 * 1024,
  reservedSharedBytesPerBlock: 1024,
  maxThreadsPerBlock: 1024,
  maxThreadsPerSm: 2048,
  maxBlocksPerSm: 32,
  maxRegistersPerThread: 255,
  registersPerSm: 65_536,
  maxClusterBlocks: 16,
  // NVIDIA H100 Tensor Core GPU Architecture: 2048, 1024 and 128 multiply-adds.
  flopsPerClock: { f16: 4096, tf32: 2048, f32: 256 },
  // NVIDIA documents none: the most that cp.async.bulk reached on an H200 (driver 580.159, footprints of 4 to 48 MB: 8.9 to
  // 10.1 TB/s).
  l2Bandwidth: 10.1e12,
  source: 'CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability", column 9.0',
};
