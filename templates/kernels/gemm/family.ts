import { defineFamily, type Workload } from '../../../src/model/family.ts';
import { casesOf } from './cases.ts';
import { operation } from './operation.ts';
import { loadElements, type Point, parameters, tileOf } from './parameters.ts';

const elementTypes = { f16: '__half', bf16: '__nv_bfloat16' } as const;

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

export default defineFamily<typeof parameters.specs>({
  name: 'gemm',
  summary: 'C[M,N] = act(alpha * A[M,K] * B[K,N] + beta * C + bias), row-major, f16 or bf16',
  operation,
  serves: ({ element, activation }) => ({
    element: [element],
    activation: [activation],
    bias: ['no', 'yes'],
  }),
  parameters: parameters.specs,
  activations: [],
  constraints: [],
  presets: {
    quick: { doc: 'Every path, type and activation once.', workloads: ids(small) },
    default: { doc: 'Every variant.', workloads: ['4096', '8192'] },
    full: { doc: 'Every variant.', workloads: ids([...small, ...large]) },
  },
  templates: ['naive.cu.hbs'],
  template: ({ path }) => `${path}.cu.hbs`,
  derive: (point) => ({
    elementType: elementTypes[point.element],
    activationName: point.activation.replace('-', '_'),
    tileM: tileOf(point).m,
    tileN: tileOf(point).n,
    loadBytes: 2 * loadElements(point),
    threads: 256,
    sharedBytes: 0,
  }),
  budget: () => ({ threads: 256, sharedBytes: 0 }),
  notSupported: () => undefined,
  workloads: [...small, ...large],
  cases: casesOf,
  generality: (point) => (loadElements(point) === 1 ? 1 : 0),
  priority: () => 0,
  deterministic: () => true,
});
