import type { CostModel } from '../../../src/model/family.ts';
import { packs } from './derive.ts';
import type { Point, parameters } from './parameters.ts';
import { elementBytes, generalSizes } from './paths/general/sizes.ts';
import { narrowSizes } from './paths/narrow/sizes.ts';
import { clusterAlongK, warpgroupTile } from './wgmma-sizes.ts';
import { alignmentOf, densityOf, type Problem, problemOf, unevennessOf } from './workloads.ts';

// The same arithmetic as cost.hpp, which the emitted library has; a test compares the two.

const microsecond = 1e-6;
/** Nominal rates: into a multiprocessor and through memory, bytes per second, and of its tensor cores, operations per second. */
const ingest = 70e9;
const memory = 4e12;
const wgmmaRate = 7e12;
const mmaRate = 3e12;
const simtRate = 1e11;
const multiprocessors = 132;
const sharedBytesPerSm = 228 * 1024;
const registersPerSm = 65_536;
/** Bytes that stay in L2: of all operands, and of a panel of B beside them. */
const cachedBytes = 40e6;
const cachedPanelBytes = 17e6;
const panelRange = 20e6;

/** A product's sizes, in elements unless said otherwise. */
interface Work {
  readonly rows: number;
  readonly depth: number;
  readonly columns: number;
  readonly products: number;
  readonly block: number;
  /** Rows and columns of blocks, and the share that is stored. */
  readonly blockRows: number;
  readonly blockColumns: number;
  readonly density: number;
  readonly unevenness: number;
  /** Bytes of an element of A and B, and of C. */
  readonly input: number;
  readonly output: number;
  readonly aligned: boolean;
}

function workOf(problem: Problem): Work {
  const { m, n, k, block, input, output, transposeA = 'no', batch = 1 } = problem;
  const [rows, depth] = transposeA === 'yes' ? [k, m] : [m, k];
  return {
    ...{ rows, depth, columns: n, products: batch, block },
    ...{ blockRows: Math.ceil(rows / block), blockColumns: Math.ceil(depth / block) },
    density: densityOf(problem) ?? 0.1,
    unevenness: Math.max(1, unevennessOf(problem) ?? 1),
    input: elementBytes[input],
    output: elementBytes[output],
    aligned: alignmentOf(problem) >= 16,
  };
}

/** Rounds in which tiles are taken: whole ones where there are few; partly filled ones count half up to six. */
function roundsOf(share: number): number {
  if (share <= 1) return 1;
  return share > 6 ? share : 0.5 * share + 0.5 * Math.ceil(share);
}

/** Longest of `count` row lengths over their mean, of normal ones. */
function longest({ unevenness }: Work, count: number): number {
  return 1 + Math.sqrt(unevenness - 1) * Math.sqrt(2 * Math.log(Math.max(2, count)));
}

function bytesOfC({ rows, columns, products, output }: Work): number {
  return rows * columns * products * output;
}

/** Time of what does not stay in L2. */
function fromMemory(work: Work): number {
  const { blockRows, blockColumns, density, block, input, depth, columns, products } = work;
  const ofA = blockRows * blockColumns * density * block * block * input;
  return Math.max(0, ofA + depth * columns * products * input + bytesOfC(work) - cachedBytes) / memory;
}

function misaligned(work: Work): number {
  return work.aligned ? 0 : bytesOfC(work) / memory;
}

/** Packing of B: a launch, and its bytes, read and written. */
function packing(point: Point, { depth, columns, products, input }: Work): readonly [number, number] {
  return packs(point) ? [microsecond, (2 * depth * columns * products * input) / memory] : [0, 0];
}

function wgmmaParts(point: Point, work: Work): number[] {
  const { tileN, cluster, panel } = point;
  const { block, density, blockColumns, columns, products, input, output } = work;
  const { group } = warpgroupTile(point);
  const sharers = clusterAlongK(point);
  const across = Math.ceil(columns / (tileN * cluster)) * cluster * products;
  const alike = point.grouping === 'similar' && group > 1 ? 0.9 : 1;
  const union = (1 - (1 - density) ** group) * alike;
  const steps = Math.max(1, union * blockColumns) / sharers;
  const blocksPerStep = union > 0 ? (group * density) / union : 1;
  const groups = Math.ceil(work.blockRows / group);
  const share = (groups * across * sharers) / multiprocessors;
  const rounds = roundsOf(share);
  const slack = (longest(work, groups) - 1) / (group === 1 ? 1 : 1.5);
  const bounded = share < 2 || work.unevenness > 1.3 ? steps * (1 + slack) : 0;
  const path = Math.max(rounds * steps, bounded);
  const copied = (path * input * block * ((blocksPerStep * block) / cluster + tileN)) / ingest;
  const epilogue = (rounds * tileN * group * block * output) / (0.5 * ingest);
  const panelColumns = panel === 0 ? columns : Math.min(columns, panel * tileN * cluster);
  const missing = (input * panelColumns * work.depth - cachedPanelBytes) / panelRange;
  return [
    2 * microsecond,
    ...packing(point, work),
    copied,
    path * 5e-8,
    epilogue,
    fromMemory(work),
    (path * blocksPerStep * block * block * tileN * input) / wgmmaRate,
    point.fused ? epilogue : 0,
    sharers > 1 ? microsecond : 0,
    0.3 * rounds * microsecond,
    misaligned(work),
    0.3 * Math.min(1, Math.max(0, missing)) * copied,
  ];
}

function mmaParts(point: Point, work: Work): number[] {
  const { tileN, tileK, copyBytes, blocksPerStage } = point;
  const { block, density, blockRows, blockColumns, columns, products, input, output } = work;
  const { threads, accumulators } = generalSizes(point);
  const ring = point.stages * blocksPerStage * elementBytes[point.input] * tileK * (point.block + tileN);
  const byMemory = Math.floor(sharedBytesPerSm / (ring + 1024));
  const byRegisters = Math.floor(registersPerSm / Math.floor(threads * Math.max(64, accumulators + 48)));
  const tiles = blockRows * Math.ceil(columns / tileN) * products;
  const share = tiles / (multiprocessors * Math.max(1, Math.min(byMemory, byRegisters)));
  const rounds = roundsOf(share);
  const blocks = density * blockColumns;
  const steps = (Math.max(1, blocks) * Math.max(1, block / tileK)) / blocksPerStage;
  const busy = Math.max(tiles / multiprocessors, 1);
  const copied = (input * block * (block + tileN) * blocks * busy) / ingest;
  return [
    2 * microsecond,
    ...packing(point, work),
    Math.max(rounds * steps, steps * longest(work, blockRows)) * 2e-7,
    copied,
    (blocks * block * block * tileN * busy * input) / mmaRate,
    (busy * tileN * block * output) / (0.5 * ingest),
    fromMemory(work),
    0.5 * rounds * microsecond,
    misaligned(work),
    (copied * ingest) / copyBytes / 8e9,
  ];
}

/** Tiles of the path narrow, thread blocks of a multiprocessor that registers allow, and seconds in which stored columns come to a row of its tiles. */
function narrowTiles(point: Point, { rows, depth, density, columns, products, input }: Work) {
  const { threads, tileRows, accumulators, vectorRegisters } = narrowSizes(point);
  const tiles = Math.ceil(rows / tileRows) * Math.ceil(columns / point.tileN) * products;
  return {
    ...{ tiles, tileRows },
    byRegisters: Math.floor(registersPerSm / (threads * (40 + accumulators + vectorRegisters))),
    stored: (input * density * depth * roundsOf(tiles / multiprocessors)) / ingest,
  };
}

function narrowParts(point: Point, work: Work): number[] {
  const { tileN, unroll, parts, warpsK } = point;
  const { depth, density } = work;
  const { tiles, tileRows, byRegisters, stored } = narrowTiles(point, work);
  const rounds = roundsOf((tiles * parts) / (multiprocessors * Math.max(point.minBlocks, byRegisters)));
  const steps = Math.max(1, (density * depth) / 16 / warpsK / parts / unroll);
  return [
    2 * microsecond,
    parts > 1 ? microsecond : 0,
    Math.max(rounds * steps, steps * longest(work, work.blockRows)) * 4e-7,
    stored * tileRows,
    stored * tileN,
    0.5 * rounds * microsecond,
    fromMemory(work),
    misaligned(work),
  ];
}

/** Of the path narrow by bulk copies: a warp takes turns at so many blocks as its stage has. */
function bulkParts(point: Point, work: Work): number[] {
  const { tileN, unroll, parts, warpsK } = point;
  const { depth, density, columns } = work;
  const { tiles, tileRows, byRegisters, stored } = narrowTiles(point, work);
  const byMemory = Math.floor(sharedBytesPerSm / (narrowSizes(point).sharedBytes + 1024));
  const share = (tiles * parts) / multiprocessors;
  const rounds = roundsOf(share / Math.max(1, Math.min(byRegisters, byMemory)));
  const turns = Math.max(
    1,
    (density * depth * longest(work, work.blockRows)) / (32 * unroll * warpsK * parts),
  );
  return [
    2 * microsecond,
    parts > 1 ? microsecond : 0,
    // A warp waits for each turn, or for the bytes of all.
    Math.max(turns * 5e-7, 1.4 * stored * tileRows),
    stored * Math.min(columns, tileN),
    1.5 * (rounds - 1) * microsecond,
    fromMemory(work),
    misaligned(work),
  ];
}

function multirowParts(point: Point, work: Work): number[] {
  const { tileN, tileK, blockRows } = point;
  const { block, density, blockColumns, columns, input, output } = work;
  const tiles = Math.ceil(work.blockRows / blockRows) * Math.ceil(columns / tileN);
  const rounds = roundsOf(tiles / multiprocessors);
  const blocksPerStep = tileK / block;
  const steps = (1 - (1 - density) ** (blockRows * blocksPerStep)) * Math.ceil(blockColumns / blocksPerStep);
  const blocks = density * blockColumns * longest(work, blockRows);
  return [
    2 * microsecond,
    (rounds * steps * input * tileK * tileN) / ingest,
    (rounds * blockRows * blocks * block * block * tileN * input) / mmaRate,
    (rounds * blockRows * block * tileN * output) / (0.5 * ingest),
    fromMemory(work),
    0.5 * rounds * microsecond,
    misaligned(work),
  ];
}

function scalarParts({ density, blockColumns, block, blockRows, columns, products }: Work): number[] {
  const depth = density * blockColumns * block;
  const operations = (2 * depth * block * blockRows * columns * products) / multiprocessors;
  return [2 * microsecond, operations / simtRate, depth * 2e-8];
}

function partsOf(point: Point, work: Work): number[] {
  switch (point.path) {
    case 'wgmma':
      return wgmmaParts(point, work);
    case 'general':
    case 'mma':
      return mmaParts(point, work);
    case 'narrow':
      return point.bulkStages > 0 ? bulkParts(point, work) : narrowParts(point, work);
    case 'multirow':
      return multirowParts(point, work);
    default:
      return scalarParts(work);
  }
}

/** Paths whose variants have weights in common, then types, then blocks. */
function groupsOf({ path, block, input, ffma, bulkStages }: Point): string[] {
  if (path === 'naive' || path === 'simt') return [path];
  const name = path === 'mma' ? 'general' : path;
  if (bulkStages > 0) return [`${name}.bulk`, `${name}.bulk.b${block}`];
  if (ffma) return [name, `${name}.ffma`, `${name}.ffma.b${block}`];
  return input === 'f32' ? [name, `${name}.f32`, `${name}.f32.b${block}`] : [name, `${name}.b${block}`];
}

export const cost: CostModel<typeof parameters.specs> = {
  parts: (point, workload) => partsOf(point, workOf(problemOf(workload))),
  groups: groupsOf,
};
