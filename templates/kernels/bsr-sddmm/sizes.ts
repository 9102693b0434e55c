import type { Arch } from '../../../src/model/arch.ts';
import type { Point } from './parameters.ts';

type Sizes = Pick<Point, 'path' | 'block' | 'group' | 'tileK' | 'stages' | 'warpsM' | 'warpsN' | 'consumers'>;

/** Limits of a multiprocessor that bound its thread blocks. */
type Limits = Pick<Arch, 'sharedBytesPerSm' | 'reservedSharedBytesPerBlock' | 'registersPerSm'>;

/** Threads and shared memory of a thread block, as the templates lay it out, and what of the tile a warp or warpgroup has. */
export function sizesOf(point: Sizes) {
  if (point.path === 'naive')
    return { threads: 256, sharedBytes: 0, tileRows: 1, tileColumns: 1, accumulators: 1 };
  return point.path === 'mma' ? mmaSizes(point) : wgmmaSizes(point);
}

function mmaSizes({ block, group, tileK, stages, warpsM, warpsN }: Sizes) {
  const [tileRows, tileColumns] = [block / warpsM, (block * group) / warpsN];
  return {
    threads: 32 * warpsM * warpsN,
    sharedBytes: stages * 2 * tileK * block * (1 + group),
    /** Rows and columns of A of a warp, or of a warpgroup. */
    tileRows,
    tileColumns,
    /** fp32 accumulators of a thread. */
    accumulators: (tileRows * tileColumns) / 32,
  };
}

/** Two warpgroups halve the rows of blocks of 128, else the blocks of a tile. */
function wgmmaSizes({ block, group, tileK, stages, consumers }: Sizes) {
  const tileRows = block === 128 ? block / consumers : block;
  const tileColumns = (block * group * block) / tileRows / consumers;
  const threads = 128 * consumers + 32;
  const sharedBytes = stages * 2 * tileK * block * (1 + group) + 16 * stages;
  const accumulators = (tileRows * tileColumns) / 128;
  return { threads, sharedBytes, tileRows, tileColumns, accumulators };
}

/** Thread blocks that a multiprocessor has room for, as the kernel asks for. */
export function residentsOf(point: Sizes, limits: Limits): number {
  if (point.path !== 'wgmma') return 1;
  const { threads, sharedBytes, accumulators } = sizesOf(point);
  const registers = 8 * Math.ceil((accumulators + 40) / 8);
  const bySharedMemory = Math.floor(
    limits.sharedBytesPerSm / (sharedBytes + limits.reservedSharedBytesPerBlock),
  );
  const byRegisters = Math.floor(limits.registersPerSm / (threads * registers));
  return Math.max(1, Math.min(bySharedMemory, byRegisters));
}

/** Elements per load of X and Y: what their lines must be aligned to. */
export function loadElements({ path, copyBytes }: Point): number {
  if (path === 'naive') return 1;
  return path === 'wgmma' ? 8 : copyBytes / 2;
}
