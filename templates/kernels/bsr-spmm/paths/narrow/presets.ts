import type { Part as PartOf } from '../../../../../src/model/family.ts';
import { parameters, type Specs } from '../../parameters.ts';

type Part = PartOf<Specs>;

/** A variant without specialities: parts override what they vary. */
const narrow: Part = { ...parameters.usualOn('narrow'), tileN: [16], warpsK: [4], unroll: [4] };

/** Every kind of code once, in every block size and type. */
export const narrowKinds: readonly Part[] = [
  { ...narrow, block: [16], tileN: [8], warpsK: [2] },
  { ...narrow, block: [16], input: ['bf16'], output: ['bf16'], warpsM: [4], warpsK: [2], parts: [2] },
  { ...narrow, block: [32], tileN: [24], tilesM: [2], prefetch: [true], unroll: [2] },
  { ...narrow, block: [64], tileN: [8], warpsM: [2], parts: [4], output: ['f32'], pdl: [true] },
  { ...narrow, block: [128], tileN: [64], tilesM: [4], warpsM: [2], warpsK: [2], unroll: [1] },
  { ...narrow, block: [128], input: ['bf16'], output: ['f32'], warpsK: [8], unroll: [8] },
  { ...narrow, block: [16], warpsM: [2], warpsK: [2], unroll: [2], bulkStages: [2] },
  { ...narrow, block: [32], input: ['bf16'], output: ['bf16'], unroll: [2], bulkStages: [4] },
  { ...narrow, block: [64], tilesM: [2], unroll: [2], bulkStages: [2] },
  {
    ...narrow,
    block: [128],
    tileN: [8],
    warpsK: [8],
    parts: [2],
    output: ['f32'],
    bulkStages: [1],
    minBlocks: [1],
    pdl: [true],
  },
];

const blocks: Part = { block: [16, 32, 64, 128] };

/** Around what pays where A is read once: one to sixteen columns, then up to 64. */
export const narrowBest: readonly Part[] = [
  { ...narrow, ...blocks, tileN: [8, 16], warpsK: [2, 4, 8], unroll: [4, 8] },
  { ...narrow, ...blocks, tileN: [8, 16], warpsM: [4], warpsK: [1, 2, 4] },
  { ...narrow, ...blocks, tileN: [8, 16], warpsM: [2], warpsK: [4], parts: [1, 2], prefetch: [true] },
  { ...narrow, block: [32, 64, 128], tileN: [8, 16], tilesM: [2], warpsK: [4, 8], unroll: [2, 4] },
  { ...narrow, ...blocks, tileN: [24], warpsM: [1, 2], warpsK: [4] },
  { ...narrow, block: [32, 64, 128], tileN: [24, 32, 64], tilesM: [2], warpsK: [4, 8], unroll: [1, 2] },
  {
    ...narrow,
    block: [32, 64, 128],
    tileN: [32, 64],
    tilesM: [2],
    warpsM: [2],
    warpsK: [2, 4],
    unroll: [2],
  },
  {
    ...narrow,
    block: [64, 128],
    tileN: [64],
    tilesM: [4],
    warpsK: [4, 8],
    unroll: [1, 2],
    minBlocks: [1],
  },
  { ...narrow, block: [16], tileN: [32, 64], warpsM: [1, 4], warpsK: [4], unroll: [2] },
];

/** Few columns in every type, one for every block size. */
export const narrowCells: readonly Part[] = [
  { input: ['f16'], output: ['f16', 'f32'] } as const,
  { input: ['bf16'], output: ['bf16', 'f32'] } as const,
].flatMap((types): Part[] => [
  { ...narrow, ...types, block: [16] },
  { ...narrow, ...types, block: [32, 128], tilesM: [2], warpsK: [8] },
  { ...narrow, ...types, block: [64], tileN: [8], warpsK: [8] },
]);

const alike: Part = { ...narrow, block: [32, 64, 128], pdl: [false, true] };

/** Winners for 1 to 16 rows of x, and their neighbours: long rows shared by more warps, and all of a share loaded at once. */
export const narrowFew: readonly Part[] = [
  { ...alike, tileN: [8, 16], tilesM: [1], warpsK: [8], unroll: [4, 8] },
  { ...alike, tileN: [8, 16], tilesM: [1], warpsK: [16], unroll: [4], minBlocks: [1] },
  { ...alike, tileN: [8, 16], tilesM: [2], warpsK: [4, 8], unroll: [2, 4] },
];

const bulk: Part = { ...narrow, tileN: [8, 16], minBlocks: [1], bulkStages: [1] };

/** The same by bulk copies: 1 to 8 KB in a stage. */
export const narrowBulk: readonly Part[] = [
  { ...bulk, block: [16], warpsK: [4, 8], unroll: [2, 4, 8] },
  { ...bulk, block: [32], tilesM: [1, 2], warpsK: [4, 8, 16], unroll: [1, 2] },
  { ...bulk, block: [32], tilesM: [2], warpsK: [4], unroll: [4] },
  { ...bulk, block: [32], tilesM: [2], warpsK: [4], unroll: [2], bulkStages: [2] },
  { ...bulk, block: [64], tilesM: [1, 2], warpsK: [4, 8, 16], unroll: [2] },
  { ...bulk, block: [64], tilesM: [4], warpsK: [8, 16], unroll: [2] },
  { ...bulk, block: [64], tilesM: [2], warpsK: [8], unroll: [2], bulkStages: [2] },
  { ...bulk, block: [128], tilesM: [1, 2], warpsK: [4, 8, 16], unroll: [4] },
  { ...bulk, block: [128], tilesM: [2], warpsK: [8], unroll: [4], bulkStages: [2] },
];

/** The same for 17 to 64 columns. */
export const narrowBulkWide: readonly Part[] = [
  { ...bulk, block: [16], tileN: [24, 32, 64], warpsK: [4, 8], unroll: [1, 2, 4] },
  { ...bulk, block: [16], tileN: [24, 32, 64], warpsM: [2, 4], warpsK: [2, 4], unroll: [2] },
  { ...bulk, block: [32], tileN: [24, 32, 64], tilesM: [2], warpsK: [4, 8, 16], unroll: [1, 2] },
  { ...bulk, block: [64], tileN: [24, 32, 64], tilesM: [1, 2, 4], warpsK: [4, 8], unroll: [2] },
  { ...bulk, block: [64], tileN: [24, 32, 64], tilesM: [2], warpsM: [2], warpsK: [4], unroll: [2] },
  { ...bulk, block: [128], tileN: [24, 32, 64], tilesM: [1, 2], warpsK: [4, 8], unroll: [4] },
];

const anyType: Part = { ...bulk, input: ['f16', 'bf16'], output: ['f16', 'bf16', 'f32'] };

/** Winners among these, in every type of 16 bits. */
export const narrowBulkCells: readonly Part[] = [
  { ...anyType, block: [16], warpsK: [4, 8], unroll: [4] },
  { ...anyType, block: [32], tilesM: [2], warpsK: [8], unroll: [1] },
  { ...anyType, block: [32], tilesM: [2], warpsK: [4], unroll: [2] },
  { ...anyType, block: [64], tilesM: [1, 2], warpsK: [8], unroll: [2] },
  { ...anyType, block: [128], tilesM: [1, 2], warpsK: [8], unroll: [4] },
];
