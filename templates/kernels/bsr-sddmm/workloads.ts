import { combinations, type Workload } from '../../../src/model/family.ts';
import type { Pattern } from './features.ts';

const blocks = [16, 32, 64, 128];

interface Sizes {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

/** Fields of a workload's problem that tell calls apart. */
export interface Problem extends Sizes {
  readonly block: number;
  readonly batch?: number;
  readonly pattern: Pattern;
}

type Fields = Readonly<Record<string, unknown>>;

/** A product sampled at blocks of a pattern; by default X and Y are row-major, as in attention. */
function of(
  name: string,
  sizes: Sizes,
  patternOf: (block: number) => Fields,
  fields: Fields = {},
): Workload[] {
  return blocks.map((block) => ({
    id: `${name}.b${block}`,
    problem: {
      ...{ ...sizes, block, pattern: patternOf(block), input: 'f16', output: 'f16' },
      ...{ layoutX: 'row', layoutY: 'row', values: 'normal', seed: 1, ...fields },
    },
  }));
}
/** Random blocks. */
function each(name: string, sizes: Sizes, density: number, layout: 'row' | 'column' = 'row'): Workload[] {
  return of(name, sizes, () => ({ kind: 'random', density }), { layoutX: layout, layoutY: layout });
}
const square = (size: number) => ({ m: size, n: size, k: size });

/** Small enough for any GPU. */
export const small = each('1024.d12', square(1024), 0.125);
/** The weight gradient of y = x W^T over `k` rows of x is dy^T x: both factors are column-major. */
const gradient = each('gradient.14336x4096x8192.d10', { m: 14336, n: 4096, k: 8192 }, 0.1, 'column');
export const main = [
  ...each('4096.d12', square(4096), 0.125),
  ...each('8192.d12', square(8192), 0.125),
  ...gradient,
];
/** Scores of 32 heads that look 512 places to either side. */
const heads = of(
  'heads.32x4096x128.w512',
  { m: 4096, n: 4096, k: 128 },
  (block) => ({ kind: 'banded', width: 512 / block }),
  { batch: 32, batched: 'yes' },
);
/** Eight experts, each with tokens of its own: their products lie along the diagonal of one matrix. */
const experts = of('experts.8x1024x1024x4096', { m: 8192, n: 8192, k: 4096 }, (block) => ({
  kind: 'block-diagonal',
  size: 1024 / block,
}));
export const layers = [...heads, ...experts];

const orders = ['row', 'column'] as const;
/** Every pair of types, for every pair of orders. */
export const kinds = combinations({
  input: ['f16', 'bf16'],
  output: ['f16', 'bf16', 'f32'],
  layoutX: orders,
  layoutY: orders,
}).flatMap((fields) =>
  of(
    `4096.d12.${fields.input}.${fields.output}.x${fields.layoutX}.y${fields.layoutY}`,
    square(4096),
    () => ({ kind: 'random', density: 0.125 }),
    fields,
  ),
);
export const workloads: readonly Workload[] = [...small, ...main, ...layers, ...kinds];
