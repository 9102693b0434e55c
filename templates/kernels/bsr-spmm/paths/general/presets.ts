import type { Part as PartOf, Preset } from '../../../../../src/model/family.ts';
import type { Workload } from '../../../../../src/model/workload.ts';
import { comparisons } from '../../comparisons.ts';
import {
  batches,
  densities,
  exactFloats,
  floats,
  fused,
  gradients,
  mixedLayouts,
  partBlocks,
  plain,
  prefill,
  widths,
} from '../../layer-workloads.ts';
import { parameters, type Specs } from '../../parameters.ts';
import { hopperWidths } from '../../wgmma-linear-presets.ts';

type Part = PartOf<Specs>;

const f16: Part = { input: ['f16'], output: ['f16'] };

/** A variant without specialities: the plain product, f16 in and out. */
export const general: Part = parameters.usualOn('general');
/** x and y of y = x W^T are B and C column-major. */
const columnMajor: Part = { layoutB: ['column'], layoutC: ['column'] };

/** Each block size, each layout and each kind of copy once. */
export const generalQuick: readonly Part[] = [
  { ...general, ...columnMajor, block: [32], warpsM: [1], prefetch: [true] },
  {
    ...general,
    ...{ layoutB: ['column'], transposeA: [true], block: [64], tileN: [64], stages: [2], copyBytes: [4] },
    ...{ input: ['bf16'], output: ['bf16'], order: ['natural'] },
  },
  {
    ...general,
    ...{ layoutC: ['column'], output: ['f32'], block: [128], copyBytes: [2], tileN: [64], warpsM: [4] },
  },
];

/** Code that `generalQuick` does not show: B packed, in both orders. */
export const generalKinds: readonly Part[] = [
  { ...general, block: [64], warpsM: [1], warpsN: [4], packB: [true] },
  { ...general, ...columnMajor, block: [32], warpsM: [1], packB: [true], order: ['natural'] },
];

/** f32 on CUDA cores, of B of any alignment. */
const exact: Part = {
  ...general,
  input: ['f32'],
  output: ['f32'],
  ffma: [true],
  copyBytes: [4],
  tileK: [16],
};

/** Their code for each order of each operand. */
const exactKinds: readonly Part[] = [
  { ...exact, block: [64] },
  { ...exact, ...columnMajor, block: [32], warpsM: [1], copyBytes: [16], order: ['natural'] },
  { ...exact, layoutB: ['column'], transposeA: [true], block: [128], tileN: [64], warpsM: [4], stages: [2] },
  {
    ...exact,
    layoutC: ['column'],
    transposeA: [true],
    block: [16],
    tileN: [32],
    warpsM: [1],
    blocksPerStage: [2],
  },
];

/** Tiles of f32 on CUDA cores. */
function exactTiles(choices: Part): Part[] {
  const of: Part = { ...exact, ...choices, copyBytes: [4, 16], stages: [2, 3], tileK: [32] };
  const small: Part = { ...of, block: [16], tileK: [16], warpsM: [1] };
  const few: Part = { ...of, tileN: [16], warpsN: [1], stages: [3, 4] };
  return [
    { ...small, tileN: [64, 128], warpsN: [2], minBlocks: [2, 4] },
    { ...small, tileN: [256], warpsN: [4], minBlocks: [2, 4] },
    { ...small, tileN: [32], warpsN: [2], stages: [4], blocksPerStage: [1, 2] },
    { ...of, block: [32], warpsM: [1], warpsN: [2, 4], tileN: [64, 128, 256] },
    { ...of, block: [64], warpsM: [1, 2], warpsN: [2, 4], tileN: [64, 128, 256] },
    { ...of, block: [64], warpsM: [1], warpsN: [4], tileN: [256], minBlocks: [1] },
    { ...of, block: [128], warpsM: [2], tileN: [64, 128], minBlocks: [1, 2] },
    { ...few, block: [32], warpsM: [2] },
    { ...few, block: [64], tileN: [16, 32], warpsM: [2, 4] },
    { ...few, block: [64], tileK: [64], warpsM: [4] },
    { ...few, block: [128], tileN: [16, 32], warpsM: [4] },
    { ...few, block: [128], tileK: [64], warpsM: [4], stages: [3] },
  ];
}

/** Around what pays, for one kind of operation. */
function candidates(choices: Part): Part[] {
  const of: Part = { ...general, ...choices, prefetch: [false, true] };
  return [
    { ...of, block: [16], tileN: [128, 256], tileK: [16], warpsM: [1], warpsN: [4], stages: [4, 5] },
    { ...of, block: [32], tileN: [128, 256], warpsM: [1], warpsN: [4], stages: [3, 4], minBlocks: [2, 3] },
    { ...of, block: [64], tileN: [128, 256], tileK: [32, 64], warpsM: [1, 2], warpsN: [4], stages: [3, 4] },
    { ...of, block: [64], tileN: [128], tileK: [32, 64], warpsM: [1, 2], warpsN: [2], stages: [3, 4] },
    {
      ...of,
      block: [128],
      tileN: [128, 256],
      tileK: [32, 64],
      warpsN: [2, 4],
      stages: [3, 4],
      minBlocks: [1, 2],
    },
  ];
}

/** For each block size one that has little to hold against it. */
function usual(choices: Part): Part[] {
  const of: Part = { ...general, ...choices };
  return [
    { ...of, block: [16], tileK: [16], warpsM: [1], warpsN: [4] },
    { ...of, block: [32], warpsM: [1], warpsN: [4], minBlocks: [3] },
    { ...of, block: [64], warpsM: [1], warpsN: [4], tileK: [64], stages: [3] },
    { ...of, block: [128], tileK: [64], stages: [3] },
  ];
}

/** Whatever B is aligned to, and with nothing known of A on the host. */
const anywhere: Part = { copyBytes: [2], order: ['natural'] };

const layouts: readonly Part[] = [
  { layoutB: ['column'], layoutC: ['column'] },
  { layoutB: ['column'], layoutC: ['row'] },
  { layoutB: ['row'], layoutC: ['column'] },
];

/** For each block size a variant that packs B, so that it may have any width and alignment. */
function packed(choices: Part): Part[] {
  // Two thread blocks in the shared memory of an A100's multiprocessor.
  const fitting = (part: Part): Part => ({ ...part, ...(part.block?.includes(128) && { tileK: [32] }) });
  const narrowed: Part = choices.input?.includes('f32') ? { tileK: [16] } : {};
  return usual({ packB: [true], order: ['natural'] }).map((part) => ({
    ...fitting(part),
    ...choices,
    ...narrowed,
  }));
}

const everyLayout: Part = { layoutB: ['row', 'column'], layoutC: ['row', 'column'] };
const otherTypes: readonly Part[] = [
  { input: ['f16'], output: ['bf16', 'f32'] },
  { input: ['bf16'], output: ['f16', 'bf16', 'f32'] },
  { input: ['f32'], output: ['f32'] },
];

/** Every type, layout and transposition once for every block size. */
const everyCell: readonly Part[] = [f16, ...otherTypes].flatMap((types) =>
  packed({ ...types, ...everyLayout, transposeA: [false, true] }),
);

/** The same with as many thread blocks as 100 KB of shared memory hold. */
const everySmallCell = everyCell.map((part): Part => {
  const [block] = part.block ?? [];
  const minBlocks = { 32: [2], 64: [1] } as const;
  return block === 32 || block === 64 ? { ...part, minBlocks: minBlocks[block] } : part;
});

/** Every layout and transposition of f32 on CUDA cores, of any alignment: two thread blocks in 100 KB of shared memory. */
const exactCell: Part = {
  ...exact,
  ...everyLayout,
  ...{ transposeA: [false, true], order: ['natural'], tileN: [64], stages: [3] },
};
const exactCells: readonly Part[] = [
  { ...exactCell, block: [16, 32, 64], warpsM: [1] },
  { ...exactCell, block: [128], warpsM: [2] },
];

/**
 * A variant of any beta, and one of any alignment, for each layout of f16 that the other paths leave out; and one that packs B for
 * all else that has no other variant on tensor cores.
 */
export const generalFallbacks: readonly Part[] = [
  ...layouts.flatMap((layout) => [
    ...usual({ ...layout, order: ['natural'] }),
    ...usual({ ...layout, ...anywhere }),
  ]),
  ...packed(f16),
  ...packed({ ...f16, ...everyLayout, transposeA: [true] }),
  ...otherTypes.flatMap((types) => packed({ ...types, ...everyLayout, transposeA: [false, true] })),
  ...exactCells,
];

/** Tiles for f32 and blocks of 64 on an H200: how deep, how wide, and how many thread blocks share a multiprocessor. */
function floatTiles(choices: Part): Part[] {
  const of: Part = { ...general, input: ['f32'], output: ['f32'], block: [64], ...choices };
  const wide: Part = { ...of, tileN: [256], warpsN: [4] };
  return [
    { ...of, tileK: [32, 64], stages: [2, 3], prefetch: [false, true] },
    { ...of, warpsM: [1], warpsN: [4], stages: [3], prefetch: [false, true] },
    { ...of, warpsN: [4], stages: [3, 4] },
    { ...of, tileN: [64], minBlocks: [3], stages: [3, 4] },
    { ...wide, stages: [2], prefetch: [false, true] },
    { ...wide, stages: [3, 4], minBlocks: [1], prefetch: [false, true] },
    { ...of, transposeA: [true], stages: [3], prefetch: [false, true] },
    { ...wide, transposeA: [true], stages: [3], minBlocks: [1] },
    // Few columns: as much of A under way as fits.
    { ...of, tileN: [32], tileK: [64], warpsM: [4], warpsN: [1, 2], minBlocks: [1] },
    { ...of, tileN: [32], warpsM: [4], warpsN: [1], stages: [5] },
  ];
}

/** Blocks of 16, several of which are multiplied between two barriers. */
function smallBlocks(choices: Part): Part[] {
  const of: Part = { ...general, ...choices, block: [16], tileK: [16], warpsM: [1] };
  return [
    { ...of, tileN: [128, 256], warpsN: [4], stages: [3, 4], blocksPerStage: [1, 2, 4] },
    { ...of, tileN: [128], warpsN: [4], stages: [3, 4], blocksPerStage: [2, 4], minBlocks: [4] },
    { ...of, tileN: [64], warpsN: [2], stages: [3, 4], blocksPerStage: [4], minBlocks: [4] },
  ];
}

/** The usual variant for blocks of 16 in every layout, of any B. */
export function usualSmallBlocks(choices: Part): Part[] {
  return usual({
    ...everyLayout,
    transposeA: [false, true],
    packB: [true],
    order: ['natural'],
    ...choices,
  }).filter(({ block }) => block?.includes(16));
}

/** The usual variant for blocks of 16, and such of several blocks in a stage for few columns, in every layout. */
function smallBlocksOfFewColumns(types: Part): Part[] {
  const of: Part = {
    ...{ ...general, ...types, ...everyLayout, transposeA: [false, true], packB: [true], order: ['natural'] },
    ...{ block: [16], tileK: [16], warpsM: [1] },
  };
  const blocksPerStage: Part['blocksPerStage'] = types.input?.includes('f32') ? [2] : [4];
  return [
    ...usualSmallBlocks(types),
    { ...of, tileN: [32, 64], warpsN: [2], stages: [3], minBlocks: [4], blocksPerStage },
  ];
}

/** B as it lies; of a row-major one also packed, for widths whose rows begin anywhere. */
const floatLayouts: readonly Part[] = [
  { layoutB: ['column'], layoutC: ['row', 'column'] },
  { layoutB: ['row'], layoutC: ['row', 'column'], packB: [true] },
];

const idsOf = (workloads: readonly Workload[]) => workloads.map(({ id }) => id);

/** One for each kind of operation. */
export const generalPresets: Readonly<Record<string, Preset<Specs>>> = {
  'every-cell': {
    doc: 'A variant on tensor cores for every type, layout and block size, A as it is and transposed, for B of any width and alignment: the path general, which packs a B that is not aligned. `gen cells` lists them.',
    where: everyCell,
    workloads: idsOf(comparisons),
  },
  'every-small-cell': {
    doc: 'The same for GPUs whose multiprocessors have 100 KB of shared memory: sm_86, sm_89, sm_120.',
    where: everySmallCell,
    workloads: idsOf(comparisons),
  },
  layers: {
    doc: 'A first look at every kind of operation in layers: for each a variant or two of the path general for every block size.',
    where: [
      ...[false, true].flatMap((prefetch) => usual({ ...columnMajor, prefetch: [prefetch] })),
      ...usual({ ...columnMajor, transposeA: [true] }),
      ...usual({ layoutB: ['column'] }),
      ...usual({ layoutC: ['column'] }),
      ...usual({}),
      ...usual(anywhere),
      ...usual({ ...columnMajor, input: ['bf16'], output: ['bf16'] }),
      ...usual({ ...columnMajor, output: ['f32'] }),
    ],
    workloads: idsOf([
      ...plain,
      ...mixedLayouts,
      ...widths,
      ...fused,
      ...gradients,
      ...batches,
      ...partBlocks,
    ]),
  },
  linear: {
    doc: 'y = x W^T of torch.nn.functional.linear, prefill: the path general with B and C column-major, f16 in and out.',
    where: candidates(columnMajor),
    workloads: idsOf([...prefill, ...partBlocks]),
  },
  layouts: {
    doc: 'B and C of different order: the path general.',
    where: [
      ...candidates({ layoutB: ['column'], layoutC: ['row'] }),
      ...candidates({ layoutB: ['row'], layoutC: ['column'] }),
    ],
    workloads: idsOf(mixedLayouts),
  },
  widths: {
    doc: 'Row-major B and C of any width and alignment: the path general, from copies of 16 bytes to single elements, and of B packed; the path wgmma, which packs B and writes lines of C that begin anywhere.',
    where: [
      ...[16, 8, 4, 2].flatMap((bytes) => [
        ...usual({ copyBytes: [bytes as 16 | 8 | 4 | 2] }),
        ...usual({ copyBytes: [bytes as 16 | 8 | 4 | 2], tileN: [32], warpsN: [2] }),
      ]),
      ...usual({ packB: [true] }),
      ...usual({ packB: [true], tileN: [32], warpsN: [2] }),
      ...hopperWidths,
    ],
    workloads: idsOf(widths),
  },
  fused: {
    doc: 'Bias and activation, a residual, bf16 and results in f32, in the layout of layers: the path general.',
    where: [
      ...usual(columnMajor),
      ...usual({ ...columnMajor, input: ['bf16'], output: ['bf16'] }),
      ...usual({ ...columnMajor, output: ['f32'] }),
      ...usual({ ...columnMajor, input: ['bf16'], output: ['f32'] }),
    ],
    workloads: idsOf(fused),
  },
  gradients: {
    doc: 'A transposed, as in the gradient of a layer by its input: the path general.',
    where: candidates({ ...columnMajor, transposeA: [true] }),
    workloads: idsOf(gradients),
  },
  tf32: {
    doc: 'Inputs of f32 on tensor cores, their operands rounded to TF32: the path general.',
    where: [16, 32].flatMap((tileK) =>
      [32, 64, 128].flatMap((tileN) =>
        usual({ ...columnMajor, input: ['f32'], output: ['f32'] }).map((part) => ({
          ...part,
          tileN: [tileN as 32 | 64 | 128],
          tileK: [tileK as 16 | 32],
        })),
      ),
    ),
    workloads: idsOf(floats),
  },
  'small-blocks': {
    doc: 'Blocks of 16, one to four in a stage, B and C column-major: the path general.',
    where: smallBlocks(columnMajor),
    workloads: idsOf([...plain, ...prefill, ...densities].filter(({ problem: { block } }) => block === 16)),
  },
  'small-blocks-few': {
    doc: 'Blocks of 16 and few columns, in every type and layout: the path general with several blocks in a stage.',
    where: [f16, ...otherTypes].flatMap(smallBlocksOfFewColumns),
    workloads: idsOf(comparisons.filter(({ problem: { block, n } }) => block === 16 && Number(n) <= 64)),
  },
  'hopper-tf32-general': {
    doc: 'The same on an H200 with blocks of 64: tiles of the path general, beside its siblings of f16 in a report of `hopper-cells`.',
    where: floatLayouts.flatMap(floatTiles),
    workloads: idsOf(
      comparisons.filter(
        ({ problem: { input, block, n, transposeA } }) =>
          input === 'f32' && block === 64 && (Number(n) > 1000 || transposeA !== 'yes'),
      ),
    ),
  },
  'exact-kinds': {
    doc: 'Inputs of f32 on CUDA cores: the path general for each order of each operand.',
    where: exactKinds,
    workloads: [],
  },
  exact: {
    doc: 'Inputs of f32 whose products are not rounded, on CUDA cores: tiles of the path general, B and C of one order.',
    where: [
      ...exactTiles({}),
      ...exactTiles(columnMajor),
      { ...general, input: ['f32'], output: ['f32'], path: ['naive'] },
    ],
    workloads: idsOf(exactFloats),
  },
  batches: {
    doc: 'Several products with one pattern: the path general.',
    where: candidates(columnMajor),
    workloads: idsOf(batches),
  },
};
