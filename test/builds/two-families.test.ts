// The operations of two families in one emitted library, called by one C program on the emulated device.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadFamily } from '../../src/discover.ts';
import { installLibrary } from '../../src/emit/install.ts';
import { localExecutor } from '../../src/exec/local.ts';
import { packageRoot } from '../../src/util/package-root.ts';
import { emitTestLibrary, toolFolders } from '../helpers/library.ts';

async function run(argv: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const { exitCode, stdout, stderr } = await localExecutor.run(argv, { env });
  expect(exitCode, `${argv.join(' ')}\n${stdout}${stderr}`).toBe(0);
  return stdout;
}

test('a library has bsr_spmm and gemm, and both give the same product', { timeout: 600_000 }, async () => {
  const root = await mkdtemp(join(tmpdir(), 'tilewright-two-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const out = join(root, 'out');
  const where = 'path == "mma" && block == 64 && input == "f16" && output == "f16"';
  await emitTestLibrary({ out, cuda: false, where });
  const gemm = { out, cuda: false, of: await loadFamily('gemm') };
  const dense =
    'element == "f16" && (path == "wgmma" && activation == "none" || path == "naive" && activation == "relu")';
  const library = await emitTestLibrary({ ...gemm, where: dense });
  expect(Object.keys(library.manifest.operations)).toEqual(['bsr_spmm', 'gemm']);

  const installed = join(root, 'installed');
  const define = { CMAKE_CXX_FLAGS: '-O1', CMAKE_BUILD_TYPE: 'None' };
  await installLibrary(library.path, installed, localExecutor, {
    ...{ define, toolFolders, buildFolder: join(root, 'build') },
    ...({ shared: true, cuda: 'off' } as const),
  });
  const source = join(packageRoot, 'test/fixtures/c/dense_and_sparse.c');
  const warnings = ['-std=c11', '-Wall', '-Wextra', '-Werror'];
  const flags = ['-I', join(installed, 'include'), '-L', join(installed, 'lib'), '-ltilewright_emulated'];
  await run(['gcc', ...warnings, source, '-o', join(root, 'both'), ...flags]);
  const text = await run([join(root, 'both')], { LD_LIBRARY_PATH: join(installed, 'lib') });
  expect(text).toMatch(/^bsr_spmm\.mma\.\S+\ngemm\.wgmma\.\S+\ngemm\.naive\.relu-\w+\nPASS\n$/);
});
