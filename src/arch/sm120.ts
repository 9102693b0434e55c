import type { Arch } from '../model/arch.ts';

/** Blackwell of workstations: RTX PRO 6000, GeForce 50. Its code also runs on compute capability 12.1. */
export const sm120: Arch = {
  name: 'sm_120',
  capability: 120,
  gencode: 'arch=compute_120,code=sm_120',
  features: ['cp.async', 'mma.bf16', 'mbarrier', 'tma', 'cluster', 'dependent-launch'],
  maxSharedBytesPerBlock: 99 * 1024,
  sharedBytesPerSm: 100 * 1024,
  reservedSharedBytesPerBlock: 1024,
  maxThreadsPerBlock: 1024,
  maxThreadsPerSm: 1536,
  maxBlocksPerSm: 24,
  maxRegistersPerThread: 255,
  registersPerSm: 65_536,
  maxClusterBlocks: 8,
  flopsPerClock: { f16: 0, tf32: 0, f32: 0 },
  l2Bandwidth: 0,
  source: 'CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability", column 12.0',
};
