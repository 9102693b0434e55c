import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installLibrary } from '../../src/emit/install.ts';
import { localExecutor } from '../../src/exec/local.ts';
import { packageRoot } from '../../src/util/package-root.ts';
import { emitTestLibrary, toolEnvironment, toolFolders } from '../helpers/library.ts';

/** One variant of every way in which problems are refused: vector loads, TMA, pairs of elements, known rows, known columns, blocks, blocks in order. */
const where = [
  'path == "naive" && block == 64',
  'path == "simt" && block == 32',
  'path == "mma" && block == 32 && output == "f32"',
  'path == "mma" && block == 64 && (input == "bf16" || producers == 4)',
  'path == "wgmma" && block == 32 && input == "f16" && output == "f16" && role == "rows"',
  'path == "wgmma" && block == 64 && output == "f32" && role == "rows" && wgmmaDepth == 0',
  'path == "wgmma" && block == 128 && input == "f16" && epilogue == "overlap"',
  'path == "narrow" && block == 32 && tileN == 16 && parts == 2',
  'path == "multirow" && layoutB == "row" && layoutC == "row"',
  'path == "general" && block == 64 && layoutB == "row" && layoutC == "row" && input == "f16" && output == "f16" && transposeA == false',
].join(' || ');

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tilewright-calls-'));
  const presets = ['quick', 'hopper-types', 'narrow', 'multirow-kinds', 'every-cell'];
  const { path } = await emitTestLibrary({ out: join(root, 'out'), presets, where, cuda: false });
  const define = { CMAKE_CXX_FLAGS: '-O1', CMAKE_BUILD_TYPE: 'None', TILEWRIGHT_EMULATE_ALL: 'ON' };
  await installLibrary(path, join(root, 'prefix'), localExecutor, { cuda: 'off', define, toolFolders });
}, 600_000);
afterAll(() => rm(root, { recursive: true, force: true }));

test('random calls of the C interface are right, or refused with a reason', {
  timeout: 300_000,
}, async () => {
  const source = join(packageRoot, 'test', 'fixtures', 'c', 'random_calls.cpp');
  const [program, lib] = [join(root, 'random_calls'), join(root, 'prefix', 'lib')];
  const flags = ['-std=c++17', '-O1', '-Wall', '-Wextra', '-Werror'];
  const library = ['-I', join(root, 'prefix', 'include'), '-L', lib, '-ltilewright_emulated'];
  const run = (argv: readonly string[]) =>
    localExecutor.run(argv, { env: { ...toolEnvironment, LD_LIBRARY_PATH: lib }, timeoutMs: 300_000 });
  const built = await run(['g++', ...flags, source, '-o', program, ...library]);
  expect(built.exitCode, built.stderr).toBe(0);
  const { exitCode, stdout, stderr } = await run([program, '6000']);
  expect(exitCode, stdout + stderr).toBe(0);
  const served = Number(/^served (\d+)$/m.exec(stdout)?.[1]);
  expect(served).toBeGreaterThan(1000);
});
