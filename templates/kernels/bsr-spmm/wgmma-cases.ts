import { half } from '../../../src/model/family.ts';
import { choiceKinds } from '../../../src/model/operation.ts';
import { vectorOfC } from './derive.ts';
import { spare } from './fixed-choices.ts';
import { residualCases, steepActivation } from './operation-cases.ts';
import { hasAddend, type Point, storesByTma, storesLines } from './parameters.ts';
import type { RowsCase } from './rows-case.ts';
import { boxesOfC, clusterAlongK } from './wgmma-sizes.ts';

/** Whoever rounds operands to TF32 must round both to nearest. */
const roundedOperands: RowsCase = {
  id: 'tf32',
  tier: 'magnitude',
  counts: [2, 1],
  problem: { n: 64, values: 'between' },
};

/**
 * Cases that only the persistent path needs: several tiles per thread block, in columns that do not come round with the blocks, rows
 * longer than the 32 steps that the producer fetches at once, lists of more than 32 tiles, rows in parts, and the limits of TMA.
 */
export function wgmmaCases(point: Point): readonly RowsCase[] {
  const { block, tileN, tileK, cluster, stages, blocksPerStage } = point;
  const wide = tileN * cluster;
  // Longer than the ring: its stages are in their second turn, and another tile follows. Ping-pong leaves out two turns.
  const turns = point.role === 'pingpong' ? 2 : 1;
  const long = Math.ceil((turns * stages * blocksPerStage + 1) / (block / tileK));
  const lengths =
    block === 32
      ? [long, 1, 0, 2, 1, 1, long, 0, 1, 2, 1]
      : block === 64
        ? [long, 0, 1, 1, long, 0, 1, 1, 2]
        : [long, 0, 1, 0, 1];
  const cases: RowsCase[] = [
    {
      id: 'many-tiles',
      tier: 'structures',
      counts: lengths,
      // Scalars and bias count in every tile.
      problem: {
        ...{ n: 2 * wide + 64, values: 'integers', alpha: 3 },
        ...(!storesByTma(point.epilogue) && { beta: 1 }),
      },
      options: { launches: 2, multiprocessors: 4 },
    },
    ...scalars(point),
    ...(point.epilogue === 'storeWarps' ? passedTiles(point) : []),
    ...(point.fused ? fusedCases(point) : []),
    ...(hasAddend(point) ? addendCases(point) : []),
    ...(point.input === 'f32' ? [roundedOperands] : []),
  ];
  if (point.schedule !== 'atomic') {
    // One list of more than the 32 tiles whose records a warp reads at a time, and of more than twice as many.
    const rows = 66 * (point.role === 'rows' ? point.consumers : 1);
    cases.push({
      id: 'long-list',
      tier: 'structures',
      counts: Array.from({ length: rows }, (_, row) => (row % 16 === 2 || row === rows - 1 ? 1 : 0)),
      problem: { n: 64, values: 'integers' },
      options: { multiprocessors: cluster * clusterAlongK(point) },
    });
  }
  // Rows of more than the 32 steps that the producer reads at a time, and long sums.
  cases.push(longRows(point, 'long-rows', block === 32 ? longLengths : [33]));
  if (partsAtOnce(point)) cases.push(rowsInParts(point));
  return cases;
}

/** Those that take long with blocks of more than 32 rows. */
export function furtherWgmmaCases(point: Point): readonly RowsCase[] {
  return [
    ...(point.block === 32 ? [] : [longRows(point, 'longer-rows', longLengths)]),
    ...(point.split > 0 && !partsAtOnce(point) ? [rowsInParts(point)] : []),
  ];
}

const longLengths = [33, 1, 70, 32];

function longRows(point: Point, id: string, counts: readonly number[]): RowsCase {
  // Groups of rows are made of their columns; without these other variants find out on the device with which steps a list begins.
  const hostColumns = point.role === 'rows';
  return { id, tier: 'structures', counts, problem: { n: 64, values: 'swing', hostColumns } };
}

/** Whether depth `quick` has rows in parts. */
function partsAtOnce({ split, block }: Point): boolean {
  return split > 0 && (split === 8 || block === 32);
}

function rowsInParts({ split, tileN, cluster }: Point): RowsCase {
  return {
    id: 'parts',
    tier: 'structures',
    counts: [3 * split + 2, 1, split + 1, split],
    problem: { n: Math.min(tileN * cluster, 256) + 8 },
    options: { launches: 2 },
  };
}

/** Tiles that consumers pass on. */
function passedTiles(point: Point): RowsCase[] {
  return [passedLines(point), ...(point.role === 'rows' ? [passedGroupOfOne(point)] : [])];
}

/** Lines that begin and end anywhere, in tiles that a thread block has in turn: all but the last one are passed on. */
function passedLines({ tileN, cluster, packB, layoutB, role, consumers }: Point): RowsCase {
  const n = 2 * tileN * cluster - (packB ? 7 : 3);
  const rows = role === 'rows' ? consumers : 1;
  return {
    id: 'passed-lines',
    tier: 'edges',
    counts: [1, 0, 3, 1, 0].flatMap((count) => Array.from({ length: rows }, () => count)),
    problem: { n, ldbExtra: spare(layoutB, n), ldcExtra: 5, offsetC: 1, values: 'normal' },
    options: { launches: 2, multiprocessors: 2 * cluster },
  };
}

/** A group of one row, three tiles to a thread block: its other warpgroups have nothing to pass on, and tiles follow. */
function passedGroupOfOne({ tileN, cluster, packB, layoutB }: Point): RowsCase {
  const n = 6 * tileN * cluster - (packB ? 7 : 3);
  return {
    id: 'passed-group-of-one',
    tier: 'edges',
    counts: [2],
    problem: { n, ldbExtra: spare(layoutB, n), ldcExtra: 5, offsetC: 1, values: 'normal' },
    options: { multiprocessors: 2 * cluster },
  };
}

/** A bias and every activation, on several tiles: each has a row's own bias. */
function fusedCases({ tileN, cluster, layoutB, layoutC }: Point): RowsCase[] {
  const of = (whole: number) => {
    const n = whole + (layoutC === 'column' ? 3 : 8);
    return { n, ldbExtra: spare(layoutB, n) } as const;
  };
  const problem = of(tileN);
  const biased = { ...problem, bias: 'yes' } as const;
  const tiles = { ...of(tileN * cluster), bias: 'yes' } as const; // of each thread block of a cluster
  const counts = [1, 0, 2];
  const smooth = choiceKinds.activation.filter((name) => name !== 'none' && name !== 'relu');
  return [
    { id: 'bias', tier: 'operation', counts, problem: { ...tiles, values: 'integers' } },
    { id: 'relu', tier: 'operation', counts, problem: { ...tiles, activation: 'relu', alpha: 1 / 3 } },
    {
      id: 'relu-nan',
      tier: 'non-finite',
      counts: [1, 0],
      problem: { ...problem, activation: 'relu', values: 'nan' },
    },
    ...smooth.flatMap((activation): RowsCase[] => {
      const all = { ...biased, activation, alpha: 1 / 8 };
      const few = { n: 8, ldbExtra: spare(layoutB, 8) } as const;
      return [
        { id: activation, tier: 'operation', counts: [1, 0], problem: all },
        steepActivation(activation, few),
      ];
    }),
    // Infinities: -Inf becomes NaN.
    ...smooth.map((activation): RowsCase => {
      const of = { ...problem, activation, values: 'nan' } as const;
      return { id: `${activation}-nan`, tier: 'non-finite', counts: [1, 0], problem: of };
    }),
  ];
}

/** The former C or a residual before bias and activation; of whole vectors in several tiles of each thread block, too. */
function addendCases(point: Point): RowsCase[] {
  const { tileN, cluster, layoutB, layoutC } = point;
  const finished = { bias: 'yes', activation: 'relu', alpha: 1 / 3 } as const;
  return [
    ...residualCases(point, { layoutB, layoutC }),
    { id: 'beta-relu', tier: 'operation', counts: [1, 0], problem: { n: tileN, ...finished, beta: -0.7 } },
    // Lines that are whole and of a multiple of 16 bytes, at an address one element in front of one.
    {
      id: 'residual-off',
      tier: 'operation',
      counts: [1],
      problem: { n: tileN, beta: -0.7, residual: 'yes', ldrExtra: 8, offsetC: 7 },
    },
    // Lines of the residual that are half a vector longer than whole ones.
    {
      id: 'residual-half',
      tier: 'operation',
      counts: [1],
      problem: { n: tileN, beta: -0.7, residual: 'yes', ldrExtra: half(vectorOfC(point)) },
    },
    {
      id: 'residual-tiles',
      tier: 'operation',
      counts: [1, 0, 2, 1],
      problem: { n: 2 * tileN * cluster + 64, ...finished, beta: 1, residual: 'yes', ldrExtra: 8 },
      options: { launches: 2, multiprocessors: 4 },
    },
  ];
}

/** N and ldc, and the address of C, off what the epilogue stores at once, `off` elements: what it refuses, and why. */
function oddN({ tileN, layoutB }: Point, off: number, refuses: string): RowsCase {
  const n = tileN - off;
  const problem = { n, ldbExtra: spare(layoutB, n) - 8, ldcExtra: off };
  return { id: 'odd-n', tier: 'edges', counts: [1], problem, options: { refuses } };
}
function oddC(off: number, refuses: string): RowsCase {
  return { id: 'odd-c', tier: 'edges', counts: [1], problem: { n: 64, offsetC: off }, options: { refuses } };
}

/** Ragged N, padded rows, alpha and beta; what TMA cannot do is refused. */
function scalars(point: Point): RowsCase[] {
  const { tileN, epilogue, layoutB, layoutC, packB } = point;
  const ragged = { alpha: 1 / 3, offsetB: 8, values: 'normal' } as const;
  if (!storesByTma(epilogue)) {
    // Stores of whole lines begin anywhere; from fragments, single elements do. Of a packed B one element is left for the last vector.
    const odd = storesLines(epilogue) || boxesOfC(point).turned;
    const n = tileN - (odd || layoutC === 'column' ? (packB ? 7 : 3) : 2);
    const c = odd ? { ldcExtra: 5, offsetC: 1 } : { ldcExtra: 6, offsetC: 2 };
    return [
      {
        id: 'ragged',
        tier: 'edges',
        counts: [1, 0],
        problem: { ...ragged, ...c, n, ldbExtra: spare(layoutB, n), beta: -0.7 },
      },
      { id: 'beta', tier: 'scalars', counts: [1, 0], problem: { n: tileN / 2, beta: 1, ldcExtra: 8 } },
      { id: 'alpha-zero-beta', tier: 'scalars', counts: [1], problem: { n: 16, alpha: 0, beta: 1 } },
      { id: 'beta-subnormal', tier: 'scalars', counts: [1], problem: { n: 16, alpha: 1e-39, beta: 1 / 3 } },
      {
        id: 'beta-vanishing',
        tier: 'scalars',
        counts: [0],
        problem: { n: 16, beta: 1e-41, values: 'nan' },
      },
      ...(odd ? [] : [oddN(point, 1, 'ldc must be even'), oddC(1, 'aligned to two elements')]),
    ];
  }
  const anyN = layoutC === 'column';
  const n = tileN - (anyN ? 3 : 8);
  return [
    {
      id: 'ragged',
      tier: 'edges',
      counts: [1, 0],
      problem: { ...ragged, n, ldbExtra: 8 + spare(layoutB, n), ldcExtra: 24, offsetC: 8 },
    },
    anyN
      ? { id: 'one-column', tier: 'edges', counts: [1, 0, 1], problem: { n: 1, ldbExtra: spare(layoutB, 1) } }
      : oddN(point, 4, 'n must be a multiple'),
    { id: 'narrow', tier: 'edges', counts: [1, 0, 1], problem: { n: 8, ldbExtra: 8 } },
    {
      id: 'beta',
      tier: 'scalars',
      counts: [1],
      problem: { n: tileN / 2, beta: 1 },
      options: { refuses: 'beta' },
    },
    {
      id: 'odd-ldc',
      tier: 'edges',
      counts: [1],
      problem: { n: 64, ldcExtra: 4 },
      options: { refuses: 'ldc' },
    },
    oddC(4, '16-byte'),
  ];
}
