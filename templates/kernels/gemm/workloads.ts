import { combinations, type Workload } from '../../../src/model/family.ts';
import { type Point, parameters } from './parameters.ts';

const { element, activation } = parameters.specs;

/** Square products of a size: `4096`, `4096.bf16`, `1024.relu` and so on. */
const squares = (size: number, activations: readonly Point['activation'][]) =>
  combinations({ element: element.values, activation: activations }).map(
    ({ element, activation }): Workload => ({
      id: [size, element, activation].filter((word) => word !== 'f16' && word !== 'none').join('.'),
      problem: { m: size, n: size, k: size, element, activation, values: 'normal', seed: 1 },
    }),
  );

const small = squares(1024, activation.values);
const large = [2048, 4096, 8192].flatMap((size) => squares(size, ['none']));
const ids = (workloads: readonly Workload[]) => workloads.map(({ id }) => id);

export const workloads: readonly Workload[] = [...small, ...large];
export const [smallIds, largeIds] = [ids(small), ids(large)];
/** Workloads of the evidence. */
export const mainIds = ['4096', '8192'];
