import type { Arch } from '../model/arch.ts';

/** Ampere: A100. Its code also runs on compute capability 8.6 and 8.9, with less shared memory there. */
export const sm80: Arch = {
  name: 'sm_80',
  gencode: 'arch=compute_80,code=sm_80',
  maxSharedBytesPerBlock: 163 * 1024,
  maxThreadsPerBlock: 1024,
  maxRegistersPerThread: 255,
  registersPerSm: 65_536,
  source:
    'CUDA C++ Programming Guide 13.0, section "Compute Capabilities", technical specifications, column 8.0',
};
