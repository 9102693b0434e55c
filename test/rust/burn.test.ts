// Burn takes minutes to compile: not part of `npm test`.
import { expect } from 'vitest';
import { cargo, cargoWith, useCrates } from '../helpers/rust.ts';
import { testToolchain } from '../helpers/toolchain.ts';

const { test } = useCrates('rust/burn-sparse');

test('burn-sparse: products, gradients and a layer that learns', async () => {
  const { code, text } = await cargo('rust/burn-sparse', 'test');
  expect(code, text).toBe(0);
  const names = ['products_are', 'gradients_are'].map((name) => `${name}_those_of_the_dense_matrix`);
  for (const name of [
    ...names,
    'products_of_f32_are_exact_unless_they_may_be_rounded',
    'gradients_of_f32_are_those_of_the_dense_matrix',
    'a_layer_learns',
    'matrices_and_layers_take_other_blocks',
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

test('burn-sparse: clippy and rustdoc have nothing to remark', async () => {
  const { code, text } = await cargo('rust/burn-sparse', 'clippy', '--all-targets', '--', '-D', 'warnings');
  expect(code, text).toBe(0);
  const documented = await cargo('rust/burn-sparse', 'doc', '--no-deps');
  expect(documented.code, documented.text).toBe(0);
  expect(documented.text).not.toMatch(/^warning: (?!tilewright-sys@)/m);
});

// To run it takes a GPU: bench/consumers.mjs --burn.
test('burn-sparse-cuda: clippy has nothing to remark of it and its example, against the CUDA backend of Burn 0.21', async () => {
  const { cudaHome } = await testToolchain();
  const { code, text } = await cargoWith(
    { CUDA_HOME: cudaHome },
    'rust/burn-sparse-cuda',
    ...['clippy', '--all-targets', '--', '-D', 'warnings'],
  );
  expect(code, text).toBe(0);
  expect(text).not.toMatch(/^warning: (?!tilewright-sys@)/m);
});
