import type { Backend } from '../model/backend.ts';

/** NVIDIA GPUs: cubins made by nvcc, run by the CUDA runtime. */
export const cuda: Backend = {
  name: 'cuda',
  gpu: true,
  times: true,
  seeded: false,
  vendor: true,
  reserves: false,
  maxLaunches: Number.POSITIVE_INFINITY,
  alwaysBuilt: true,
  playsArch: false,
  patience: { kernel: 15, host: 300 },
  lastWordSeconds: 0,
  runner: {
    sources: ['src', 'cuda'],
    toolkit: true,
    // The runner may be carried to a GPU host with an older libstdc++.
    libraries: ['-static-libstdc++', '-static-libgcc', '-lcudart_static', '-ldl', '-lrt', '-lpthread'],
  },
};
