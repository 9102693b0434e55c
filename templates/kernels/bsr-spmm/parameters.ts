import { defineParameters } from '../../../src/model/family.ts';
import type { Point as PointOf } from '../../../src/model/parameter.ts';

/** The search space of bsr-spmm. A parameter may be read by several paths; `activations` says by which. */
export const parameters = defineParameters({
  path: {
    label: '',
    doc: 'Method of the products: naive (one thread per element, the reference), simt (CUDA cores, accumulators in registers), mma (tensor cores by mma.sync, operands by cp.async; the plain product), general (the same for every choice of the operation, and f32 on CUDA cores), wgmma (Hopper: persistent thread blocks, operands by TMA, warp-specialised), narrow (few columns: tensor cores by mma.sync, A from global memory to registers, or by bulk copies), multirow (Hopper, blocks of 16: the same for wide products, whose block rows share the rows of B in shared memory).',
    values: ['naive', 'simt', 'mma', 'general', 'wgmma', 'narrow', 'multirow'],
    readBy: 'launch',
  },
  block: { label: 'b', doc: 'Rows and columns of a block of A.', values: [32, 64, 128, 16], usual: {} },
  input: { label: '', doc: 'Element type of A and B.', values: ['f16', 'bf16', 'f32'] },
  output: {
    label: '',
    doc: 'Element type of C. Accumulation is in fp32 always.',
    values: ['f16', 'bf16', 'f32'],
  },
  layoutB: { label: 'B', doc: 'Order of B (general, wgmma, multirow).', values: ['row', 'column'] },
  layoutC: { label: 'C', doc: 'Order of C (general, wgmma, multirow).', values: ['row', 'column'] },
  transposeA: {
    label: 'at',
    doc: 'Whether op(A) is the transpose of A (general, wgmma).',
    values: [false, true],
  },
  tileN: {
    label: 'tn',
    doc: 'Columns of C per tile. The rows are those of a block.',
    values: [32, 64, 128, 192, 256, 384, 512, 8, 16, 24, 48],
    usual: { simt: 64, mma: 128, general: 128, multirow: 128 },
  },
  tileK: {
    label: 'tk',
    doc: 'Columns of A and rows of B that are in shared memory at once (per stage). Divides the block, but on the path multirow.',
    values: [16, 32, 64, 128],
    usual: { simt: 32, mma: 32, general: 32, wgmma: 64, multirow: 64 },
  },
  prefetch: {
    label: 'pf',
    doc: 'Software pipelining in registers: simt fetches the next step from global memory, mma and general the next fragments from shared memory, narrow the next slabs of A, while the current ones are multiplied.',
    values: [false, true],
  },
  simtWarps: {
    label: 'w',
    doc: 'Warps of a thread block (simt).',
    values: [2, 4, 8, 16],
    usual: { simt: 8 },
  },
  columnsPerThread: {
    label: 'c',
    doc: 'Neighbouring columns of C that a thread computes (simt); its rows follow from the tile and the number of threads.',
    values: [1, 2, 4, 8],
    usual: { simt: 4 },
  },
  vector: {
    label: 'v',
    doc: 'Elements per load from global memory (simt). 1 takes operands of any alignment.',
    values: [1, 2, 4, 8],
    usual: {},
  },
  unroll: {
    label: 'u',
    doc: 'Unrolling of the loop over k in shared memory (simt); slabs of 32 columns of A that are loaded together (narrow).',
    values: [1, 2, 4, 8],
    usual: { simt: 4 },
  },
  ilp: {
    label: 'ilp',
    doc: 'Independent partial sums per element of C (simt). More hide the latency of multiply-adds and cost registers.',
    values: [1, 2, 4],
  },
  transposed: {
    label: 'bt',
    doc: 'Whether B is transposed on its way into shared memory, so that a thread reads along k (simt).',
    values: [false, true],
  },
  warpsM: {
    label: 'wm',
    doc: 'Warps that share the rows of a tile (mma, general, narrow).',
    values: [1, 2, 4],
    usual: { mma: 2, general: 2, narrow: 1 },
  },
  warpsN: {
    label: 'wn',
    doc: 'Warps that share the columns of a tile (mma, general).',
    values: [1, 2, 4, 8],
    usual: { mma: 4, general: 2 },
  },
  stages: {
    label: 'st',
    doc: 'Stages of the ring in shared memory (mma, general, wgmma, multirow). 1 copies and multiplies in turn (mma).',
    values: [1, 2, 3, 4, 5, 6, 7, 8],
    usual: { mma: 4, general: 4, wgmma: 4, multirow: 8 },
  },
  producers: {
    label: 'pw',
    doc: 'Warp specialisation: extra warps that only copy and hand stages over by mbarriers (mma, wgmma). 0: every warp copies its share (mma).',
    values: [0, 1, 2, 4],
    usual: { mma: 0, wgmma: 1 },
  },
  copyBytes: {
    label: 'cp',
    doc: 'Bytes per cp.async (mma, general). A and B, and the lines of B, must be aligned to it; smaller takes more problems. 2: no cp.async, an element at a time through registers (general).',
    values: [16, 8, 4, 2],
    usual: { mma: 16, general: 16 },
  },
  epilogue: {
    label: '',
    doc: 'Stores of C: staged in shared memory and from there by 16-byte vectors (staged; mma), by warps that write whole lines, which may begin anywhere (staged; wgmma), or by TMA (tma; wgmma, no beta), the same while the next tile is multiplied (overlap; wgmma, no beta), or direct from the fragments (direct). storeWarps: as staged, by warps of their own, while the next tile is multiplied (wgmma).',
    values: ['staged', 'direct', 'tma', 'overlap', 'storeWarps'],
    usual: { mma: 'staged', wgmma: 'tma' },
  },
  packB: {
    label: 'pk',
    doc: 'Whether a kernel of its own copies B to the workspace first, with lines of whole 16 bytes, so that B may lie anyhow (general with copies of 16 bytes, wgmma with the epilogue staged or storeWarps or with inputs of f32); of a column-major B, blocks of 32 rows one behind the other (wgmma, blocks of 32).',
    values: [false, true],
  },
  tilesPerCta: {
    label: 'tc',
    doc: 'Output tiles, side by side, that a thread block computes one after the other (mma).',
    values: [1, 2, 4],
  },
  minBlocks: {
    label: 'mb',
    doc: 'Thread blocks per multiprocessor that the compiler must leave registers for (mma, general, narrow, multirow).',
    values: [1, 2, 3, 4],
    usual: { mma: 2, general: 2, narrow: 2, multirow: 1 },
  },
  panel: {
    label: 'pn',
    doc: 'Rasterisation (mma, general, wgmma): thread blocks walk all block rows within a panel of so many tiles along N before the next, which keeps a slice of B in L2. 0: all of N is one panel.',
    values: [1, 2, 4, 8, 0],
    readBy: 'launch',
  },
  order: {
    label: '',
    doc: 'Order of block rows (mma, general, wgmma, multirow): as they are, or the longest first, so that none starts late (multirow: and those of a tile are of about one length).',
    values: ['natural', 'longest'],
    usual: { mma: 'longest', general: 'longest', wgmma: 'longest', multirow: 'longest' },
    readBy: 'launch',
  },
  role: {
    label: '',
    doc: 'Split of a tile among consumer warpgroups (wgmma): each consumer warpgroup a part of the columns (coopN) or of the rows (coopM), every other tile (pingpong), or one of the block rows that make a tile together (rows).',
    values: ['coopN', 'coopM', 'pingpong', 'rows'],
    usual: {},
  },
  consumers: { label: 'wg', doc: 'Consumer warpgroups (wgmma).', values: [2, 1, 3] },
  blocksPerStage: {
    label: 'bps',
    doc: 'Blocks of A in a stage (wgmma: at most 2; general: of 16).',
    values: [1, 2, 4],
  },
  cluster: {
    label: 'cl',
    doc: 'Thread blocks side by side along N that load A once, by multicast (wgmma).',
    values: [1, 2],
  },
  wgmmaDepth: {
    label: 'wd',
    doc: 'Stages whose products may still be under way when the next stage is waited for (wgmma).',
    values: [0, 1],
  },
  stagingN: {
    label: 'cs',
    doc: 'Columns of C that are staged at once: on their way to TMA in boxes of 64, else as lines of so many elements of 2 bytes, or half as many of 4 (wgmma).',
    values: [64, 128, 256],
  },
  schedule: {
    label: '',
    doc: 'Tile scheduler (wgmma): work lists that the host balances (static), the same of clusters of two or four thread blocks, which share the steps of each tile and add up their sums (pairs, fours), or a work queue behind an atomic counter (atomic).',
    values: ['static', 'atomic', 'pairs', 'fours'],
  },
  split: {
    label: 'sp',
    doc: 'Steps after which a long block row is cut into parts, whose sums are added in fixed order (wgmma). 0: never.',
    values: [0, 8, 32],
  },
  grouping: {
    label: '',
    doc: 'Which block rows make a tile together (wgmma, role rows): neighbours, or rows that share many columns, found by greedy choice and then by exchange.',
    values: ['adjacent', 'similar'],
    readBy: 'launch',
  },
  l2Hint: {
    label: '',
    doc: 'L2 hints (wgmma): none, keep B, evict C first, or both.',
    values: ['none', 'keepB', 'streamC', 'both'],
  },
  tilesM: {
    label: 'tm',
    doc: 'mma tiles of 16 rows below one another that a warp sums (narrow).',
    values: [1, 2, 4],
  },
  warpsK: {
    label: 'wk',
    doc: 'Warps that share the products of a block row, and add up their sums in shared memory (narrow).',
    values: [1, 2, 4, 8, 16],
  },
  parts: {
    label: 'pt',
    doc: 'Thread blocks that share the products of a block row; the last one adds up the sums, in their order (narrow).',
    values: [1, 2, 4, 8],
  },
  bulkStages: {
    label: 'bs',
    doc: 'Stages of each warp in shared memory, which bulk copies fill with so many slabs of A as are loaded together (narrow, Hopper). 0: A goes from global memory to registers.',
    values: [0, 1, 2, 4],
  },
  blockRows: {
    label: 'br',
    doc: 'Block rows of a tile of C, which share rows of B; each has a warp (multirow).',
    values: [16, 8],
  },
  ffma: {
    label: 'ffma',
    doc: 'Whether products of f32 are made of the operands as they are, by multiply-adds of CUDA cores (FFMA), or on tensor cores, of operands rounded to TF32 (general).',
    values: [false, true],
  },
  fused: {
    label: 'fu',
    doc: 'Whether C may be asked for with a bias and an activation, and with a residual where lines of C are staged (wgmma, but for direct stores).',
    values: [false, true],
  },
  pdl: {
    label: 'pdl',
    doc: 'Programmatic dependent launch (wgmma, narrow): set-up overlaps the end of the kernel before.',
    values: [false, true],
  },
});

export type Specs = typeof parameters.specs;
export type Point = PointOf<Specs>;

/** C leaves by TMA, through staging in shared memory. */
export function storesByTma(epilogue: Point['epilogue']): boolean {
  return epilogue === 'tma' || epilogue === 'overlap';
}

/** C leaves in whole lines, which may begin anywhere, through staging in shared memory (path wgmma). */
export function storesLines(epilogue: Point['epilogue']): boolean {
  return epilogue === 'staged' || epilogue === 'storeWarps';
}

/** The matrix that is added to C's sums is an operand of its own: the former C, or a residual. */
export function hasAddend({ path, fused, epilogue }: Pick<Point, 'path' | 'fused' | 'epilogue'>): boolean {
  return path === 'wgmma' && fused && storesLines(epilogue);
}

/** A column-major B whose columns are in blocks of 64 bytes: TMA brings half a line of L2 at a time, unless it is packed. */
export function hasNarrowLines({
  block,
  input,
  layoutB,
}: Pick<Point, 'block' | 'input' | 'layoutB'>): boolean {
  return block === 32 && input !== 'f32' && layoutB === 'column';
}

const { activeWhen, onPaths } = parameters;

export const activations = [
  ...onPaths(['layoutB', 'layoutC'], 'general', 'wgmma', 'multirow'),
  ...onPaths(['transposeA'], 'general', 'wgmma'),
  ...onPaths(['tileN'], 'simt', 'mma', 'general', 'wgmma', 'narrow', 'multirow'),
  ...onPaths(['tileK'], 'simt', 'mma', 'general', 'wgmma', 'multirow'),
  ...onPaths(['prefetch'], 'simt', 'mma', 'general', 'narrow'),
  ...onPaths(['simtWarps', 'columnsPerThread', 'vector', 'ilp', 'transposed'], 'simt'),
  ...onPaths(['unroll'], 'simt', 'narrow'),
  ...onPaths(['warpsM'], 'mma', 'general', 'narrow'),
  ...onPaths(['warpsN', 'copyBytes'], 'mma', 'general'),
  ...onPaths(['stages', 'order'], 'mma', 'general', 'wgmma', 'multirow'),
  ...onPaths(['producers', 'epilogue'], 'mma', 'wgmma'),
  ...onPaths(['tilesPerCta'], 'mma'),
  ...onPaths(['minBlocks'], 'mma', 'general', 'narrow', 'multirow'),
  ...onPaths(['panel'], 'mma', 'general', 'wgmma'),
  ...onPaths(['role', 'consumers', 'cluster', 'wgmmaDepth', 'schedule', 'split', 'l2Hint'], 'wgmma'),
  ...onPaths(['tilesM', 'warpsK', 'parts', 'bulkStages'], 'narrow'),
  ...onPaths(['blockRows'], 'multirow'),
  ...onPaths(['pdl'], 'wgmma', 'narrow'),
  activeWhen(
    'packB',
    ['path', 'copyBytes', 'epilogue', 'block', 'input', 'layoutB', 'tileN'],
    ({ path, copyBytes, epilogue, ...point }) =>
      (path === 'general' && copyBytes === 16) ||
      (path === 'wgmma' &&
        (storesLines(epilogue) || point.input === 'f32' || (hasNarrowLines(point) && point.tileN >= 256))),
  ),
  activeWhen(
    'blocksPerStage',
    ['path', 'block'],
    ({ path, block }) => path === 'wgmma' || (path === 'general' && block === 16),
  ),
  activeWhen(
    'stagingN',
    ['path', 'epilogue'],
    ({ path, epilogue }) => path === 'wgmma' && epilogue !== 'direct',
  ),
  activeWhen('grouping', ['path', 'role'], ({ path, role }) => path === 'wgmma' && role === 'rows'),
  activeWhen('ffma', ['path', 'input'], ({ path, input }) => path === 'general' && input === 'f32'),
  activeWhen(
    'fused',
    ['path', 'epilogue'],
    ({ path, epilogue }) => path === 'wgmma' && epilogue !== 'direct',
  ),
];
