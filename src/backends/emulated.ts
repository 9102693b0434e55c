import type { Backend } from '../model/backend.ts';

/** The emulated device: the same source compiled by g++, run on a CPU under adversarial schedules and a race detector. */
export const emulated: Backend = {
  name: 'emulated',
  gpu: false,
  times: false,
  seeded: true,
  vendor: false,
  reserves: true,
  maxLaunches: 3,
  alwaysBuilt: false,
  playsArch: true,
  patience: { kernel: 30, host: 300 },
  // It knows more than that nothing was heard. A kernel that never gives way does not let it speak.
  lastWordSeconds: 2,
  runner: {
    sources: ['src', 'emulated', 'simt/src'],
    toolkit: false,
    libraries: ['-ldl', '-lpthread'],
  },
};
