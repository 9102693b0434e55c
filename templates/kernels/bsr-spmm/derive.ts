import type { Arch } from '../../../src/model/family.ts';
import type { ParameterValue } from '../../../src/model/parameter.ts';
import type { Point } from './parameters.ts';
import { elementBytes, generalSizes } from './paths/general/sizes.ts';
import { deriveMultirow, multirowSizes } from './paths/multirow/sizes.ts';
import { narrowSizes } from './paths/narrow/sizes.ts';
import { mmaSizes, simtSizes } from './sizes.ts';
import { deriveWgmma, packThreads, wgmmaSizes } from './wgmma-sizes.ts';

type Derived = Readonly<Record<string, ParameterValue>>;

const naiveThreads = 256;

/** Threads and shared memory of a thread block: what every path's launch needs. */
export function footprint(point: Point): { readonly threads: number; readonly sharedBytes: number } {
  if (point.path === 'naive') return { threads: naiveThreads, sharedBytes: 0 };
  if (point.path === 'general') return generalSizes(point);
  if (point.path === 'wgmma') return wgmmaSizes(point);
  if (point.path === 'narrow') return narrowSizes(point);
  if (point.path === 'multirow') return multirowSizes(point);
  return point.path === 'simt' ? simtSizes(point) : mmaSizes(point);
}

/** Names of the templates besides the parameters. */
export function derive(point: Point, arch: Arch): Derived {
  const { threads, sharedBytes } = footprint(point);
  const shared = { threads, sharedBytes };
  if (point.path === 'naive') return shared;
  if (point.path === 'general') return { ...shared, ...deriveGeneral(point) };
  if (point.path === 'wgmma') return { ...shared, ...deriveWgmma(point, arch) };
  if (point.path === 'narrow') return { ...shared, ...deriveNarrow(point) };
  if (point.path === 'multirow') return { ...shared, ...deriveMultirow(point) };
  if (point.path === 'simt') return { ...shared, rowsPerThread: simtSizes(point).rowsPerThread };
  return { ...shared, ...deriveMma(point) };
}

function deriveNarrow(point: Point): Derived {
  const { tileRows, barrierOffset } = narrowSizes(point);
  return { tileRows, barrierOffset };
}

function deriveMma(point: Point): Derived {
  const { warps, warpRows, warpColumns, copyThreads, stagingOffset, barrierOffset } = mmaSizes(point);
  return { warps, warpRows, warpColumns, copyThreads, stagingOffset, barrierOffset };
}

function deriveGeneral(point: Point): Derived {
  const { warpRows, warpColumns } = generalSizes(point);
  return {
    ...{ warpRows, warpColumns, packThreads, tiledB: false, batches: true },
    majorA: point.transposeA ? 'mn' : 'k',
    majorB: point.layoutB === 'column' ? 'k' : 'mn',
    columnMajorC: point.layoutC === 'column',
    severalBlocks: point.blocksPerStage > 1,
    depthOf: point.blocksPerStage > 1 ? 'block' : 'stage',
    turnDoc: point.ffma ? '' : '; ldmatrix turns them',
    tilesDoc: point.ffma ? 'tiles of 16 x 8 sums' : 'mma tiles of 16 x 8',
    sumsDoc: point.ffma ? 'a tile of sums ' : 'an mma tile    ',
    stageType: point.ffma ? 'unsigned char*' : 'std::uint32_t',
  };
}

/** B is copied to the workspace first. */
export function packs({ path, packB }: Pick<Point, 'path' | 'packB'>): boolean {
  return packB && (path === 'general' || path === 'wgmma');
}

/** Elements to which the blocks of A must be aligned. */
export function valueAlignment(point: Point): number {
  if (point.path === 'naive') return 1;
  if (point.path === 'multirow') return 2; // pairs go to registers
  const bytes = point.path === 'narrow' || point.path === 'wgmma' ? 16 : point.copyBytes;
  return point.path === 'simt' ? point.vector : bytes / elementBytes[point.input];
}

/** Elements of C in 16 bytes. */
export function vectorOfC({ output }: Pick<Point, 'output'>): number {
  return 16 / elementBytes[output];
}

/** Elements of B that are loaded at once where its alignment has it. */
export function vectorOfB(point: Point): number {
  return point.path === 'narrow' || packs(point) ? 16 / elementBytes[point.input] : alignment(point);
}

/** Elements to which B must be aligned: its base pointer and its lines. */
export function alignment(point: Point): number {
  if (point.path === 'naive' || point.path === 'narrow' || packs(point)) return 1;
  if (point.path === 'multirow') return 8; // TMA
  if (point.path === 'wgmma') return point.input === 'f32' ? 4 : 8;
  if (point.path === 'simt') return point.vector;
  return point.copyBytes / elementBytes[point.input];
}
