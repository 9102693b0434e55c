import { localExecutor } from '../exec/local.ts';
import { shortPath } from '../report/format.ts';
import { newKernel } from '../scaffold.ts';
import type { PartName } from '../toolchain/parts.ts';
import { ensureToolchain } from '../toolchain/toolchain.ts';
import { exitCode } from './exit.ts';
import { printLine, remark } from './output.ts';

/** `gen toolchain install`. */
export async function installToolchain(
  wanted: readonly Exclude<PartName, 'compile'>[],
  quiet: boolean,
): Promise<number> {
  const progress = remark;
  const toolchain = await ensureToolchain({ executor: localExecutor, install: true, with: wanted, progress });
  if (!quiet) printLine(`CUDA ${toolchain.nvccVersion} (${toolchain.origin}) in ${toolchain.cudaHome}`);
  return exitCode.done;
}

/** `gen new kernel`. */
export function newFamily(name: string, like: string | undefined): number {
  printLine(shortPath(newKernel(name, process.cwd(), like)));
  remark(`it passes as it stands; gate it with: npx gen sweep ${name} --preset quick`);
  return exitCode.done;
}
