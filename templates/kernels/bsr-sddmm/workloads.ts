import type { Workload } from '../../../src/model/family.ts';

const blocks = [16, 32, 64, 128];

interface Sizes {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

/** A product sampled at random blocks; by default X and Y are row-major, as in attention. */
function each(name: string, sizes: Sizes, density: number, layout: 'row' | 'column' = 'row'): Workload[] {
  const pattern = { kind: 'random', density };
  return blocks.map((block) => ({
    id: `${name}.b${block}`,
    problem: {
      ...{ ...sizes, block, pattern, input: 'f16', output: 'f16', layoutX: layout, layoutY: layout },
      ...{ values: 'normal', seed: 1 },
    },
  }));
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
export const workloads: readonly Workload[] = [...small, ...main];
