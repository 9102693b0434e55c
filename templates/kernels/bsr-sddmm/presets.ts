import type { Part as PartOf, Preset } from '../../../src/model/family.ts';
import { parameters } from './parameters.ts';
import { kinds, layers, main, small, type workloads } from './workloads.ts';

type Specs = typeof parameters.specs;
type Part = PartOf<Specs>;

const mma: Part = { ...parameters.usualOn('mma'), group: [2], warpsM: [1], warpsN: [4] };
const wgmma: Part = parameters.usualOn('wgmma');
const columns: Part = { layoutX: ['column'], layoutY: ['column'] };

/** Every path, block, type and pair of layouts once. */
const quick: readonly Part[] = [
  { ...parameters.usualOn('naive'), block: [16, 32, 64, 128] },
  { path: ['naive'], block: [32], input: ['bf16'], output: ['f32'] },
  { ...mma, block: [16], group: [8], warpsN: [2] },
  { ...mma, block: [32], group: [4], warpsM: [2], warpsN: [2], ...columns },
  { ...mma, block: [64], layoutX: ['column'], output: ['f32'] },
  { ...mma, block: [64], tileK: [64], stages: [2], warpsM: [2], layoutY: ['column'], copyBytes: [4] },
  { ...mma, block: [128], group: [1], warpsM: [2], warpsN: [2], stages: [4] },
  { ...mma, block: [128], warpsM: [2], input: ['bf16'], output: ['bf16'], ...columns },
  { ...wgmma, block: [64], group: [4], stages: [3], consumers: [1] },
  { ...wgmma, block: [64], group: [4], tileK: [32], stages: [3], consumers: [2], cluster: [2], ...columns },
  { ...wgmma, block: [64], group: [1], stages: [3], consumers: [1], layoutX: ['column'], output: ['f32'] },
  { ...wgmma, block: [128], group: [1], stages: [4], consumers: [1], inFlight: [0], layoutY: ['column'] },
  { ...wgmma, block: [64], group: [2], stages: [3], consumers: [2], splits: [2], output: ['f32'] },
  {
    ...wgmma,
    ...{
      block: [128],
      group: [2],
      stages: [4],
      consumers: [2],
      cluster: [2],
      input: ['bf16'],
      output: ['bf16'],
    },
  },
];

const layouts: readonly Part[] = [{}, columns];
/** Around tiles of 128 to 256 columns. */
const candidates: readonly Part[] = layouts.flatMap((layout) => {
  const base = { ...mma, ...layout, tileK: [32, 64], stages: [3, 4] } as const;
  return [
    { ...base, block: [16], group: [8, 16], warpsM: [1], warpsN: [2, 4] },
    { ...base, block: [32], group: [4, 8], warpsM: [1, 2], warpsN: [2, 4] },
    { ...base, block: [64], group: [2, 4], warpsM: [1, 2], warpsN: [2, 4] },
    { ...base, block: [128], group: [1, 2], warpsM: [2, 4], warpsN: [2, 4] },
  ];
});
/**
 * Blocks of 64: two to eight to a tile, whose X is shared; of 128: one or two. Stages fill shared memory once, or half of it.
 * Clusters share X or the depth.
 */
const hopper: readonly Part[] = layouts.flatMap((layout) => {
  const base = { ...wgmma, ...layout } as const;
  const tiles: readonly Part[] = [
    { ...base, block: [64], group: [2], stages: [4], consumers: [1] },
    { ...base, block: [64], group: [4], tileK: [32], stages: [5], consumers: [1] },
    { ...base, block: [64], group: [4], stages: [2, 5], consumers: [1, 2] },
    { ...base, block: [64], group: [8], stages: [3], consumers: [2] },
    { ...base, block: [64], group: [8], tileK: [32], stages: [6], consumers: [2] },
    { ...base, block: [128], group: [1], stages: [3, 6], consumers: [1, 2] },
    { ...base, block: [128], group: [2], stages: [4], consumers: [2] },
  ];
  return tiles.flatMap((tile) => [tile, { ...tile, cluster: [2] }, { ...tile, splits: [2] }]);
});
const outputs = ['f16', 'bf16', 'f32'] as const;
/** The tiles that were the fastest of `hopper`, of every type, for every order. */
const best: readonly Part[] = (['f16', 'bf16'] as const).flatMap((input) => {
  const layout = { layoutX: ['row', 'column'], layoutY: ['row', 'column'] } as const;
  const base = { ...wgmma, ...layout, input: [input], output: outputs } as const;
  return [
    { ...base, block: [64], group: [4], stages: [5], consumers: [1] },
    { ...base, block: [64], group: [8], stages: [3], consumers: [2] },
    { ...base, block: [128], group: [1], stages: [3, 6], consumers: [2] },
  ];
});
/** For every type and block the path naive, which takes every call, and for every order mma, which takes lines of whole 16 bytes. */
const fallback: readonly Part[] = (['f16', 'bf16'] as const).flatMap((input) => {
  const types: Part = { input: [input], output: outputs };
  const base: Part = { ...mma, ...types, layoutX: ['row', 'column'], layoutY: ['row', 'column'] };
  return [
    { ...types, path: ['naive'], block: [16, 32, 64, 128] },
    { ...base, block: [16], group: [8], warpsN: [2] },
    { ...base, block: [32], group: [4], warpsM: [2], warpsN: [2] },
    { ...base, block: [64] },
    { ...base, block: [128], group: [1], warpsM: [2], warpsN: [2] },
  ];
});
const ids = (list: typeof workloads) => list.map(({ id }) => id);

export const presets: Readonly<Record<string, Preset<Specs>>> = {
  quick: { doc: 'Every path, block, type and layout once.', where: quick, workloads: ids(small) },
  default: {
    doc: 'Variants worth timing on one GPU, f16 in and out.',
    where: candidates,
    workloads: ids(main),
  },
  'hopper-types': {
    doc: 'The path wgmma on an H200, every type and order.',
    where: best,
    workloads: ids([...kinds, ...layers].filter(({ problem }) => Number(problem.block) >= 64)),
  },
  hopper: {
    doc: 'The path wgmma on an H200, f16 in and out.',
    where: hopper,
    workloads: ids([...main, ...layers].filter(({ problem }) => Number(problem.block) >= 64)),
  },
  fallback: {
    doc: 'For every type, order and block a variant on tensor cores that takes lines of whole 16 bytes, and the path naive, which takes every call.',
    where: fallback,
    workloads: [],
  },
  full: { doc: 'An even sample of the whole space.', sample: 500, workloads: ids(small) },
};
