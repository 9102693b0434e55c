import { describe, expect, it } from 'vitest';
import { defaultArch } from '../../../src/arch/index.ts';
import {
  type ArchFeature,
  defineFamily,
  defineOperation,
  defineParameters,
  madeFor,
} from '../../../src/model/family.ts';

const operation = defineOperation({
  name: 'toy',
  formula: 'y = act(x)',
  doc: 'x and y are arrays.',
  sizes: { count: { doc: 'elements' } },
  choices: {
    input: { kind: 'type', doc: 'element type of x', values: ['f16', 'bf16'] },
    activation: { kind: 'activation', doc: 'function act' },
    bias: { kind: 'switch', doc: 'bias added' },
  },
  operands: {},
  scalars: {},
});
const { specs, constraint, constraintOn } = defineParameters({
  path: { label: '', doc: 'Method.', values: ['naive', 'mma'] },
  input: madeFor(operation.choices.input),
  activation: madeFor(operation.choices.activation),
  bias: { label: 'bias', doc: 'No value of the choice.', values: [0, 1] },
  tile: { label: 't', doc: 'Elements of a tile.', values: [8, 16] },
});
const mma: readonly ArchFeature[] = ['cp.async', 'mma.bf16'];
const family = defineFamily({
  name: 'toy',
  summary: 'y = act(x)',
  operation,
  serves: () => ({}),
  derive: () => ({}),
  parameters: specs,
  constraints: [
    constraint('any', ['tile'], 'Anything.', () => true),
    constraintOn('mma', 'whole', ['tile'], 'Whole tiles (mma).', ({ tile }) => tile === 16),
  ],
  presets: {},
  needs: ({ path }) => (path === 'mma' ? mma : []),
  workloads: [],
  cases: () => [],
  priority: () => 0,
});
const point = { path: 'mma', input: 'bf16', activation: 'gelu-tanh', bias: 0, tile: 8 } as const;

describe('what a family leaves to its operation', () => {
  it('is the values of choices that its parameters name', () => {
    expect(family.serves(point)).toEqual({ input: ['bf16'], activation: ['gelu-tanh'] });
    const bias = ['no', 'yes'];
    expect(defineFamily({ ...family, serves: () => ({ bias, input: ['f16'] }) }).serves(point)).toEqual({
      ...{ input: ['f16'], activation: ['gelu-tanh'], bias },
    });
  });

  it('is their names in C++', () => {
    const names = { inputType: '__nv_bfloat16', activationName: 'gelu_tanh' };
    expect(family.derive(point, defaultArch)).toEqual(names);
    const derived = defineFamily({ ...family, derive: () => ({ threads: 32 }) });
    expect(derived.derive(point, defaultArch)).toEqual({ ...names, threads: 32 });
  });

  it('is the parameters that variants are made for one value of', () => {
    expect(specs.input).toEqual({ label: '', doc: 'Element type of x.', values: ['f16', 'bf16'] });
    expect(specs.activation.values).toEqual(['none', 'relu', 'gelu-tanh', 'gelu-erf', 'silu']);
  });
});

describe('defaults of a family', () => {
  it('count what needs instructions of tensor cores as multiplying on them', () => {
    expect(family.tensorCores(point)).toBe(true);
    expect(family.tensorCores({ ...point, path: 'naive' })).toBe(false);
  });

  it('hold a workload against the highest peak that its types leave', () => {
    const of = (problem: object) => family.arithmetic({ id: 'w', problem: { ...problem } });
    expect([of({}), of({ input: 'bf16' }), of({ input: 'f32' })]).toEqual(['f16', 'f16', 'tf32']);
  });
});

describe('a constraint on one path', () => {
  const [, whole] = family.constraints;
  const holds = whole?.holds as ((at: object, arch: unknown) => boolean) | undefined;

  it('reads the path beside its own parameters, and holds on all others', () => {
    expect(whole?.on).toEqual(['path', 'tile']);
    expect(holds?.({ path: 'naive', tile: 8 }, defaultArch)).toBe(true);
    expect(holds?.({ path: 'mma', tile: 8 }, defaultArch)).toBe(false);
    expect(holds?.({ path: 'mma', tile: 16 }, defaultArch)).toBe(true);
  });
});
