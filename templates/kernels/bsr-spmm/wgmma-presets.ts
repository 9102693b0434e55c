import type { Part as PartOf } from '../../../src/model/family.ts';
import { parameters, type Specs } from './parameters.ts';

type Part = PartOf<Specs>;

/** A wgmma variant without specialities: parts override what they vary. */
const wgmma: Part = { ...parameters.usualOn('wgmma'), role: ['coopN'] };
export const b32: Part = { ...wgmma, block: [32], tileN: [512], tileK: [32], stages: [5], producers: [2] };
export const b64: Part = { ...wgmma, block: [64], tileN: [256] };
export const b128: Part = {
  ...wgmma,
  block: [128],
  tileN: [256],
  stages: [3],
  role: ['coopM'],
  panel: [4, 0],
};

/** Winners on an H200, and their neighbours. */
export const hopperBest: readonly Part[] = [
  { ...b32, stages: [4, 5] },
  { ...b32, wgmmaDepth: [1], cluster: [1, 2] },
  { ...b32, role: ['rows'], grouping: ['adjacent', 'similar'] },
  { ...b32, role: ['rows'], consumers: [3], grouping: ['adjacent', 'similar'], stages: [4, 5] },
  { ...b32, role: ['rows'], consumers: [2, 3], grouping: ['similar'], cluster: [2] },
  {
    ...b32,
    role: ['rows'],
    consumers: [2, 3],
    grouping: ['similar'],
    wgmmaDepth: [0, 1],
    stagingN: [128, 256],
  },
  { ...b64, tileN: [512], tileK: [32], stages: [5], cluster: [1, 2], panel: [1, 2] },
  { ...b64, cluster: [1, 2], panel: [2, 4] },
  { ...b64, role: ['pingpong'], panel: [2, 4] },
  {
    ...b64,
    role: ['rows'],
    wgmmaDepth: [0, 1],
    stagingN: [64, 128],
    cluster: [1, 2],
    panel: [1, 2, 4],
    grouping: ['similar'],
  },
  {
    ...b64,
    role: ['rows'],
    epilogue: ['overlap'],
    wgmmaDepth: [1],
    cluster: [1, 2],
    panel: [1, 2, 4],
    grouping: ['similar'],
  },
  {
    ...b64,
    role: ['rows'],
    consumers: [3],
    stages: [3],
    cluster: [1, 2],
    panel: [2, 4],
    grouping: ['similar'],
  },
  { ...b128, stagingN: [128, 256] },
  { ...b128, stagingN: [256], l2Hint: ['streamC'] },
  { ...b128, stages: [4], cluster: [1, 2], panel: [2, 4] },
  { ...b128, role: ['pingpong'], tileN: [128], stages: [6], panel: [4, 0] },
  {
    ...b128,
    epilogue: ['overlap'],
    stages: [4],
    panel: [1, 2],
    cluster: [1, 2],
    l2Hint: ['none', 'streamC', 'both'],
  },
];

/** For products with few tiles, or a few long rows: narrow tiles, one warpgroup, rows in parts. */
export const hopperNarrow: readonly Part[] = [
  {
    ...b32,
    tileN: [64, 128, 256],
    consumers: [1, 2],
    stages: [5, 8],
    blocksPerStage: [1, 2],
    wgmmaDepth: [0, 1],
    panel: [0],
  },
  { ...b32, tileN: [256, 512], role: ['rows'], consumers: [2, 3], grouping: ['similar'], panel: [0] },
  { ...b64, tileN: [64, 128], consumers: [1, 2], stages: [5, 8], wgmmaDepth: [0, 1], panel: [0] },
  {
    ...b64,
    tileN: [64, 128],
    consumers: [1, 2],
    stages: [4, 6],
    blocksPerStage: [2],
    wgmmaDepth: [0, 1],
    panel: [0],
  },
  { ...b64, tileN: [128, 256], role: ['pingpong', 'rows'], grouping: ['similar'], panel: [0] },
  { ...b128, tileN: [64, 128], role: ['coopM', 'coopN'], stages: [4, 6], wgmmaDepth: [0, 1], panel: [0] },
  { ...b32, tileN: [128, 512], split: [8, 32], role: ['coopN', 'rows'], grouping: ['similar'] },
  { ...b64, tileN: [64], consumers: [1], stages: [8], wgmmaDepth: [0, 1], split: [8, 32], panel: [0] },
  { ...b64, tileN: [128, 256], split: [8, 32], panel: [2, 0] },
  { ...b128, tileN: [64, 128, 256], split: [8], panel: [4, 0] },
  { ...b128, tileN: [64], stages: [4, 6], wgmmaDepth: [1], split: [8], panel: [0] },
];

const narrowCopies = { tileN: [64, 128], wgmmaDepth: [0, 1], panel: [0], producers: [2, 4] } satisfies Part;

/** Narrow tiles have few products to a step, so that the time to issue its copies counts: more producers. */
export const hopperNarrowCopies: readonly Part[] = [
  { ...b64, ...narrowCopies, consumers: [1, 2], stages: [8] },
  { ...b64, ...narrowCopies, consumers: [1, 2], stages: [6], blocksPerStage: [2] },
  { ...b128, ...narrowCopies, role: ['coopM', 'coopN'], stages: [6] },
];

/** C by plain stores, which may add beta * C and write any type. */
const direct: readonly Part[] = [
  { ...b32, epilogue: ['direct'] },
  {
    ...b32,
    role: ['rows'],
    consumers: [2, 3],
    grouping: ['similar'],
    wgmmaDepth: [0, 1],
    epilogue: ['direct'],
  },
  { ...b64, epilogue: ['direct'], panel: [2] },
  { ...b64, role: ['rows'], grouping: ['similar'], wgmmaDepth: [0, 1], epilogue: ['direct'], panel: [2] },
  { ...b128, stages: [3, 4], epilogue: ['direct'], panel: [2, 4] },
];

/** C leaves while the next tile is multiplied. */
const overlap: readonly Part[] = [
  { ...b32, role: ['rows'], grouping: ['similar'], epilogue: ['overlap'], wgmmaDepth: [1] },
  {
    ...b64,
    role: ['rows'],
    grouping: ['similar'],
    epilogue: ['overlap'],
    wgmmaDepth: [1],
    stagingN: [64, 128],
    cluster: [1, 2],
    panel: [1, 2, 4],
  },
  {
    ...b128,
    epilogue: ['overlap'],
    stages: [3, 4],
    stagingN: [64, 128],
    wgmmaDepth: [0, 1],
    cluster: [1, 2],
    panel: [1, 2, 4],
  },
  {
    ...b128,
    epilogue: ['overlap'],
    stages: [4],
    cluster: [1, 2],
    panel: [1, 2, 4],
    l2Hint: ['streamC', 'both'],
  },
  { ...b128, role: ['coopN'], epilogue: ['overlap'], stages: [4], panel: [2] },
  { ...b128, tileN: [128], epilogue: ['overlap'], stages: [4, 6], panel: [0] },
];

const bf16: Part = { input: ['bf16'], output: ['bf16'] };
const similar: Part = { role: ['rows'], grouping: ['similar'], wgmmaDepth: [0, 1], stagingN: [128] };

/** Other types than f16: what won with that, and its like. */
export const hopperTypes: readonly Part[] = [
  { ...b32, ...similar, ...bf16, consumers: [2, 3] },
  { ...b64, ...similar, ...bf16, panel: [2] },
  { ...b128, ...bf16, epilogue: ['tma', 'overlap'], stages: [4], panel: [1, 2, 4] },
  ...direct.map((part): Part => ({ ...part, output: ['f32'] })),
];

/** Every value of every parameter that paid for somebody, f16 in and out, without programmatic launch. */
export const hopper: readonly Part[] = [
  ...hopperBest,
  ...hopperNarrow,
  ...direct,
  ...overlap,
  // Blocks of 32: wide tiles, so that little of what is loaded is A.
  {
    ...b32,
    tileN: [128, 256, 384, 512],
    stages: [4, 5, 6],
    blocksPerStage: [1, 2],
    cluster: [1, 2],
    wgmmaDepth: [0, 1],
    panel: [1, 2],
  },
  { ...b32, tileN: [384], consumers: [3], stages: [4, 5, 6], cluster: [1, 2], panel: [1, 2] },
  { ...b32, role: ['pingpong'], tileN: [256, 512], stages: [4, 5, 6], cluster: [1, 2], panel: [1, 2] },
  {
    ...b32,
    role: ['rows'],
    consumers: [2, 3],
    tileN: [256, 384, 512],
    stages: [4, 5],
    blocksPerStage: [1, 2],
    cluster: [1, 2],
    grouping: ['adjacent', 'similar'],
    panel: [1, 2],
  },
  {
    ...b32,
    role: ['rows'],
    consumers: [2, 3],
    stages: [4, 5, 6],
    wgmmaDepth: [0, 1],
    stagingN: [128, 256],
    cluster: [1, 2],
    grouping: ['similar'],
    panel: [1, 2],
  },
  // Blocks of 64: tiles of 512 columns fit with stages of half the depth.
  {
    ...b64,
    tileN: [128, 192, 256, 384, 512],
    tileK: [32, 64],
    stages: [3, 4, 5],
    cluster: [1, 2],
    wgmmaDepth: [0, 1],
    stagingN: [64, 128],
    panel: [1, 2],
  },
  {
    ...b64,
    tileN: [384],
    tileK: [32, 64],
    consumers: [3],
    stages: [3, 4, 5],
    cluster: [1, 2],
    panel: [1, 2],
  },
  {
    ...b64,
    role: ['pingpong'],
    tileN: [128, 192, 256],
    stages: [4, 5, 6],
    cluster: [1, 2],
    wgmmaDepth: [0, 1],
    panel: [2, 4],
  },
  {
    ...b64,
    role: ['rows'],
    tileN: [128, 192, 256],
    stages: [3, 4],
    cluster: [1, 2],
    grouping: ['adjacent', 'similar'],
    panel: [2, 4],
  },
  {
    ...b64,
    role: ['rows'],
    consumers: [2, 3],
    tileN: [192, 256],
    stages: [3, 4],
    wgmmaDepth: [0, 1],
    stagingN: [64, 128, 256],
    cluster: [1, 2],
    grouping: ['similar'],
    panel: [1, 2, 4],
  },
  {
    ...b64,
    role: ['rows'],
    consumers: [3],
    tileK: [32],
    stages: [5, 6],
    wgmmaDepth: [0, 1],
    stagingN: [64, 128],
    cluster: [1, 2],
    grouping: ['similar'],
    panel: [1, 2, 4],
  },
  // Blocks of 128: enough products per byte; what counts is the epilogue.
  {
    ...b128,
    role: ['coopM', 'coopN'],
    tileN: [128, 192, 256],
    stages: [3, 4, 5],
    cluster: [1, 2],
    stagingN: [64, 128, 256],
    wgmmaDepth: [0, 1],
    panel: [2, 4],
  },
  {
    ...b128,
    stages: [3, 4],
    cluster: [1, 2],
    stagingN: [128, 256],
    panel: [1],
    l2Hint: ['none', 'both'],
  },
  { ...b128, role: ['coopN'], consumers: [3], tileN: [384], cluster: [1, 2], panel: [1, 2] },
  { ...b128, stagingN: [128, 256], l2Hint: ['streamC', 'keepB', 'both'], panel: [2, 4, 0] },
  {
    ...b128,
    role: ['pingpong'],
    tileN: [128],
    stages: [4, 5, 6],
    stagingN: [64, 128],
    cluster: [1, 2],
    wgmmaDepth: [0, 1],
    panel: [4, 8, 0],
  },
  // Producers.
  { ...b32, ...similar, consumers: [2, 3], stages: [4, 5], producers: [1, 4] },
  {
    ...b64,
    role: ['rows'],
    grouping: ['similar'],
    epilogue: ['overlap'],
    wgmmaDepth: [1],
    panel: [2, 4],
    producers: [2],
  },
  { ...b128, epilogue: ['overlap'], stages: [4], cluster: [1, 2], panel: [1, 2], producers: [2] },
  // Schedules.
  { ...b32, schedule: ['atomic'], producers: [1], panel: [1, 2] },
  { ...b64, schedule: ['atomic'], panel: [2, 4] },
  { ...b128, schedule: ['atomic'], stagingN: [128, 256] },
  { ...b32, split: [8, 32], role: ['coopN', 'rows'] },
  { ...b64, split: [8, 32], panel: [2, 4] },
  { ...b128, split: [8], stagingN: [128] },
  { ...b32, order: ['natural'], panel: [1, 0] },
  { ...b64, order: ['natural'], panel: [2, 0] },
  { ...b128, order: ['natural'], stagingN: [128] },
];

/** Programmatic dependent launch around the best; its times are those of launches that overlap. */
export const hopperPdl: readonly Part[] = [
  { ...b32, role: ['rows'], consumers: [3], grouping: ['similar'], stagingN: [128], pdl: [false, true] },
  {
    ...b64,
    role: ['rows'],
    grouping: ['similar'],
    stagingN: [128],
    wgmmaDepth: [0, 1],
    cluster: [1, 2],
    panel: [1, 2],
    pdl: [false, true],
  },
  {
    ...b128,
    epilogue: ['overlap'],
    stages: [4],
    panel: [1, 2],
    l2Hint: ['none', 'streamC'],
    pdl: [false, true],
  },
];

/** One of every kind, for a quick look. */
export const hopperQuick: readonly Part[] = [
  { ...b32, tileN: [256], stages: [3], role: ['rows'] },
  { ...b64, tileN: [128], role: ['pingpong'] },
  { ...b128, tileN: [128], cluster: [2], stages: [4], panel: [4], epilogue: ['tma', 'overlap'] },
];

/** Code that `hopperQuick` does not show: the work queue, parts, dependent launches, plain stores, swapped operands, groups that overlap. */
export const hopperKinds: readonly Part[] = [
  { ...b32, tileN: [256], stages: [4], wgmmaDepth: [1] },
  { ...b32, tileN: [128], stages: [4], producers: [1], epilogue: ['direct'], output: ['f32'], split: [8] },
  { ...b64, tileN: [128], schedule: ['atomic'], l2Hint: ['keepB'] },
  { ...b64, tileN: [128], role: ['pingpong'], split: [8], pdl: [true] },
  { ...b64, tileN: [128], role: ['rows'], epilogue: ['overlap'], wgmmaDepth: [1], cluster: [2], stages: [3] },
  { ...b64, tileN: [128], blocksPerStage: [2], stages: [3] },
  { ...b128, tileN: [128], input: ['bf16'], output: ['bf16'], stagingN: [128] },
];

/** All types, tiles and roles; few of what changes little. */
export const hopperFull: Part = {
  path: ['wgmma'],
  layoutB: ['row'],
  layoutC: ['row'],
  stages: [3, 5],
  producers: [1, 2],
  panel: [2],
  order: ['longest'],
  stagingN: [64, 128],
  split: [0, 8],
  l2Hint: ['none', 'keepB'],
  fused: [false],
  pdl: [false],
};
