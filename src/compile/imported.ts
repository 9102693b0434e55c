import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cuda, emulated } from '../backends/index.ts';
import type { Arch } from '../model/arch.ts';
import type { Artifact } from '../model/artifact.ts';
import type { Source } from '../model/variant.ts';
import type { Verdict } from '../model/verdict.ts';
import { hashOf } from '../util/hash.ts';
import { kit } from '../util/package-root.ts';
import { obtain } from './cache.ts';
import type { CompileContext, Compilers } from './context.ts';
import { blameMachine, firstError } from './diagnosis.ts';
import { includeHash } from './includes.ts';
import { mustSuitNvcc } from './nvcc.ts';
import { callCompiler, entryOrVerdict, outcomeSchema, writeLog } from './outcome.ts';

/** Whether a text is host code around a kernel of another compiler, as `gen import-triton` writes it. */
export function isImported(text: string): boolean {
  return /^TW_IMPORTED\(\w+, /m.test(text);
}

/** The reason why there is no emulated form of such a kernel. */
export const notEmulatedReason =
  'not supported by the emulated device: it runs kernels as C++, and an imported one is machine code; gate it on a GPU with --device cuda';

export function notEmulated({ variant }: Source): Verdict {
  return {
    variant: variant.id,
    device: emulated.name,
    verdict: 'compile',
    evidence: { message: notEmulatedReason },
  };
}

const flags = ['-shared', '-std=c++17', '-O2', '-x', 'cu', '-Xcompiler', '-fPIC'];

/** Compiles the host code around an imported kernel into a shared object that the runner of the device `cuda` loads. */
export async function compileImported(
  source: Source,
  arch: Arch,
  compilers: Pick<Compilers, 'nvcc' | 'nvccVersion' | 'cxx'>,
  context: CompileContext,
): Promise<Artifact | Verdict> {
  const { packageRoot, familyFolder } = context;
  const folders = [join(packageRoot, 'harness/cuda'), join(packageRoot, kit.device), familyFolder];
  const key = hashOf(
    'imported kernel',
    includeHash(source.text, folders),
    [...flags, arch.gencode].join(' '),
    compilers.nvccVersion,
  );
  const asked = obtain(context, key, outcomeSchema, async (folder) => {
    mustSuitNvcc(context, folders);
    const file = join(folder, 'imported.cu');
    writeFileSync(file, source.text);
    const output = join(folder, 'imported.so');
    const includes = folders.flatMap((one) => ['-I', one]);
    const argv = [compilers.nvcc, ...flags, '-gencode', arch.gencode, '-ccbin', compilers.cxx, ...includes];
    const command = [...argv, '-o', output, file];
    const result = await callCompiler(command, context, folder);
    const { seconds } = result;
    writeLog(folder, command.join(' '), result);
    if (result.exitCode === 0) return { seconds, command: command.join(' ') };
    blameMachine(result.stderr);
    const message = `the arguments of the imported kernel: ${firstError(result.stderr)}`;
    return { seconds, command: command.join(' '), refusal: { verdict: 'compile' as const, message } };
  });
  const entry = await entryOrVerdict(asked, source.variant.id, cuda.name);
  if ('verdict' in entry) return entry;
  const { cached, folder, meta } = entry;
  const path = join(folder, 'imported.so');
  return {
    source,
    device: cuda.name,
    arch: arch.name,
    path,
    key,
    cached,
    seconds: cached ? 0 : meta.seconds,
  };
}
