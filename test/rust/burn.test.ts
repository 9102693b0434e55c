// Burn takes minutes to compile: not part of `npm test`.
import { expect } from 'vitest';
import { cargo, useCrates } from '../helpers/rust.ts';

const { test } = useCrates('rust/burn-sparse');

test('burn-sparse: products, gradients and a layer that learns', async () => {
  const { code, text } = await cargo('rust/burn-sparse', 'test');
  expect(code, text).toBe(0);
  const names = ['products_are', 'gradients_are'].map((name) => `${name}_those_of_the_dense_matrix`);
  for (const name of [
    ...names,
    'a_layer_learns',
    'kernels_can_be_chosen_by_measuring',
    'other_types_are_refused',
  ])
    expect(text).toMatch(new RegExp(`test ${name}( - should panic)? ... ok`));
});

test('burn-sparse: the example runs', async () => {
  const { code, text } = await cargo('rust/burn-sparse', 'run', '--example', 'layer');
  expect(code, text).toBe(0);
  expect(text).toContain('gradient of the stored blocks [2, 64, 64]');
});
