import type { Point } from './parameters.ts';
import type { Problem, SpmmWorkload } from './workloads.ts';

// Products of layers beside the plain one, at sizes of Llama-3.1-8B's MLP.

type Options = Partial<Omit<Problem, 'm' | 'n' | 'k' | 'block' | 'pattern'>>;

const columnMajor = { layoutB: 'column', layoutC: 'column' } as const;
const blocks: readonly Point['block'][] = [16, 32, 64, 128];

interface Size {
  readonly m: number;
  readonly k: number;
  readonly n: number;
  readonly density?: number;
}

/** A workload per block size: `<name>.<m>x<k>x<n>.d<percent>.b<block>`. */
function each(name: string, { m, k, n, density = 0.1 }: Size, options: Options = columnMajor) {
  return blocks.map(
    (block): SpmmWorkload => ({
      id: `${name}.${m}x${k}x${n}.d${Math.round(100 * density)}.b${block}`,
      problem: {
        ...{ m, n, k, block, input: 'f16', output: 'f16', values: 'normal', seed: 1, ...options },
        pattern: { kind: 'random', density },
      },
    }),
  );
}

const up = { m: 14336, k: 4096 } as const;
const down = { m: 4096, k: 14336 } as const;

const rowsOfPrefill = [256, 2048, 8192];

/** y = x W^T for the rows of x of prefill: B and C are column-major. */
export const prefillUp = rowsOfPrefill.flatMap((n) => each('linear', { ...up, n }));

/** The same with fewer and longer block rows. */
export const prefillDown = rowsOfPrefill.flatMap((n) => each('linear', { ...down, n }));

export const prefill = [...prefillUp, ...prefillDown];

/** More blocks. */
export const denser = [0.2, 0.5].flatMap((density) =>
  [64, 2048].flatMap((n) => each('linear', { ...up, n, density })),
);

/** From few blocks to half of them, for few and for many rows of x. */
export const densities = [0.01, 0.05, 0.2, 0.3, 0.5].flatMap((density) =>
  [up, down].flatMap((size) => [16, 2048].flatMap((n) => each('linear', { ...size, n, density }))),
);

/** The plain product, with which the kinds of operations below are compared. */
export const plain = each('linear', { ...up, n: 1024 });

/** The same with an odd number of rows of x. */
export const odd = each('linear', { ...up, n: 1001 });

/** B and C of different order. */
export const mixedLayouts = [
  ...each('column-row', { ...up, n: 1024 }, { layoutB: 'column', layoutC: 'row' }),
  ...each('row-column', { ...up, n: 1024 }, { layoutB: 'row', layoutC: 'column' }),
];

/** Rows of B and C of a width that is no multiple of 8, and the next one that is. */
export const widths = [17, 24, 1001, 1008].flatMap((n) => each('row-row', { ...up, n }, {}));

/** Bias and activation, a residual, other types, in the layout of layers. */
export const fused = [
  ...each('linear.gelu', { ...up, n: 1024 }, { ...columnMajor, bias: 'yes', activation: 'gelu-tanh' }),
  ...each('linear.residual', { ...down, n: 1024 }, { ...columnMajor, residual: 'yes', beta: 1 }),
  ...each('linear.bf16', { ...up, n: 1024 }, { ...columnMajor, input: 'bf16', output: 'bf16' }),
  ...each('linear.f32', { ...up, n: 1024 }, { ...columnMajor, output: 'f32' }),
];

/** The former C or a residual added to the product, in several types and layouts; and the product alone. */
export const addends = [
  ...each('linear', { ...down, n: 1024 }),
  ...fused.filter(({ problem }) => problem.residual === 'yes'),
  ...each('linear.beta', { ...down, n: 1024 }, { ...columnMajor, beta: 1 }),
  ...each(
    'linear.residual-bf16',
    { ...down, n: 1024 },
    { ...columnMajor, input: 'bf16', output: 'bf16', residual: 'yes', beta: 1 },
  ),
  ...each(
    'linear.gelu-f32',
    { ...up, n: 1024 },
    { ...columnMajor, output: 'f32', bias: 'yes', activation: 'gelu-tanh' },
  ),
  ...each('row-row.residual', { ...down, n: 1008 }, { residual: 'yes', beta: 1 }),
];

/** The gradient of x: W transposed, B and C as before. */
export const gradients = each('gradient', { ...up, n: 1024 }, { ...columnMajor, transposeA: 'yes' });

/** Inputs of f32, of which products may round 11 bits. */
export const floats = each(
  'linear.tf32',
  { ...up, n: 1024 },
  { ...columnMajor, input: 'f32', output: 'f32', tf32: 'yes' },
);

/** Inputs of f32 whose products are not rounded: few and many rows of x, and row-major operands of a larger matrix. */
export const exactFloats = [
  ...[1, 16, 1024].flatMap((n) =>
    each('linear.exact', { ...up, n }, { ...columnMajor, input: 'f32', output: 'f32' }),
  ),
  ...each('exact', { m: 65536, k: 65536, n: 64, density: 0.01 }, { input: 'f32', output: 'f32' }),
];

/** Several products with one pattern. */
export const batches = each(
  'batch',
  { m: 2048, k: 2048, n: 512 },
  { ...columnMajor, batch: 8, batched: 'yes' },
);

/** Sizes that end within a block. */
export const partBlocks = each('linear', { m: 14300, k: 4088, n: 1024 });

export const layerWorkloads: readonly SpmmWorkload[] = [
  ...plain,
  ...odd,
  ...prefill,
  ...denser,
  ...densities.filter(({ id }) => !denser.some((known) => known.id === id)),
  ...mixedLayouts,
  ...widths,
  ...fused,
  ...addends.filter(({ id }) => !fused.some((known) => known.id === id)),
  ...gradients,
  ...floats,
  ...exactFloats,
  ...batches,
  ...partBlocks,
];
