import { type Cell, combinations } from '../../../src/model/family.ts';
import { parameters } from './parameters.ts';

const { element: elements, activation: activations } = parameters.specs;

/** Classes of sizes: of rows of 16-byte multiples, with one of C's rows alone, and with rows of B and C, or of A, that are none. */
const sizes: Readonly<Record<string, Record<'m' | 'n' | 'k', number>>> = {
  'one row': { m: 1, n: 264, k: 200 },
  even: { m: 130, n: 266, k: 198 },
  'odd n': { m: 130, n: 263, k: 200 },
  'odd k': { m: 130, n: 264, k: 199 },
  'multiple of 8': { m: 130, n: 264, k: 200 },
};

/** Every type, activation and class of sizes. */
export const cells: readonly Cell[] = combinations({
  element: elements.values,
  activation: activations.values,
  column: Object.keys(sizes),
}).map(({ element, activation, column }) => ({
  row: activation === 'none' ? element : `${element}, ${activation}`,
  column,
  problem: { ...sizes[column], element, activation, values: 'integers', seed: 1 },
}));
