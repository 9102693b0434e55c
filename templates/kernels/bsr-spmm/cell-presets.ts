import type { Part as PartOf } from '../../../src/model/family.ts';
import type { Specs } from './parameters.ts';
import { general } from './paths/general/presets.ts';
import { byStoreWarps } from './wgmma-linear-presets.ts';
import { b32, b64, b128 } from './wgmma-presets.ts';

type Part = PartOf<Specs>;

const f16: Part = { input: ['f16'], output: ['f16'] };
const halves: readonly Part[] = [
  f16,
  { input: ['bf16'], output: ['bf16'] },
  { input: ['f16', 'bf16'], output: ['f32'] },
];
/** Results of the other type of 16 bits. */
const mixed: readonly Part[] = [
  { input: ['f16'], output: ['bf16'] },
  { input: ['bf16'], output: ['f16'] },
];
const floats: Part = { input: ['f32'], output: ['f32'] };

/** Row-major B is packed: its lines begin anywhere. */
const rowMajorB: Part = { layoutB: ['row'], packB: [true] };
const columnMajorB: Part = { layoutB: ['column'], packB: [false] };
const layoutsOfB = [rowMajorB, columnMajorB];

/** Rows of C begin anywhere and are staged; columns leave by TMA, of f32 from registers. A packed B asks for staged lines. */
const storesOf = (types: Part, b: Part): readonly Part[] => {
  const columns = b === rowMajorB ? 'staged' : types.output?.includes('f32') ? 'direct' : 'tma';
  return [
    { layoutC: ['row'], epilogue: ['staged'] },
    { layoutC: ['column'], epilogue: [columns] },
  ];
};

/** Wide products of any width in every layout, A as it is and transposed: the path wgmma. */
const wideCells = (types: Part): readonly Part[] =>
  layoutsOfB.flatMap((b) =>
    storesOf(types, b).flatMap((c): Part[] => {
      const cell: Part = {
        ...{ ...types, ...b, ...c, transposeA: [false, true] },
        ...{ role: ['rows'], grouping: ['similar'], stagingN: [128], panel: [2], wgmmaDepth: [1] },
      };
      return [
        { ...b32, ...cell, tileN: [256], consumers: [3] },
        { ...b64, ...cell, stages: [3] },
        { ...b128, ...cell, tileN: [128] },
      ];
    }),
  );

/** Few columns in every layout, A as it is and transposed: tiles of 32 columns whose warps lie along the block row. */
const tallCells = (types: Part): readonly Part[] =>
  layoutsOfB
    .map(
      (b): Part => ({
        ...general,
        ...{ ...types, ...b, layoutC: ['row', 'column'], transposeA: [false, true] },
        ...{ tileN: [32], minBlocks: [1], stages: [4] },
      }),
    )
    .flatMap((cell): Part[] => [
      { ...cell, block: [16], tileK: [16], warpsM: [1], warpsN: [2] },
      { ...cell, block: [32], tileK: [32], warpsM: [2], warpsN: [1] },
      { ...cell, block: [64], tileK: [64], warpsM: [4], warpsN: [1] },
      { ...cell, block: [128], tileK: [64], warpsM: [4], warpsN: [1] },
    ]);

/** Wide products with C in columns: a row-major B of any width, packed; and results of f32 in blocks of 128, which are staged. */
export const columnCells: readonly Part[] = halves.flatMap((types): Part[] => {
  const cell: Part = { ...types, layoutC: ['column'], epilogue: ['staged'], stagingN: [128], panel: [2] };
  const grouped: Part = { ...cell, role: ['rows'], grouping: ['similar'], transposeA: [false, true] };
  const packed: Part = { ...rowMajorB, pdl: [false, true] };
  const tiles: readonly Part[] = [
    { ...b32, ...grouped, tileN: [256], consumers: [3] },
    { ...b64, ...grouped, stages: [3] },
    { ...b128, ...grouped, tileN: [128] },
    { ...b128, ...cell, tileN: [128], stages: [4] },
  ];
  const whole = types.output?.includes('f32') ? tiles.slice(2) : [];
  return [
    ...tiles.map((tile): Part => ({ ...tile, ...packed })),
    ...whole.map((tile): Part => ({ ...tile, layoutB: ['row', 'column'] })),
  ];
});

/** Wide products with C in rows of any width, which warps of their own write: of blocks whose rows lie along wgmma's M. */
export const rowCells: readonly Part[] = halves.flatMap((types) =>
  layoutsOfB.flatMap((b): Part[] => {
    const cell: Part = { ...types, ...b, ...byStoreWarps, panel: [2, 4], pdl: [b === rowMajorB] };
    const grouped: Part = { ...cell, role: ['rows'], grouping: ['similar'], transposeA: [false, true] };
    return [
      { ...b64, ...grouped },
      { ...b128, ...grouped, tileN: [128], stagingN: [128] },
      { ...b128, ...cell },
    ];
  }),
);

export const raggedCells: readonly Part[] = halves.flatMap(wideCells);
export const fewCells: readonly Part[] = [...halves, floats].flatMap(tallCells);

/** Both for inputs and results of different types of 16 bits. */
export const mixedCells: readonly Part[] = [...mixed.flatMap(wideCells), ...mixed.flatMap(tallCells)];

/** The same of f16 alone. */
export const halfCells: readonly Part[] = [...wideCells(f16), ...tallCells(f16)];
