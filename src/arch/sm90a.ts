import type { Arch } from '../model/arch.ts';

/** Hopper with its architecture-specific instructions: H100, H200. The code runs on compute capability 9.0 only. */
export const sm90a: Arch = {
  name: 'sm_90a',
  gencode: 'arch=compute_90a,code=sm_90a',
  maxSharedBytesPerBlock: 227 * 1024,
  maxThreadsPerBlock: 1024,
  maxRegistersPerThread: 255,
  registersPerSm: 65_536,
  source:
    'CUDA C++ Programming Guide 13.0, section "Compute Capabilities", technical specifications, column 9.0',
};
