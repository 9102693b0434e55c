// The family `scale` of test workspaces.

/** Variants of its preset `sound`. */
export const sound = [
  'scale.t64-e3b0',
  'scale.t64.e2-a379',
  'scale.t128-8bd2',
  'scale.t128.e2-0fd3',
  'scale.t256-f1bf',
  'scale.t256.e2-0dc6',
];

/** Flags for two of the sound variants, with one and two elements per thread. */
export const two = ['--where', 'threads == 64'];
