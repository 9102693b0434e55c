import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test as base, beforeAll, type TestContext } from 'vitest';
import { loadFamily } from '../../src/discover.ts';
import { emitPackage } from '../../src/emit/package.ts';
import { localExecutor } from '../../src/exec/local.ts';
import { packageRoot } from '../../src/util/package-root.ts';
import { emitTestLibrary, hasTool } from './library.ts';

/** The same each time: cargo builds again what changed its place. */
export const rustOut = join(packageRoot, 'build', 'rust');

const env = { CARGO_TARGET_DIR: join(packageRoot, 'build', 'cargo'), CXXFLAGS: '-O1' };

export interface CargoResult {
  readonly code: number | undefined;
  readonly text: string;
}

/** Runs cargo in a folder of `rustOut`. */
export function cargo(folder: string, ...args: string[]): Promise<CargoResult> {
  return cargoWith({}, folder, ...args);
}

/** The same with further variables of the environment. */
export async function cargoWith(
  own: Readonly<Record<string, string>>,
  folder: string,
  ...args: string[]
): Promise<CargoResult> {
  const options = { cwd: join(rustOut, folder), env: { ...env, ...own }, timeoutMs: 1_500_000 };
  const { exitCode, stdout, stderr } = await localExecutor.run(['cargo', ...args], options);
  return { code: exitCode, text: stdout + stderr };
}

/** Emits the crates around a library of four small kernels. Returns why nothing can be compiled here, if so. */
async function emitCrates(folder: string): Promise<string | undefined> {
  if (!hasTool('cargo')) return 'cargo is not installed';
  rmSync(rustOut, { recursive: true, force: true });
  const small = 'path == "naive" && block == 64';
  const where = `${small} && input == "f16" && output == "f16"`;
  const single = `${small} && input == "f32" && output == "f32"`;
  const presets = ['fallback'];
  await emitTestLibrary({ out: rustOut, presets, where: `${where} || ${single}`, cuda: false });
  const of = await loadFamily('gemm');
  const dense = 'path == "naive" && element == "f16" && activation == "none"';
  await emitTestLibrary({ out: rustOut, of, where: dense, cuda: false });
  const sampled = await loadFamily('bsr-sddmm');
  await emitTestLibrary({ out: rustOut, of: sampled, where, cuda: false });
  await emitPackage('rust', rustOut, () => undefined);
  const own = join(packageRoot, 'test/fixtures/rust/operations.rs');
  cpSync(own, join(rustOut, 'rust/tilewright/tests/operations.rs'));
  const { code, text } = await cargo(folder, 'fetch');
  return code === 0 ? undefined : `crates could not be fetched: ${text.trim().split('\n').at(-1)}`;
}

interface Crates {
  /** A test that skips, and says why, where the crates cannot be compiled. */
  readonly test: (name: string, body: () => Promise<void>) => void;
  /** Reason that they cannot be built; undefined if they can. Known once the file's tests begin. */
  missing(): string | undefined;
}

/** The crates for the tests of a file: emitted before them. */
export function useCrates(folder: string): Crates {
  let missing: string | undefined;
  beforeAll(async () => {
    missing = await emitCrates(folder);
  }, 600_000);
  return {
    test: (name, body) =>
      base(name, { timeout: 1_500_000 }, async ({ skip }: TestContext) => {
        if (missing !== undefined) skip(missing);
        await body();
      }),
    missing: () => missing,
  };
}
