import type { Part as PartOf, Preset } from '../../../../../src/model/family.ts';
import { unmixed } from '../../comparisons.ts';
import { densities, plain, prefill } from '../../layer-workloads.ts';
import { parameters, type Specs } from '../../parameters.ts';
import { usualSmallBlocks } from '../general/presets.ts';

type Part = PartOf<Specs>;

/** A variant without specialities: parts override what they vary. */
const multirow: Part = { ...parameters.usualOn('multirow'), block: [16] };
const columnMajor: Part = { layoutB: ['column'], layoutC: ['column'] };
const everyLayout: Part = { layoutB: ['row', 'column'], layoutC: ['row', 'column'] };

/** Every kind of code once. */
export const multirowKinds: readonly Part[] = [
  { ...multirow, ...columnMajor, order: ['natural'] },
  { ...multirow, layoutC: ['column'], input: ['bf16'], output: ['bf16'], blockRows: [8], stages: [4] },
  { ...multirow, layoutB: ['column'], output: ['f32'], tileN: [64], blockRows: [8], stages: [3] },
  { ...multirow, input: ['bf16'], output: ['bf16'], tileN: [64], stages: [6] },
];

const halves: readonly Part[] = [
  { input: ['f16'], output: ['f16'] },
  { input: ['bf16'], output: ['bf16'] },
  { input: ['f16', 'bf16'], output: ['f32'] },
];

const tiles = (choices: Part): Part[] => [
  { ...multirow, ...choices, stages: [6, 8], order: ['natural', 'longest'] },
  { ...multirow, ...choices, blockRows: [8], stages: [4, 6], minBlocks: [1, 2] },
  { ...multirow, ...choices, tileN: [64], stages: [4, 8], blockRows: [8, 16], minBlocks: [1, 2] },
];

export const multirowPresets: Readonly<Record<string, Preset<Specs>>> = {
  'multirow-kinds': {
    doc: 'Blocks of 16 whose rows share B: every kind of code of the path multirow once.',
    where: multirowKinds,
    workloads: [],
  },
  'multirow-cells': {
    doc: 'Wide products in blocks of 16 of every 16-bit type and layout: the path multirow beside the usual variant of the path general.',
    where: halves.flatMap((types) => [
      ...usualSmallBlocks({ ...types, transposeA: [false] }),
      { ...multirow, ...types, ...everyLayout },
      { ...multirow, ...types, ...everyLayout, blockRows: [8], stages: [6], minBlocks: [2] },
    ]),
    workloads: unmixed
      .filter(({ problem: { block, n, input } }) => block === 16 && Number(n) > 1000 && input !== 'f32')
      .filter(({ problem: { transposeA } }) => transposeA !== 'yes')
      .map(({ id }) => id),
  },
  multirow: {
    doc: 'Blocks of 16 whose rows share B, B and C column-major: tiles of the path multirow.',
    where: tiles(columnMajor),
    workloads: [...plain, ...prefill, ...densities]
      .filter(({ problem: { block, n } }) => block === 16 && Number(n) >= 256)
      .map(({ id }) => id),
  },
};
