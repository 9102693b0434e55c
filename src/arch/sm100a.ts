import type { Arch } from '../model/arch.ts';

/** Blackwell of the data centre with its architecture-specific instructions: B200. The code runs on compute capability 10.0 only. */
export const sm100a: Arch = {
  name: 'sm_100a',
  capability: 100,
  gencode: 'arch=compute_100a,code=sm_100a',
  features: [
    'cp.async',
    'mma.bf16',
    'mbarrier',
    'tma',
    'cluster',
    'dependent-launch',
    'setmaxnreg',
    'tcgen05',
  ],
  maxSharedBytesPerBlock: 227 * 1024,
  sharedBytesPerSm: 228 * 1024,
  reservedSharedBytesPerBlock: 1024,
  maxThreadsPerBlock: 1024,
  maxThreadsPerSm: 2048,
  maxBlocksPerSm: 32,
  maxRegistersPerThread: 255,
  registersPerSm: 65_536,
  maxClusterBlocks: 16,
  flopsPerClock: { f16: 0, tf32: 0, f32: 0 },
  l2Bandwidth: 0,
  source: 'CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability", column 10.0',
};
