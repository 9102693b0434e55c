import type { ParameterValue } from '../../../src/model/parameter.ts';
import type { Point } from './parameters.ts';

/** What the sizes of the path `wgmma` depend on. */
export const wgmmaNames = [
  'path',
  'block',
  'tileN',
  'tileK',
  'stages',
  'epilogue',
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

/** Layout of shared memory, as in wgmma.cu.hbs; bytes. */
export function wgmmaSizes(point: WgmmaPoint) {
  const { block, tileN, tileK, stages, consumers, blocksPerStage } = point;
  const { group } = warpgroupTile(point);
  const stageBytes = 2 * tileK * blocksPerStage * (group * block + tileN);
  // The wide operand lies along wgmma's M, in tiles of 64: C's rows, or its columns where blocks are smaller than that.
  const stagingRows = Math.min(block, 64);
  const stagingBytes = point.epilogue === 'tma' ? 2 * stagingRows * point.stagingN : 0;
  const afterBarriers = stages * stageBytes + consumers * stagingBytes + 16 * stages;
  const maskBytes = point.role === 'rows' ? 4 * stages * blocksPerStage : 0;
  const mailBytes = point.schedule === 'atomic' ? 32 : 0;
  const flagOffset = afterBarriers + maskBytes + mailBytes;
  const sharedBytes = flagOffset + (point.split > 0 ? 4 * consumers : 0);
  return {
    /** Three consumer warpgroups get registers that the producer's warpgroup gives up; fewer have enough. */
    threads: 128 * consumers + (consumers === 3 ? 128 : 32),
    stagingRows,
    flagOffset,
    tailBytes: sharedBytes - afterBarriers,
    sharedBytes,
  };
}

const roleDocs = {
  coopN: 'each takes a part of the columns',
  coopM: 'each takes a part of the rows',
  pingpong: 'they take tiles in turn',
  rows: 'each takes a row',
} as const;

/** What wgmma.cu.hbs names besides parameters, types, threads and shared memory. */
export function deriveWgmma(point: Point): Readonly<Record<string, ParameterValue>> {
  const { rows, columns, group } = warpgroupTile(point);
  const { flagOffset, tailBytes } = wgmmaSizes(point);
  return {
    group,
    warpgroupRows: rows,
    warpgroupColumns: columns,
    /** ptxas gives a block of 512 threads 128 registers each, too few for one wgmma of 256 columns: two of 128 do. */
    wgmmaN: point.consumers === 3 && columns === 256 ? 128 : columns,
    swapped: point.block === 32,
    /** Bytes of a row of A in a stage: 64 or 128, which are swizzles of TMA and wgmma. */
    aSwizzle: 2 * point.tileK,
    /** Rows of C that one TMA store takes: those of a warp, or all 32 where columns lie along wgmma's M. */
    boxRows: point.block === 32 ? 32 : 16,
    flagOffset,
    tailBytes,
    setmaxnreg: point.consumers === 3,
    keepB: point.l2Hint === 'keepB' || point.l2Hint === 'both',
    streamC: point.l2Hint === 'streamC' || point.l2Hint === 'both',
    roleDoc: point.consumers === 1 ? 'it takes whole tiles' : roleDocs[point.role],
  };
}
