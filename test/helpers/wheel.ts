import { join } from 'node:path';
import { loadFamily } from '../../src/discover.ts';
import { emitPackage } from '../../src/emit/package.ts';
import { localExecutor } from '../../src/exec/local.ts';
import { packageRoot } from '../../src/util/package-root.ts';
import { emitTestLibrary, toolFolders } from './library.ts';

/** Folder of the Python tests. */
export const pythonTests = join(packageRoot, 'test', 'fixtures', 'python');

/** Emits a small library of three operations into `out`, and gives the path of its wheel. Takes a minute. */
export async function emitTestWheel(out: string): Promise<string> {
  const half =
    'input == "f16" && output == "f16" && (path == "naive" || path == "mma" && tileN == 128 && tileK == 64)';
  const where = `block == 64 && (${half} || input == "f32" && path == "naive")`;
  await emitTestLibrary({ out, presets: ['quick', 'exact'], where, cuda: false });
  const of = await loadFamily('gemm');
  const dense = 'path == "naive" && element == "f16" && activation in ["none", "relu"]';
  await emitTestLibrary({ out, of, where: dense, cuda: false });
  const sampled = await loadFamily('bsr-sddmm');
  const exact = 'path == "naive" && block == 64 && input == "f16" && output == "f16"';
  await emitTestLibrary({ out, of: sampled, where: exact, cuda: false });
  // g++ takes minutes to optimise what takes seconds to run.
  const define = { CMAKE_CXX_FLAGS: '-O1', CMAKE_BUILD_TYPE: 'None' };
  const tools = async () => ({ executor: localExecutor, define, toolFolders, cuda: 'off' as const });
  return emitPackage('python', out, () => undefined, tools);
}
