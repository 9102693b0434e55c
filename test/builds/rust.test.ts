import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { packageRoot } from '../../src/util/package-root.ts';
import { cargo, rustOut, useCrates } from '../helpers/rust.ts';

const { test } = useCrates('rust');

describe('gen emit --rust', () => {
  test('declares what the C headers declare, and runs both operations on slices', async () => {
    const { code, text } = await cargo('rust', 'test', '--workspace');
    expect(code, text).toBe(0);
    const names = [
      'sparse_times_dense',
      'threads_share_a_plan',
      'plans_take_other_patterns_in_place',
      'dense_product',
      'product_sampled_at_blocks',
      'product_sampled_at_blocks_that_end_behind_the_matrix',
      'contexts_settle_calls',
      'patterns_take_other_indices_in_place',
      'groups_of_calls_run_as_a_whole',
      'groups_of_plans_run_as_a_whole',
    ];
    for (const name of ['agrees_with_the_headers', ...names, 'refusals_are_sentences'])
      expect(text).toContain(`test ${name} ... ok`);
  });

  test('is what a project elsewhere depends on', async () => {
    const consumer = join(rustOut, 'consumer');
    cpSync(join(packageRoot, 'examples/rust-consumer'), consumer, { recursive: true });
    const manifest = join(consumer, 'Cargo.toml');
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('../../generated/rust', '../rust'));
    const { code, text } = await cargo('consumer', 'run');
    expect(code, text).toBe(0);
    expect(text).toMatch(/^Emulated: .* by bsr_spmm\.naive.*\nPASS$/m);
  });

  test('has examples, and nothing that clippy or rustdoc remarks on', async () => {
    expect((await cargo('rust', 'run', '-p', 'tilewright', '--example', 'library')).text).toContain(
      'Emulated',
    );
    const { code, text } = await cargo(
      'rust',
      ...['clippy', '--workspace', '--all-targets', '--', '-D', 'warnings'],
    );
    expect(code, text).toBe(0);
    const documented = await cargo('rust', 'doc', '--workspace', '--no-deps');
    expect(documented.code, documented.text).toBe(0);
    expect(documented.text).not.toMatch(/^warning: (?!tilewright-sys@)/m);
  });
});
