import type { Arch } from '../../../src/model/family.ts';
import type { ParameterValue } from '../../../src/model/parameter.ts';
import { hasAddend, hasNarrowLines, type Point, storesByTma, storesLines } from './parameters.ts';
import { elementBytes } from './paths/general/sizes.ts';
import { wgmmaWords } from './paths/wgmma/words.ts';

/** Parameters that decide the sizes of the path `wgmma`. */
export const wgmmaNames = [
  'path',
  'block',
  'tileN',
  'tileK',
  'stages',
  'producers',
  'epilogue',
  'input',
  'output',
  'layoutC',
  'role',
  'consumers',
  'blocksPerStage',
  'stagingN',
  'schedule',
  'split',
] as const;
export type WgmmaPoint = Pick<Point, (typeof wgmmaNames)[number]>;

/** The tile of one consumer warpgroup, in rows and columns of C, and the block rows of a thread block's tile. */
export function warpgroupTile({
  block,
  tileN,
  role,
  consumers,
}: Pick<Point, 'block' | 'tileN' | 'role' | 'consumers'>) {
  return {
    rows: role === 'coopM' ? block / consumers : block,
    columns: role === 'coopN' ? tileN / consumers : tileN,
    group: role === 'rows' ? consumers : 1,
  };
}

/**
 * Registers per thread of the producer's warpgroup and of the consumers', by setmaxnreg, where consumers need more than an
 * equal share: 4 * 128 = 32 + 3 * 160, and 3 * 168 = 40 + 2 * 232 or, where the producer has a transposed A in many panels, 56 + 2 * 224.
 */
function unequalShares({ consumers, epilogue, input }: Pick<Point, 'consumers' | 'epilogue' | 'input'>) {
  if (consumers === 3) return { producer: 32, consumer: 160 };
  if (consumers === 2 && input === 'f32') return { producer: 56, consumer: 224 };
  return consumers === 2 && (epilogue === 'overlap' || storesLines(epilogue))
    ? { producer: 40, consumer: 232 }
    : undefined;
}

/** Registers with which each thread begins: those of a multiprocessor among whole warpgroups, in steps of 8. */
function equalShare({ consumers }: Pick<Point, 'consumers'>, arch: Arch): number {
  const share = Math.floor(arch.registersPerSm / (128 * (consumers + 1)) / 8) * 8;
  return Math.min(arch.maxRegistersPerThread, share);
}

/** Registers that ptxas has for one consumer thread. */
export function registerLimit(point: Pick<Point, 'consumers' | 'epilogue' | 'input'>, arch: Arch): number {
  return unequalShares(point)?.consumer ?? equalShare(point, arch);
}

/**
 * Boxes by which TMA stores C's lines, rows or columns. The wide operand lies along wgmma's M, in tiles of 64: C's rows, or its columns
 * (`swapped`) where blocks are smaller than that, or where B comes through registers to be rounded to TF32. Where lines run along M (`turned`), fragments are transposed on their way, and a
 * warpgroup fills a box together; else each of its warps fills one with 16 lines.
 */
export function boxesOfC(point: Pick<Point, 'block' | 'input' | 'layoutC' | 'tileN' | 'role' | 'consumers'>) {
  const swapped = point.block === 32 || point.input === 'f32';
  const turned = swapped === (point.layoutC === 'row');
  const alongN = swapped ? 32 : Math.min(64, warpgroupTile(point).columns);
  return {
    ...{ swapped, turned, boxAlongN: alongN },
    boxLines: turned ? alongN : 16,
    boxElements: turned ? 64 : alongN,
  };
}

/**
 * Columns of a wgmma of operands that are not swapped. ptxas gives a block of 512 threads 128 registers each, too few for one of 256
 * columns: two of 128 do.
 */
function wgmmaN(point: Parameters<typeof warpgroupTile>[0]): number {
  const { columns } = warpgroupTile(point);
  return point.consumers === 3 && columns === 256 ? 128 : columns;
}

/** Rows of C that a warpgroup stages at once. */
function stagingRows({ block }: Pick<Point, 'block'>): number {
  return Math.min(block, 64);
}

/** Columns of C that it stages at once; a narrow tile has fewer than 64. */
function stagedColumns(point: Pick<Point, 'tileN' | 'role' | 'consumers' | 'block' | 'stagingN'>): number {
  return Math.min(point.stagingN, warpgroupTile(point).columns);
}

/**
 * Lines of C that are staged for stores to any address (epilogues staged, storeWarps): as long as `stagingN` has it where the warpgroup's share
 * is a multiple of that, along wgmma's N or, turned, along its M.
 */
function linesOfC(point: Omit<WgmmaPoint, 'path'>) {
  const { swapped, turned, boxAlongN, boxLines } = boxesOfC(point);
  const bytes = point.output === 'f32' ? 4 : 2;
  const staged = (point.stagingN * 2) / bytes;
  const wide = staged > 64 && warpgroupTile(point).columns % staged === 0;
  const lineAlongM = turned && swapped && wide ? staged : 64;
  const lineAlongN = !turned && !swapped && wide && wgmmaN(point) % staged === 0 ? staged : boxAlongN;
  const lineElements = turned ? lineAlongM : lineAlongN;
  /** 16 bytes more than it has from a line to the next: lines begin in other banks. */
  const stagedBytes = (turned ? 1 : 4) * boxLines * (bytes * lineElements + 16);
  return { lineAlongM, lineAlongN, lineElements, stagedBytes };
}

/** Bytes of a warpgroup's staging, in whole KiB, which swizzled tiles are aligned to. */
function stagingBytesOf(point: WgmmaPoint): number {
  if (storesByTma(point.epilogue)) return 2 * stagingRows(point) * stagedColumns(point);
  if (!storesLines(point.epilogue)) return 0;
  return Math.ceil(linesOfC(point).stagedBytes / 1024) * 1024;
}

/** Thread blocks of a cluster that share the steps of each tile. */
export function clusterAlongK({ schedule }: Pick<Point, 'schedule'>): number {
  return { static: 1, atomic: 1, pairs: 2, fours: 4 }[schedule];
}

/** Sums that a thread block leaves for the first of its cluster, and two mbarriers. */
function reductionBytes(point: WgmmaPoint): number {
  if (clusterAlongK(point) === 1) return 0;
  const { rows, columns } = warpgroupTile(point);
  return 4 * point.consumers * rows * columns + 16;
}

/** Places and mbarriers of what warpgroups pass on to store warps; swizzled tiles may follow. */
function passedBytes({ epilogue }: WgmmaPoint): number {
  return epilogue === 'storeWarps' ? 1024 : 0;
}

/** Layout of shared memory, as in wgmma.cu.hbs; bytes. */
export function wgmmaSizes(point: WgmmaPoint) {
  const { block, tileN, tileK, stages, producers, consumers, blocksPerStage } = point;
  const { group } = warpgroupTile(point);
  const stageBytes = elementBytes[point.input] * tileK * blocksPerStage * (group * block + tileN);
  const stagingBytes = stagingBytesOf(point);
  const afterBarriers = stages * stageBytes + consumers * stagingBytes + passedBytes(point) + 16 * stages;
  const maskBytes = point.role === 'rows' ? 4 * stages * blocksPerStage : 0;
  const nextTileBytes = point.schedule === 'atomic' ? 32 : 0;
  const flagBytes = point.split > 0 ? 4 * consumers : 0;
  const reduction = reductionBytes(point);
  const sharedBytes = afterBarriers + maskBytes + nextTileBytes + flagBytes + reduction;
  return {
    /** setmaxnreg is for whole warpgroups. */
    threads: 128 * consumers + (unequalShares(point) ? 128 : 32 * producers),
    stagingBytes,
    ...{ maskBytes, nextTileBytes, flagBytes },
    sharedBytes,
  };
}

/** Threads of a thread block of the kernel that packs B. */
export const packThreads = 256;

/** Values that wgmma.cu.hbs names besides parameters, types, threads and shared memory. */
export function deriveWgmma(point: Point, arch: Arch): Readonly<Record<string, ParameterValue>> {
  const { rows, columns, group } = warpgroupTile(point);
  const shares = unequalShares(point);
  const { maskBytes, nextTileBytes, flagBytes } = wgmmaSizes(point);
  const { turned } = boxesOfC(point);
  const bytes = elementBytes[point.input];
  const panelColumns = 128 / bytes;
  return {
    group,
    warpgroupRows: rows,
    warpgroupColumns: columns,
    wgmmaN: wgmmaN(point),
    ...boxesOfC(point),
    ...linesOfC(point),
    /** Not fused, and of row-major operands: column-major ones were timed with the arguments of fused kernels. */
    plainArgs: !point.fused && point.layoutB === 'row' && point.layoutC === 'row',
    columnMajorB: point.layoutB === 'column',
    columnMajorC: point.layoutC === 'column',
    /** B is packed as tiles of 32 rows. */
    tiledB: point.packB && hasNarrowLines(point),
    /** Columns of a column-major B that one copy brings: all of a tile, of more than 256, TMA's limit, half. */
    boxColumnsB: point.tileN > 256 ? point.tileN / 2 : point.tileN,
    tf32: point.input === 'f32',
    /** Bytes of a row of A in a stage: 64 or 128, which are swizzles of TMA and wgmma. */
    aSwizzle: bytes * point.tileK,
    /** Columns of a panel: of A transposed or of a row-major B, side by side in a stage. */
    panelColumns,
    panelA: Math.min(point.block, panelColumns),
    panelBytesA: bytes * Math.min(point.block, panelColumns),
    /** Consumers that share a tile. */
    sharers: point.role === 'pingpong' ? 1 : point.consumers,
    ...{ maskBytes, nextTileBytes, flagBytes },
    /** Boxes of a staging, and stagings that a warpgroup has. */
    boxes: point.stagingN / 64,
    stagingsPerWarpgroup: turned ? 1 : 4,
    storesByTma: storesByTma(point.epilogue),
    overlap: point.epilogue === 'overlap',
    clusterK: clusterAlongK(point),
    lists: point.schedule !== 'atomic',
    workType: point.schedule === 'atomic' ? 'WorkQueue' : 'WorkList',
    /** The kernel's name for its list, or for the first tile, behind which the queue has the others. */
    work: point.schedule === 'atomic' ? 'first' : 'tiles',
    staged: point.epilogue === 'staged',
    storeWarps: point.epilogue === 'storeWarps',
    addend: hasAddend(point),
    ...{ packThreads, batches: false },
    /** Times that the staging of a warpgroup is filled for a tile. */
    passes: (rows * columns) / (stagingRows(point) * stagedColumns(point)),
    setmaxnreg: shares !== undefined,
    equalRegisters: equalShare(point, arch),
    producerRegisters: shares?.producer ?? 0,
    consumerRegisters: shares?.consumer ?? 0,
    keepB: point.l2Hint === 'keepB' || point.l2Hint === 'both',
    streamC: point.l2Hint === 'streamC' || point.l2Hint === 'both',
    ...wgmmaWords(point),
  };
}
