import type { Part as PartOf } from '../../../../../src/model/family.ts';
import type { Specs } from '../../parameters.ts';

type Part = PartOf<Specs>;

const f16: Part = { input: ['f16'], output: ['f16'] };

/** A variant without specialities: the plain product, f16 in and out. */
const general: Part = {
  ...f16,
  path: ['general'],
  layoutB: ['row'],
  layoutC: ['row'],
  transposeA: [false],
  tileN: [128],
  tileK: [32],
  warpsM: [2],
  warpsN: [2],
  stages: [4],
  copyBytes: [16],
  minBlocks: [2],
  panel: [1],
  order: ['longest'],
  prefetch: [false],
};
/** x and y of y = x W^T are B and C column-major. */
const linear: Part = { ...general, layoutB: ['column'], layoutC: ['column'] };

/** Each block size, each layout and each kind of copy once. */
export const generalQuick: readonly Part[] = [
  { ...linear, block: [32], warpsM: [1], prefetch: [true] },
  {
    ...linear,
    ...{ layoutC: ['row'], transposeA: [true], block: [64], tileN: [64], stages: [2], copyBytes: [4] },
    ...{ input: ['bf16'], output: ['bf16'], order: ['natural'] },
  },
  {
    ...general,
    layoutC: ['column'],
    output: ['f32'],
    block: [128],
    copyBytes: [2],
    tileN: [64],
    warpsM: [4],
  },
];
