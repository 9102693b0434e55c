import type { Part as PartOf } from '../../../src/model/family.ts';
import type { Specs } from './parameters.ts';
import { hopperHalves } from './wgmma-linear-presets.ts';
import { b32, b64, b128 } from './wgmma-presets.ts';

type Part = PartOf<Specs>;

/** f32 rounded to TF32. */
const floats: Part = { input: ['f32'], output: ['f32'], epilogue: ['direct'], tileK: [32] };
const grouped: Part = { ...floats, role: ['rows'], consumers: [2], grouping: ['similar'] };
const inTurn: Part = { ...floats, role: ['pingpong'], consumers: [2] };

/** Tiles of groups of block rows, whose A may be transposed. */
const groups: readonly Part[] = [
  { ...b32, ...grouped, tileN: [256], stages: [5] },
  { ...b64, ...grouped, panel: [1, 4] },
  { ...b64, ...grouped, tileN: [128], stages: [6], panel: [4] },
  { ...b128, ...grouped, tileN: [128], stages: [4], panel: [4] },
];

/** Tiles of single block rows, by warpgroups in turn, or by one. */
const turns: readonly Part[] = [
  { ...b32, ...inTurn, tileN: [256], stages: [5] },
  { ...b64, ...inTurn, stages: [5], panel: [1, 4] },
  { ...b64, ...inTurn, tileN: [128], stages: [8], panel: [4] },
  { ...b64, ...inTurn, tileN: [192], stages: [6], producers: [1, 2], panel: [4] },
  { ...b64, ...floats, consumers: [1], stages: [5], panel: [4] },
  { ...b128, ...inTurn, tileN: [128], stages: [6], panel: [4] },
];

const layouts: Part = { layoutB: ['row', 'column'], layoutC: ['row', 'column'] };
/** A row-major B of any width. */
const packed: Part = { layoutB: ['row'], layoutC: ['row', 'column'], packB: [true], pdl: [true] };
const turned: Part = { transposeA: [false, true] };

/** Every layout of B and C; a row-major B as it lies and packed; A as it is and transposed. Beside them their siblings of f16. */
export const hopperTf32: readonly Part[] = [
  ...hopperHalves,
  ...groups.flatMap((part): Part[] => [
    { ...part, ...layouts, ...turned },
    { ...part, ...packed, ...turned },
  ]),
  ...turns.flatMap((part): Part[] => [
    { ...part, ...layouts },
    { ...part, ...packed },
  ]),
];
