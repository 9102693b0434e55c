import type { Part as PartOf, Preset } from '../../../src/model/family.ts';
import { columnCells, fewCells, halfCells, mixedCells, raggedCells, rowCells } from './cell-presets.ts';
import { comparisons, unmixed } from './comparisons.ts';
import {
  addends,
  denser,
  densities,
  fused,
  gradients,
  odd,
  plain,
  prefill,
  prefillDown,
} from './layer-workloads.ts';
import { parameters, type Specs } from './parameters.ts';
import { generalFallbacks, generalKinds, generalPresets, generalQuick } from './paths/general/presets.ts';
import { multirowPresets } from './paths/multirow/presets.ts';
import {
  narrowBest,
  narrowBulk,
  narrowBulkCells,
  narrowBulkWide,
  narrowCells,
  narrowKinds,
} from './paths/narrow/presets.ts';
import {
  hopperAddends,
  hopperCells,
  hopperDecoding,
  hopperFew,
  hopperFused,
  hopperGradients,
  hopperLinear,
  hopperLinearKinds,
  hopperMiddle,
  hopperWidthsKinds,
} from './wgmma-linear-presets.ts';
import {
  hopper,
  hopperBest,
  hopperFull,
  hopperKinds,
  hopperNarrow,
  hopperNarrowCopies,
  hopperPdl,
  hopperQuick,
  hopperTypes,
} from './wgmma-presets.ts';
import { hopperTf32 } from './wgmma-tf32-presets.ts';
import { linearWorkloads, mainWorkloads, plainWorkloads, workloads } from './workloads.ts';

type Part = PartOf<Specs>;

/** A simt variant without specialities, an mma variant likewise: parts override what they vary. */
const simt: Part = { ...parameters.usualOn('simt'), vector: [8] };
const mma: Part = { ...parameters.usualOn('mma'), warpsN: [2] };

/** One per path and block at least, each speciality once. */
const quick: readonly Part[] = [
  { ...parameters.usualOn('naive'), block: [64] },
  { ...simt, block: [32], simtWarps: [4], prefetch: [true] },
  { ...simt, block: [64], transposed: [true], vector: [2] },
  { ...simt, block: [128], ilp: [4], tileN: [32], vector: [1] },
  { ...simt, block: [128], ilp: [4], simtWarps: [2], columnsPerThread: [8] }, // overflows the registers
  { ...mma, block: [32], warpsN: [4] },
  { ...mma, block: [32], output: ['f32'], epilogue: ['direct'], tilesPerCta: [2], order: ['natural'] },
  { ...mma, block: [64], tileK: [64], stages: [3], warpsN: [4] },
  { ...mma, block: [64], producers: [4], warpsN: [4] },
  { ...mma, block: [64], input: ['bf16'], output: ['bf16'], copyBytes: [4], tileN: [64], stages: [1] },
  { ...mma, block: [128], stages: [4], warpsN: [4] },
  { ...mma, block: [128], stages: [2], warpsN: [4], tileK: [64], prefetch: [true], panel: [4] },
  ...generalQuick,
  ...hopperQuick,
];

/** Around what pays on an H200: wide tiles, three or four stages, eight warps, two blocks per multiprocessor. */
const candidates: readonly Part[] = [
  {
    ...mma,
    block: [32],
    tileN: [128, 256],
    warpsM: [1, 2],
    warpsN: [4],
    stages: [3, 4, 5],
    minBlocks: [2, 3],
  },
  { ...mma, block: [32], tileN: [256], warpsM: [1, 2], warpsN: [4, 8], prefetch: [true], panel: [1, 0] },
  { ...mma, block: [32], tileN: [256], warpsM: [1], warpsN: [8], stages: [3, 4, 5], minBlocks: [2, 3] },
  {
    ...mma,
    block: [64],
    tileN: [128, 256],
    tileK: [32, 64],
    warpsM: [1, 2],
    warpsN: [4],
    stages: [3, 4],
    minBlocks: [2, 3],
  },
  {
    ...mma,
    block: [64],
    tileN: [128, 256],
    tileK: [32, 64],
    warpsN: [2, 4],
    prefetch: [true],
    stages: [3],
    panel: [1, 0],
  },
  {
    ...mma,
    block: [128],
    tileN: [128, 256],
    tileK: [32, 64],
    warpsM: [2, 4],
    warpsN: [2, 4],
    stages: [3, 4],
    minBlocks: [1, 2],
  },
  {
    ...mma,
    block: [128],
    tileN: [128, 256],
    tileK: [32, 64],
    warpsN: [2, 4],
    prefetch: [true],
    stages: [3, 4],
    panel: [1, 0],
  },
  { ...mma, block: [32], tileN: [256], warpsM: [1], warpsN: [8], minBlocks: [2, 3], panel: [0, 4] },
  { ...mma, block: [64], tileN: [128, 256], tileK: [32, 64], warpsN: [4], stages: [3, 4], panel: [0, 4] },
  { ...mma, block: [128], tileN: [128, 256], warpsN: [2, 4], minBlocks: [1, 2], panel: [0, 4] },
];

/** For products with few tiles, where a persistent kernel starts too few thread blocks. */
const narrow: readonly Part[] = [
  { ...mma, block: [32, 64], tileN: [64, 128], warpsN: [4], stages: [3, 4], minBlocks: [2, 3], panel: [0] },
  { ...mma, block: [128], tileN: [64, 128], warpsN: [2, 4], stages: [3, 4], panel: [0] },
];

/** The six ways that are said to fail, and the plain paths: here each is right, and has its time. */
const specialities: readonly Part[] = [
  { ...mma, block: [32, 64, 128], producers: [2, 4], warpsN: [2, 4], stages: [3, 4], tileK: [32] },
  { ...mma, block: [32, 64, 128], tilesPerCta: [2, 4], warpsN: [4], tileK: [32] },
  { ...mma, block: [32, 64, 128], order: ['natural'], panel: [1, 0], warpsN: [4], tileK: [32] },
  { ...mma, block: [32, 64, 128], epilogue: ['direct'], warpsN: [4], tileK: [32] },
  { ...simt, block: [32, 64, 128], transposed: [false, true] },
  { ...simt, block: [32, 64, 128], prefetch: [true], ilp: [1, 4] },
  { ...simt, block: [64, 128], simtWarps: [2, 4, 16], unroll: [1, 8] },
  { ...simt, block: [128], simtWarps: [2, 4], columnsPerThread: [8], ilp: [2, 4] },
  { ...parameters.usualOn('naive'), block: [32, 64, 128] },
];

const simt64: Part = { ...simt, block: [64] };
const mma64: Part = { ...mma, block: [64], warpsN: [4] };
/** The six ways again, each beside the same variant without it, and the plain paths that came before them. */
const attempts: readonly Part[] = [
  { ...mma64, stages: [1, 2, 3, 4] },
  { ...mma64, producers: [4] },
  { ...mma64, tilesPerCta: [2, 4] },
  { ...simt64, simtWarps: [4, 8, 16], unroll: [1, 4, 8] },
  { ...simt64, transposed: [true] },
  { ...simt64, prefetch: [true] },
  { ...simt64, ilp: [2, 4] },
  { ...simt64, vector: [1, 2] },
  { ...parameters.usualOn('naive'), block: [64] },
];

const mainIds = mainWorkloads.map(({ id }) => id);
/** Both main sizes with rows of random length, and of equal. */
const hopperIds = mainIds.filter((id) => !id.includes('equal'));
const equalIds = mainIds.filter((id) => id.includes('equal'));
/** Workloads beside the square ones that are an eighth full. */
const shapeIds = plainWorkloads
  .filter(({ id, problem }) => !mainIds.includes(id) && problem.input === 'f16' && problem.output === 'f16')
  .map(({ id }) => id);

/** Other types than f16. */
const typeIds = workloads
  .filter(({ problem }) => problem.input !== 'f16' || problem.output !== 'f16')
  .map(({ id }) => id);

/** The path wgmma has no blocks of 16. */
const onWgmma = ({ problem }: (typeof workloads)[number]) => problem.block > 16;

export const presets: Readonly<Record<string, Preset<Specs>>> = {
  quick: {
    doc: 'Variants that show every path but narrow, every block size and every speciality once.',
    where: quick,
    workloads: workloads.filter(({ id }) => /^(1024|2048)\./.test(id)).map(({ id }) => id),
  },
  kinds: {
    doc: 'The variants of quick, and the paths wgmma and narrow with every other kind of code: what mutants are made of.',
    where: [
      ...quick,
      ...hopperKinds,
      ...hopperLinearKinds,
      ...hopperWidthsKinds,
      ...generalKinds,
      ...narrowKinds,
    ],
    workloads: [],
  },
  fallback: {
    doc: 'For every block size a variant that takes any beta, and one that takes operands of any alignment too, f16 in and out; for all other types, layouts and a transposed A one on tensor cores that packs B; for inputs and results of different types of 16 bits those of hopper-mixed on tensor cores; for all types the path naive, which takes every call.',
    where: [
      {
        ...mma,
        order: ['natural'],
        block: [32],
        tileN: [256],
        warpsM: [1],
        warpsN: [4],
        minBlocks: [3],
        stages: [3],
      },
      {
        ...mma,
        order: ['natural'],
        block: [64],
        tileN: [128],
        tileK: [64],
        warpsM: [1],
        warpsN: [4],
        minBlocks: [2],
        stages: [3],
      },
      {
        ...mma,
        order: ['natural'],
        block: [128],
        tileN: [128],
        tileK: [64],
        warpsM: [2],
        warpsN: [2],
        minBlocks: [1],
        stages: [3],
      },
      { ...simt, block: [32, 64, 128], vector: [1] },
      ...generalFallbacks,
      ...mixedCells,
      { path: ['naive'], block: [16, 32, 64, 128], input: ['f16', 'bf16'], output: ['f16', 'bf16', 'f32'] },
      { path: ['naive'], block: [16, 32, 64, 128], input: ['f32'], output: ['f32'] },
    ],
    workloads: [],
  },
  default: {
    doc: 'Variants worth timing on one GPU, f16 in and out: mostly mma around the best values, each speciality, the plain paths.',
    where: [...candidates, ...specialities],
    workloads: mainIds,
  },
  attempts: {
    doc: 'Warp specialisation, pipelining, several tiles, unrolling, transposition and ILP, each beside the same variant without it: docs/six-attempts.md.',
    where: attempts,
    workloads: ['4096.d12.b64'],
  },
  hopper: {
    doc: 'The path wgmma on an H200, f16 in and out: all that paid for some block size or shape, over a thousand variants.',
    where: hopper,
    workloads: hopperIds,
  },
  'hopper-best': {
    doc: 'The path wgmma around what won on an H200.',
    where: hopperBest,
    workloads: hopperIds,
  },
  'hopper-equal': {
    doc: 'The path wgmma around what won on an H200, on rows of equal length, where Blocked-ELL pads nothing.',
    where: hopperBest,
    workloads: equalIds,
  },
  'hopper-shapes': {
    doc: 'Beyond the main sizes on an H200: other densities and patterns, narrow products. The path wgmma, and mma with small tiles.',
    where: [...hopperBest, ...hopperNarrow, ...hopperNarrowCopies, ...narrow],
    workloads: shapeIds,
  },
  ...generalPresets,
  ...multirowPresets,
  narrow: {
    doc: 'Products of 1 to 64 columns, as in decoding with torch.nn.functional.linear: the path narrow, f16 in and out.',
    where: narrowBest,
    workloads: linearWorkloads.map(({ id }) => id),
  },
  'hopper-linear': {
    doc: 'y = x W^T of torch.nn.functional.linear on an H200, prefill: the path wgmma with B and C column-major, f16 in and out.',
    where: hopperLinear,
    workloads: [...plain, ...odd, ...prefill, ...denser].filter(onWgmma).map(({ id }) => id),
  },
  'hopper-prefill': {
    doc: 'The same on both sizes of layers, a tenth of the blocks stored, for 256, 2048 and 8192 rows of x.',
    where: hopperLinear,
    workloads: prefill.filter(onWgmma).map(({ id }) => id),
  },
  'hopper-long': {
    doc: 'The same on 4096 x 14336 alone: few block rows, and long ones.',
    where: hopperLinear,
    workloads: prefillDown.filter(onWgmma).map(({ id }) => id),
  },
  'hopper-decoding': {
    doc: 'The same with 1 to 64 rows of x: the path wgmma with narrow tiles, and the path narrow.',
    where: [...hopperDecoding, ...narrowBest],
    workloads: linearWorkloads.map(({ id }) => id),
  },
  'hopper-few': {
    doc: 'The same for 1, 16 and 64 rows of x alone, with and without programmatic dependent launch; on the path wgmma single thread blocks, and clusters that share the steps of a tile.',
    where: hopperFew,
    workloads: linearWorkloads
      .filter(onWgmma)
      .filter(({ problem }) => [1, 16, 64].includes(problem.n))
      .map(({ id }) => id),
  },
  'hopper-middle': {
    doc: 'The same for 64 and 256 rows of x: the path wgmma, with more or less in flight.',
    where: hopperMiddle,
    workloads: [...linearWorkloads, ...prefill]
      .filter(onWgmma)
      .filter(({ problem: { n } }) => n === 64 || n === 256)
      .map(({ id }) => id),
  },
  'hopper-bulk': {
    doc: 'The same for 1 and 16 rows of x, and for other densities: the path narrow, A by bulk copies.',
    where: narrowBulk,
    workloads: [...linearWorkloads, ...densities]
      .filter(({ problem: { n } }) => n === 1 || n === 16)
      .map(({ id }) => id),
  },
  'hopper-bulk-wide': {
    doc: 'The same for 17 and 64 rows of x.',
    where: narrowBulkWide,
    workloads: linearWorkloads.filter(({ problem: { n } }) => n === 17 || n === 64).map(({ id }) => id),
  },
  'hopper-bulk-cells': {
    doc: 'Few columns in every 16-bit type and layout on an H200: the path narrow, A by bulk copies.',
    where: narrowBulkCells,
    workloads: comparisons
      .filter(
        ({ problem: { n, input, transposeA } }) => Number(n) <= 16 && input !== 'f32' && transposeA !== 'yes',
      )
      .map(({ id }) => id),
  },
  'hopper-fused': {
    doc: 'Bias and activation behind y = x W^T, f16 and bf16: the path wgmma, which applies them in registers.',
    where: hopperFused,
    workloads: fused
      .filter(onWgmma)
      .filter(({ problem }) => !problem.residual && problem.output !== 'f32')
      .map(({ id }) => id),
  },
  'hopper-addends': {
    doc: 'The former C or a residual, bias and activation behind products of every 16-bit type: the path wgmma, which adds them in registers.',
    where: hopperAddends,
    workloads: addends.filter(onWgmma).map(({ id }) => id),
  },
  'hopper-cells': {
    doc: 'Operands of every 16-bit type and layout on an H200, A transposed too: the paths wgmma and narrow on workloads beside their siblings.',
    where: [...narrowCells, ...hopperCells],
    workloads: unmixed
      .filter(({ problem: { block, input } }) => block !== 16 && input !== 'f32')
      .filter(
        ({ problem: { block, output, layoutC } }) =>
          block !== 128 || output !== 'f32' || layoutC !== 'column',
      )
      .map(({ id }) => id),
  },
  'hopper-other-cells': {
    doc: 'Kinds of calls that hopper-cells leaves to the fallbacks, on an H200: the path wgmma for ragged widths in every layout, the paths general and narrow for few columns.',
    where: [...raggedCells, ...fewCells, ...narrowCells],
    workloads: unmixed.filter(({ problem: { n } }) => n !== 1008).map(({ id }) => id),
  },
  'hopper-rows': {
    doc: 'C in rows of any width on an H200, blocks of 64 and 128: the path wgmma with warps that write C alone, for 1001 columns.',
    where: rowCells,
    workloads: unmixed
      .filter(({ problem: { block, input } }) => (block === 64 || block === 128) && input !== 'f32')
      .filter(({ problem: { layoutC, n } }) => layoutC !== 'column' && n === 1001)
      .map(({ id }) => id),
  },
  'hopper-columns': {
    doc: 'C in columns on an H200, where its kernels pack B or have results of f32 in blocks of 128: the path wgmma, for 1001 and 1008 columns.',
    where: columnCells,
    workloads: unmixed
      .filter(
        ({ problem: { block, input, layoutC } }) => block !== 16 && input !== 'f32' && layoutC === 'column',
      )
      .filter(
        ({ problem: { block, output, layoutB, n } }) =>
          (layoutB === 'row' && n === 1001) || (block === 128 && output === 'f32' && Number(n) > 1000),
      )
      .map(({ id }) => id),
  },
  'hopper-mixed': {
    doc: 'Inputs and results of different types of 16 bits on an H200, in every layout, A transposed too, beside f16 alone: the path wgmma, and general for few columns.',
    where: [...mixedCells, ...halfCells],
    workloads: comparisons
      .filter(({ problem: { input, output } }) => output !== 'f32' && (input === 'f16' || output === 'f16'))
      .map(({ id }) => id),
  },
  'hopper-tf32': {
    doc: 'Inputs of f32 rounded to TF32 on an H200, in every layout, A transposed too: the path wgmma on workloads beside their siblings.',
    where: hopperTf32,
    workloads: unmixed
      .filter(
        ({ problem: { block, input, output, n } }) =>
          block !== 16 && (input === 'f32' ? Number(n) > 1000 : output === 'f16' && n === 1008),
      )
      .map(({ id }) => id),
  },
  'hopper-gradients': {
    doc: 'The gradient of a layer by its input on an H200, A transposed, beside y = x W^T with like tiles: the path wgmma.',
    where: hopperGradients,
    workloads: [...plain, ...gradients].filter(onWgmma).map(({ id }) => id),
  },
  'hopper-types': {
    doc: 'The path wgmma on an H200 with bf16 in and out, and with C in f32.',
    where: hopperTypes,
    workloads: typeIds,
  },
  'hopper-pdl': {
    doc: 'Programmatic dependent launch, with and without.',
    where: hopperPdl,
    workloads: hopperIds,
  },
  full: {
    doc: 'An even sample of the whole space: all types, alignments and shapes.',
    where: [
      {
        path: ['naive', 'simt', 'mma'],
        copyBytes: [16, 4],
        tilesPerCta: [1, 2],
        minBlocks: [1, 2],
        panel: [4],
        order: ['longest'],
      },
      hopperFull,
    ],
    sample: 1000,
    workloads: plainWorkloads.map(({ id }) => id),
  },
};
