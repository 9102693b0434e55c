import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installLibrary } from '../../src/emit/install.ts';
import { localExecutor } from '../../src/exec/local.ts';
import { packageRoot } from '../../src/util/package-root.ts';
import { emitTestLibrary, toolEnvironment, toolFolders } from '../helpers/library.ts';

/** One variant of every way in which problems are refused: vector loads, TMA, pairs of elements, known rows, known columns, blocks. */
const chosen = new RegExp(
  [
    String.raw`naive\.b64`,
    String.raw`simt\.b32`,
    String.raw`mma\.b32\.f16\.f32`,
    String.raw`mma\.b64\.(bf16|pw4)`,
    String.raw`wgmma\.b32\.(?!b?f).*rows`,
    String.raw`wgmma\.b64\.f16\.f32.*rows(?!.*wd1)`,
    String.raw`wgmma\.b128\.(?!b?f).*overlap`,
    String.raw`narrow\.b32\.tn16.*pt2`,
  ]
    .map((one) => String.raw`^bsr_spmm\.${one}`)
    .join('|'),
);

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tilewright-calls-'));
  const presets = ['quick', 'hopper-types', 'narrow'];
  const { path } = await emitTestLibrary({ out: join(root, 'out'), presets, chosen, cuda: false });
  const define = { CMAKE_CXX_FLAGS: '-O1', CMAKE_BUILD_TYPE: 'None' };
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
