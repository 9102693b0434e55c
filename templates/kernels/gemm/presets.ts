import type { Part as PartOf, Preset } from '../../../src/model/family.ts';
import { parameters } from './parameters.ts';
import { largeIds, mainIds, smallIds } from './workloads.ts';

type Specs = typeof parameters.specs;
type Part = PartOf<Specs>;

const { element, activation } = parameters.specs;

const mma: Part = { ...parameters.usualOn('mma'), tileM: [128], tileN: [128] };
/** Warps of 64 x 64 elements, two or three thread blocks to a multiprocessor. */
const mmaCandidates: readonly Part[] = [
  { ...mma, tileK: [32, 64], stages: [3, 4] },
  { ...mma, tileN: [256], warpsN: [4], stages: [3, 4] },
  { ...mma, copyBytes: [4] },
];

const wgmma: Part = { ...parameters.usualOn('wgmma'), tileM: [128], tileN: [256] };
/** Candidates on Hopper: tiles of 128 x 256 or 256 x 128, and clusters that share the longer operand or the shorter one. */
const hopper: readonly Part[] = [
  { ...wgmma, stages: [3, 4], clusterM: [1, 2], clusterN: [1, 2], inFlight: [0, 1], group: [8, 16] },
  { ...wgmma, stages: [3], clusterM: [1, 2], boxes: [4], group: [8, 16] },
  { ...wgmma, tileM: [256], tileN: [128], clusterM: [1, 2], clusterN: [1, 2], inFlight: [0, 1] },
];

const everyType: Part = { element: element.values, activation: activation.values };
/** Every path and type, and every kind of code: widths of copies, clusters either way, products in flight, tall tiles. */
const quick: readonly Part[] = [
  { path: ['naive'], ...everyType },
  mma,
  {
    ...{ ...mma, tileM: [64], tileN: [256], tileK: [64], stages: [2], warpsM: [1], warpsN: [4] },
    ...{ copyBytes: [4], element: ['bf16'], activation: ['gelu-tanh'] },
  },
  { ...wgmma, clusterM: [2] },
  {
    ...{ ...wgmma, tileM: [256], tileN: [128], stages: [3], clusterN: [2], inFlight: [1], boxes: [1] },
    ...{ element: ['bf16'], activation: ['relu'] },
  },
  { ...wgmma, tileN: [64], stages: [2], boxes: [1], activation: ['silu'], group: [1] },
];

export const presets: Readonly<Record<string, Preset<Specs>>> = {
  quick: {
    doc: 'Every path, type and activation, and every kind of code, once.',
    where: quick,
    workloads: smallIds,
  },
  default: {
    doc: 'Variants worth timing on one GPU, f16.',
    where: [...mmaCandidates, ...hopper],
    workloads: mainIds,
  },
  fallback: {
    doc: 'For every type and activation a variant on tensor cores that takes aligned lines and one that takes lines of even length, and the path naive, which takes every call.',
    where: [
      { path: ['naive'], ...everyType },
      { ...mma, copyBytes: [16, 4], ...everyType },
    ],
    workloads: [],
  },
  hopper: { doc: 'The path wgmma on an H200, f16.', where: hopper, workloads: mainIds },
  full: { doc: 'An even sample of the whole space.', sample: 500, workloads: [...smallIds, ...largeIds] },
};
