import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as base, beforeAll, describe, expect, type TestContext } from 'vitest';
import { loadFamily } from '../../src/discover.ts';
import { emitPackage } from '../../src/emit/package.ts';
import { localExecutor } from '../../src/exec/local.ts';
import { packageRoot } from '../../src/util/package-root.ts';
import { emitTestLibrary, hasTool } from '../helpers/library.ts';

/** The same each time: cargo builds again what changed its place. */
const out = join(packageRoot, 'build', 'rust');
const env = { CARGO_TARGET_DIR: join(packageRoot, 'build', 'cargo'), CXXFLAGS: '-O1' };

async function cargo(...args: string[]): Promise<{ code: number | undefined; text: string }> {
  return cargoIn(join(out, 'rust'), ...args);
}

async function cargoIn(cwd: string, ...args: string[]): Promise<{ code: number | undefined; text: string }> {
  const options = { cwd, env, timeoutMs: 600_000 };
  const { exitCode, stdout, stderr } = await localExecutor.run(['cargo', ...args], options);
  return { code: exitCode, text: stdout + stderr };
}

/** Why nothing can be compiled here. */
let missing: string | undefined;

const test = (name: string, body: () => Promise<void>) =>
  base(name, { timeout: 600_000 }, async ({ skip }: TestContext) => {
    if (missing !== undefined) skip(missing);
    await body();
  });

describe('gen emit --rust', () => {
  beforeAll(async () => {
    if (!hasTool('cargo')) {
      missing = 'cargo is not installed';
      return;
    }
    rmSync(out, { recursive: true, force: true });
    await emitTestLibrary({ out, chosen: /\.naive\.b64\.f16\.f16/, cuda: false });
    const of = await loadFamily('gemm');
    await emitTestLibrary({ out, of, chosen: /\.naive\.f16\.none/, cuda: false });
    await emitPackage('rust', out, () => undefined);
    const own = join(packageRoot, 'test/fixtures/rust/operations.rs');
    cpSync(own, join(out, 'rust/tilewright/tests/operations.rs'));
    const { code, text } = await cargo('fetch');
    if (code !== 0) missing = `crates could not be fetched: ${text.trim().split('\n').at(-1)}`;
  }, 120_000);

  test('declares what the C headers declare, and runs both operations on slices', async () => {
    const { code, text } = await cargo('test', '--workspace');
    expect(code, text).toBe(0);
    expect(text).toContain('agrees_with_the_headers ... ok');
    for (const name of [
      'sparse_times_dense',
      'threads_share_a_plan',
      'dense_product',
      'refusals_are_sentences',
    ])
      expect(text).toContain(`test ${name} ... ok`);
  });

  test('is what a project elsewhere depends on', async () => {
    const consumer = join(out, 'consumer');
    cpSync(join(packageRoot, 'examples/rust-consumer'), consumer, { recursive: true });
    const manifest = join(consumer, 'Cargo.toml');
    const text = readFileSync(manifest, 'utf8');
    writeFileSync(manifest, text.replace('../../generated/rust', '../rust'));
    const { code, text: output } = await cargoIn(consumer, 'run');
    expect(code, output).toBe(0);
    expect(output).toMatch(/^Emulated: .* by bsr_spmm\.naive.*\nPASS$/m);
  });

  test('has examples, and nothing that clippy or rustdoc remarks on', async () => {
    expect((await cargo('run', '-p', 'tilewright', '--example', 'library')).text).toContain('Emulated');
    const { code, text } = await cargo('clippy', '--workspace', '--all-targets', '--', '-D', 'warnings');
    expect(code, text).toBe(0);
    const documented = await cargo('doc', '--workspace', '--no-deps');
    expect(documented.code, documented.text).toBe(0);
    expect(documented.text).not.toContain('warning');
  });
});
