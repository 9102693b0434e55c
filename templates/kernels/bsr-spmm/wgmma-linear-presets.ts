import type { Part as PartOf } from '../../../src/model/family.ts';
import type { Specs } from './parameters.ts';
import { narrowFew } from './paths/narrow/presets.ts';
import { b32, b64, b128 } from './wgmma-presets.ts';

type Part = PartOf<Specs>;

/** x and y of y = x W^T are B and C column-major. */
const columnMajor: Part = { layoutB: ['column'], layoutC: ['column'] };
const similar: Part = { ...columnMajor, role: ['rows'], grouping: ['similar'], wgmmaDepth: [0, 1] };
const deep: Part = {
  ...{ ...b32, ...similar },
  ...{ stages: [7, 8], l2Hint: ['none', 'both'], stagingN: [128], panel: [1] },
};
const fewColumns: Part = { ...columnMajor, tileN: [64, 128], wgmmaDepth: [0, 1], panel: [0] };

/** y = x W^T: what won with row-major B and C, and narrow tiles for few rows of x. */
export const hopperLinear: readonly Part[] = [
  { ...b32, ...similar, tileN: [256, 512], consumers: [2, 3], stagingN: [128] },
  { ...b32, ...fewColumns, tileN: [64, 128, 256], consumers: [1, 2], stages: [8], blocksPerStage: [1, 2] },
  { ...b64, ...similar, stagingN: [64, 128], cluster: [1, 2], panel: [1, 2, 4] },
  { ...b64, ...similar, epilogue: ['overlap'], wgmmaDepth: [1], cluster: [1, 2], panel: [1, 2, 4] },
  { ...b64, ...similar, consumers: [3], stages: [3], panel: [2] },
  { ...b64, ...columnMajor, stagingN: [64, 128], panel: [2, 4] },
  { ...b64, ...columnMajor, tileN: [128, 256], role: ['rows'], grouping: ['similar'], panel: [0] },
  { ...b64, ...fewColumns, consumers: [1, 2], stages: [8], producers: [1, 2] },
  { ...b128, ...columnMajor, stages: [3, 4], stagingN: [128], panel: [1, 2, 4] },
  { ...b128, ...columnMajor, stages: [4], epilogue: ['overlap'], panel: [1, 2], cluster: [1, 2] },
  { ...b128, ...fewColumns, role: ['coopM', 'coopN'], stages: [6] },
  // Few block rows, and long ones.
  {
    ...b32,
    ...similar,
    wgmmaDepth: [0],
    tileN: [256],
    consumers: [3],
    stages: [7],
    stagingN: [128],
    panel: [1, 2],
  },
  {
    ...b32,
    ...similar,
    wgmmaDepth: [0],
    tileN: [256],
    consumers: [3],
    cluster: [2],
    stagingN: [128],
    panel: [1],
  },
  {
    ...b32,
    ...similar,
    wgmmaDepth: [0],
    tileN: [256],
    consumers: [3],
    l2Hint: ['keepB', 'both'],
    stagingN: [128],
  },
  // The same with more in flight.
  { ...deep, tileN: [256], consumers: [2, 3], cluster: [1, 2] },
  { ...deep, tileN: [128], consumers: [3], cluster: [2], producers: [4] },
  { ...b32, ...similar, wgmmaDepth: [0], consumers: [3], l2Hint: ['both'], stagingN: [128] },
  // B packed, so that TMA brings whole lines of L2.
  {
    ...b32,
    ...similar,
    wgmmaDepth: [0],
    tileN: [256, 512],
    consumers: [3],
    stagingN: [128],
    packB: [true],
    pdl: [false, true],
  },
  {
    ...b32,
    ...fewColumns,
    tileN: [64, 128],
    consumers: [1],
    stages: [8],
    blocksPerStage: [2],
    split: [8, 32],
  },
  { ...b64, ...fewColumns, consumers: [1], stages: [8], split: [8] },
  { ...b128, ...fewColumns, role: ['coopM'], stages: [6], split: [8] },
];

const f16: Part = { input: ['f16'], output: ['f16'] };
const bf16: Part = { input: ['bf16'], output: ['bf16'] };

/** Bias and activation behind it. */
export const hopperFused: readonly Part[] = [f16, bf16].flatMap((types): Part[] => {
  const fused: Part = { ...columnMajor, ...types, fused: [true] };
  const together: Part = { ...similar, ...fused, stagingN: [128] };
  return [
    { ...b32, ...together, consumers: [2, 3] },
    { ...b64, ...together, panel: [1, 2] },
    { ...b64, ...together, wgmmaDepth: [1], epilogue: ['overlap'], stagingN: [64], panel: [1, 2] },
    { ...b64, ...fused, panel: [2] },
    { ...b128, ...fused, epilogue: ['tma', 'overlap'], stages: [4], panel: [1, 2] },
    // One warpgroup finishes its tile while the other multiplies.
    { ...b64, ...fused, role: ['pingpong'], stagingN: [64, 128], panel: [2, 4] },
    { ...b128, ...fused, role: ['pingpong'], tileN: [128], stages: [6], panel: [2, 4] },
  ];
});

/** Few columns: A is read, once. */
const decoding: Part = {
  ...columnMajor,
  ...{ tileN: [16, 32, 48, 64], wgmmaDepth: [0, 1], panel: [0], stages: [8], split: [0, 8] },
};

/** Few rows of x, down to one. */
export const hopperDecoding: readonly Part[] = [
  { ...b64, ...decoding, consumers: [1], blocksPerStage: [1, 2], producers: [1, 2] },
  { ...b64, ...decoding, role: ['pingpong'], producers: [1, 2] },
  { ...b128, ...decoding, role: ['coopM'], stages: [6], producers: [1, 2] },
  { ...b128, ...decoding, role: ['coopN'], consumers: [1], stages: [6] },
  { ...b32, ...decoding, tileN: [64], consumers: [1], blocksPerStage: [1, 2] },
  {
    ...b32,
    ...decoding,
    tileN: [64],
    role: ['rows'],
    consumers: [2, 3],
    grouping: ['similar'],
    wgmmaDepth: [0],
  },
];

const few: Part = { ...decoding, wgmmaDepth: [0], split: [0], pdl: [false, true] };

/** Winners there, and their neighbours. */
export const hopperFew: readonly Part[] = [
  { ...b64, ...few, tileN: [16, 32], consumers: [1], blocksPerStage: [2] },
  { ...b64, ...few, tileN: [64], consumers: [1] },
  { ...b128, ...few, tileN: [16, 32, 64], role: ['coopM'], stages: [6] },
  { ...b32, ...few, tileN: [64], consumers: [1], blocksPerStage: [2] },
  // Block rows that are few, or unlike: thread blocks of a cluster share each.
  { ...b64, ...few, tileN: [16, 32], consumers: [1], blocksPerStage: [2], schedule: ['pairs', 'fours'] },
  { ...b128, ...few, tileN: [16, 32], role: ['coopM'], stages: [6], schedule: ['pairs', 'fours'] },
  { ...b32, ...few, tileN: [64], consumers: [1], blocksPerStage: [2], schedule: ['pairs'] },
  ...narrowFew,
];

const middle: Part = { ...fewColumns, wgmmaDepth: [0], producers: [1, 2] };

/** For 64 and 256 columns: how much a multiprocessor has in flight. With clusters that share steps ptxas serialises the wgmma of tiles this wide. */
export const hopperMiddle: readonly Part[] = [
  { ...b32, ...middle, tileN: [64], consumers: [1], blocksPerStage: [1, 2], stages: [6, 8] },
  { ...b64, ...middle, tileN: [32, 64, 128], consumers: [1], blocksPerStage: [1, 2], stages: [4, 6, 8] },
  { ...b64, ...middle, tileN: [128, 256], consumers: [2], stages: [4, 6, 8] },
  { ...b128, ...middle, tileN: [32, 64], role: ['coopM'], stages: [4, 6, 8] },
];

/** Code that row-major operands do not show: every layout, narrow tiles, bias and activation. */
export const hopperLinearKinds: readonly Part[] = [
  {
    ...b32,
    ...columnMajor,
    ...{ tileN: [384], consumers: [3], role: ['rows'], stages: [3], grouping: ['similar'], fused: [true] },
  },
  { ...b64, ...columnMajor, stagingN: [128], cluster: [2], fused: [true] },
  { ...b128, ...columnMajor, tileN: [128], stages: [4], epilogue: ['overlap'], wgmmaDepth: [1], panel: [4] },
  { ...b128, ...columnMajor, tileN: [16], stages: [4], role: ['coopN'], consumers: [1], panel: [0] },
  { ...b64, ...columnMajor, tileN: [48], stages: [8], role: ['pingpong'], wgmmaDepth: [1], split: [8] },
  {
    ...b64,
    ...columnMajor,
    ...{ tileN: [16], stages: [8], consumers: [1], blocksPerStage: [2], panel: [0], schedule: ['fours'] },
  },
  { ...b64, layoutB: ['column'], tileN: [128], tileK: [32], role: ['rows'] },
  { ...b64, ...columnMajor, transposeA: [true], tileN: [64], role: ['rows'], blocksPerStage: [2] },
  {
    ...b128,
    transposeA: [true],
    tileN: [64],
    tileK: [32],
    panel: [0],
    role: ['rows'],
    cluster: [2],
    output: ['f32'],
    epilogue: ['direct'],
  },
  { ...b64, layoutC: ['column'], tileN: [128], epilogue: ['direct'], output: ['f32'] },
  { ...b32, ...columnMajor, tileN: [128], epilogue: ['direct'] },
  { ...b32, ...columnMajor, transposeA: [true], tileN: [64], role: ['rows'], wgmmaDepth: [1] },
];

const packed: Part = { packB: [true], epilogue: ['staged'] };

/** C by warps of their own. */
export const byStoreWarps: Part = { epilogue: ['storeWarps'], stages: [3], stagingN: [256], wgmmaDepth: [1] };

/** Row-major B and C of any width: B packed, lines of C written wherever they begin; and what a width is compared with that TMA takes. */
export const hopperWidths: readonly Part[] = [
  { ...b32, role: ['rows'], consumers: [3], grouping: ['similar'], wgmmaDepth: [1], stagingN: [128] },
  { ...b64, role: ['rows'], grouping: ['similar'], wgmmaDepth: [1], epilogue: ['overlap'], panel: [4] },
  { ...b64, tileN: [64], consumers: [1], stages: [8], panel: [0] },
  { ...b128, stages: [4], epilogue: ['overlap'], panel: [2] },
  {
    ...b32,
    ...packed,
    role: ['rows'],
    grouping: ['similar'],
    stagingN: [128, 256],
    wgmmaDepth: [1],
    pdl: [true],
  },
  {
    ...b32,
    ...packed,
    role: ['rows'],
    consumers: [3],
    tileN: [256],
    stages: [5],
    stagingN: [128, 256],
    grouping: ['similar'],
    pdl: [true],
  },
  { ...b32, ...packed, tileN: [64], consumers: [1], stages: [8], panel: [0], pdl: [true] },
  {
    ...b64,
    ...packed,
    role: ['rows'],
    grouping: ['similar'],
    stages: [3, 4],
    stagingN: [128, 256],
    wgmmaDepth: [1],
    panel: [2, 4],
    pdl: [true],
  },
  {
    ...b64,
    ...packed,
    role: ['pingpong'],
    stages: [3, 4],
    stagingN: [128, 256],
    wgmmaDepth: [1],
    panel: [4],
    pdl: [false, true],
  },
  { ...b64, ...packed, tileN: [64], consumers: [1], stages: [8], panel: [0], pdl: [true] },
  { ...b128, ...packed, stagingN: [128, 256], wgmmaDepth: [1], panel: [2, 4], pdl: [true] },
  {
    ...b128,
    ...packed,
    role: ['pingpong'],
    tileN: [128],
    stages: [5],
    stagingN: [128],
    wgmmaDepth: [1],
    panel: [2, 4],
    pdl: [true],
  },
  { ...b128, ...packed, tileN: [64], stages: [6], panel: [0], pdl: [true] },
  {
    ...{ ...b64, ...packed, ...byStoreWarps },
    ...{ role: ['rows'], grouping: ['similar'], panel: [2, 4], pdl: [true] },
  },
  { ...b128, ...packed, ...byStoreWarps, panel: [2, 4], pdl: [true] },
];

/** Every kind of code that those are of: lines along wgmma's M and N, of 16, 32, 48 and 64 elements, results of each type. */
export const hopperWidthsKinds: readonly Part[] = [
  { ...b64, ...packed, tileN: [128], role: ['rows'], grouping: ['similar'], stagingN: [128] },
  { ...b32, ...packed, tileN: [256], output: ['f32'], stagingN: [128] },
  { ...b128, ...packed, tileN: [128], input: ['bf16'], output: ['bf16'], stages: [4] },
  { ...b64, ...columnMajor, epilogue: ['staged'], tileN: [48], role: ['pingpong'], stages: [8] },
  { ...b32, ...columnMajor, packB: [true], epilogue: ['staged'], tileN: [128] },
  { ...b32, ...columnMajor, packB: [true], tileN: [256], cluster: [2], pdl: [true] },
  { ...b64, layoutC: ['column'], epilogue: ['staged'], tileN: [128], output: ['f32'] },
  {
    ...b64,
    ...columnMajor,
    ...{ epilogue: ['staged'], fused: [true], tileN: [128], role: ['rows'], grouping: ['similar'] },
  },
  { ...b64, ...packed, ...byStoreWarps, tileN: [128], stagingN: [64], fused: [true], cluster: [2] },
  { ...b128, ...byStoreWarps, tileN: [128], stagingN: [128], output: ['f32'], producers: [2] },
  {
    ...{ ...b64, ...byStoreWarps, role: ['rows'], grouping: ['similar'], consumers: [3], tileN: [128] },
    ...{ layoutB: ['column'], input: ['bf16'], output: ['bf16'] },
  },
  { ...b32, ...columnMajor, ...byStoreWarps, tileN: [128] },
];

/** The gradient of a layer by its input: A transposed, in groups of block rows; and the product of A as it is, with like tiles. */
export const hopperGradients: readonly Part[] = [false, true].flatMap((transposed): Part[] => {
  const gradient: Part = { ...similar, transposeA: [transposed] };
  return [
    { ...b32, ...gradient, tileN: [256, 384], consumers: [3], stages: [3, 5], stagingN: [128] },
    { ...b32, ...gradient, tileN: [256], consumers: [3], cluster: [2], stagingN: [128] },
    { ...b32, ...gradient, tileN: [512], stages: [4], stagingN: [128] },
    { ...b64, ...gradient, stagingN: [128], panel: [1, 2, 4] },
    { ...b64, ...gradient, epilogue: ['overlap'], wgmmaDepth: [1], panel: [1, 2, 4] },
    { ...b64, ...gradient, consumers: [3], stages: [3], panel: [2] },
    { ...b64, ...gradient, cluster: [2], stagingN: [128], panel: [2] },
    { ...b128, ...gradient, tileN: [128], stages: [4], wgmmaDepth: [0, 1], panel: [1, 2, 4] },
    ...(transposed
      ? []
      : [{ ...b128, ...columnMajor, stages: [3], stagingN: [128], panel: [2, 4] } as const]),
  ];
});

const byTma: Part = { input: ['f16'], output: ['f16'], stagingN: [128] };
/** Results of the inputs' type leave by TMA, of f32 from registers. */
const everyType: readonly Part[] = [
  byTma,
  { ...byTma, ...bf16 },
  { input: ['f16', 'bf16'], output: ['f32'], epilogue: ['direct'] },
];

/** Stores of 128 rows of f32 into columns of C, from registers, would spill. */
const toRows: Part = { layoutC: ['row'] };

/** Aligned operands of every type and layout, A as it is and transposed, once for every block size. */
const wideCells: readonly Part[] = everyType.flatMap((types): Part[] => {
  const cell: Part = {
    ...{ layoutB: ['row', 'column'], layoutC: ['row', 'column'], transposeA: [false, true] },
    ...{ role: ['rows'], grouping: ['similar'], wgmmaDepth: [1] },
    ...types,
  };
  return [
    { ...b32, ...cell, tileN: [256], consumers: [3] },
    { ...b64, ...cell, panel: [4] },
    { ...b128, ...cell, ...(types.epilogue && toRows), tileN: [128], stages: [4], panel: [4] },
  ];
});

const allTypes: readonly Part[] = [
  { input: ['f16'], output: ['f16', 'f32'] },
  { input: ['bf16'], output: ['bf16', 'f32'] },
];

/** The former C or a residual, before bias and activation, in every type; of row-major operands B is packed. */
export const hopperAddends: readonly Part[] = allTypes.flatMap((types) =>
  [columnMajor, packed].flatMap((layouts): Part[] => {
    const addend: Part = {
      ...layouts,
      ...types,
      ...{ epilogue: ['staged'], fused: [true], wgmmaDepth: [1], stagingN: [128], panel: [2] },
    };
    const together: Part = { ...addend, role: ['rows'], grouping: ['similar'] };
    return [
      { ...b32, ...together, tileN: [256], consumers: [2, 3] },
      { ...b64, ...together, stages: [3] },
      { ...b64, ...addend, role: ['pingpong'], stages: [3] },
      { ...b128, ...together, tileN: [128] },
      { ...b128, ...addend, role: ['pingpong'], tileN: [128], stages: [4] },
    ];
  }),
);

/** Those of f16. */
export const hopperHalves: readonly Part[] = wideCells.filter(({ output }) => output?.includes('f16'));

/** Few rows of x, and row-major operands of any width, in every type. */
const otherCells: readonly Part[] = allTypes.flatMap((types): Part[] => {
  const few: Part = { ...columnMajor, ...types, panel: [0], epilogue: ['staged'] };
  return [
    { ...b32, ...few, tileN: [64], consumers: [1], stages: [8] },
    { ...b64, ...few, tileN: [32], consumers: [1], stages: [8] },
    { ...b128, ...few, tileN: [32], stages: [6] },
    { ...b32, ...packed, ...types, tileN: [128], stages: [8], panel: [2] },
    { ...b64, ...packed, ...types, role: ['rows'], grouping: ['similar'], panel: [2] },
    { ...b128, ...packed, ...types, panel: [2] },
  ];
});

/** Kinds of calls of 16-bit types. */
export const hopperCells: readonly Part[] = [...wideCells, ...otherCells];
