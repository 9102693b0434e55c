import type { Workload } from '../../../src/model/family.ts';
import { type Point, parameters } from './parameters.ts';

/** Square products of a size: `4096`, `4096.bf16`, `1024.relu` and so on. */
const squares = (
  size: number,
  elements: readonly Point['element'][],
  activations: readonly Point['activation'][],
) =>
  elements.flatMap((element) =>
    activations.map((activation): Workload => {
      const words = [
        `${size}`,
        element === 'f16' ? [] : element,
        activation === 'none' ? [] : activation,
      ].flat();
      const problem = { m: size, n: size, k: size, element, activation, values: 'normal', seed: 1 };
      return { id: words.join('.'), problem };
    }),
  );

const { element: elements, activation: activations } = parameters.specs;
const small = squares(1024, elements.values, activations.values);
const large = [2048, 4096, 8192].flatMap((size) => squares(size, elements.values, ['none']));
const ids = (workloads: readonly Workload[]) => workloads.map(({ id }) => id);

export const workloads: readonly Workload[] = [...small, ...large];
export const [smallIds, largeIds] = [ids(small), ids(large)];
/** Workloads of the evidence. */
export const mainIds = ['4096', '8192'];
