import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { cuda } from '../backends/index.ts';
import type { Arch } from '../model/arch.ts';
import type { Artifact } from '../model/artifact.ts';
import type { Source } from '../model/variant.ts';
import type { Verdict } from '../model/verdict.ts';
import { hashOf } from '../util/hash.ts';
import { kit } from '../util/package-root.ts';
import { type Entry, mustBeUnchanged, obtain } from './cache.ts';
import type { CompileContext, Compilers } from './context.ts';
import { readCubin } from './cubin.ts';
import { includeHash } from './includes.ts';
import {
  callCompiler,
  entryOrVerdict,
  type Outcome,
  outcomeSchema,
  refusalOf,
  runCompiler,
  writeLog,
} from './outcome.ts';
import { parsePtxas, repaired } from './ptxas.ts';

/** Flags that decide what the cubin is, beside its source. */
function flagsOf(arch: Arch): string[] {
  return ['-cubin', '-std=c++17', '-O3', '-gencode', arch.gencode, '-Xptxas', '-v'];
}

/** The folders in which a rendered source finds its headers. */
function includeFolders(context: CompileContext): string[] {
  return [join(context.packageRoot, kit.device), context.familyFolder];
}

/** nvcc's command line for one variant. */
function nvccArgv(
  file: string,
  output: string,
  arch: Arch,
  compilers: Compilers,
  folders: readonly string[],
): string[] {
  return [
    compilers.nvcc,
    ...flagsOf(arch),
    '-ccbin',
    compilers.cxx,
    ...folders.flatMap((folder) => ['-I', folder]),
    '-o',
    output,
    file,
  ];
}

/** Content key of a variant's cubin. */
export function cudaKey(source: Source, arch: Arch, compilers: Compilers, context: CompileContext): string {
  return hashOf(
    'cubin with kernels',
    includeHash(source.text, includeFolders(context)),
    flagsOf(arch).join(' '),
    compilers.nvccVersion,
  );
}

/**
 * Compiles a rendered source to a cubin, or finds it in the cache. A source that nvcc refuses, or whose synchronisation
 * ptxas had to change, gives a verdict; a compiler that is missing or broken throws an EnvironmentError.
 */
export async function compileCuda(
  source: Source,
  arch: Arch,
  compilers: Compilers,
  context: CompileContext,
): Promise<Artifact | Verdict> {
  const key = cudaKey(source, arch, compilers, context);
  const asked = obtain(context, key, outcomeSchema, async (folder) => {
    const outcome = await produce(folder, source, arch, compilers, context);
    mustBeUnchanged(key, cudaKey(source, arch, compilers, context), 'a header of the kernels');
    return outcome;
  });
  const entry = await entryOrVerdict(asked, source.variant.id, cuda.name);
  return 'verdict' in entry ? entry : artifactOf(entry, key, source, arch);
}

function artifactOf(entry: Entry<Outcome>, key: string, source: Source, arch: Arch): Artifact {
  const { seconds, resources, kernels } = entry.meta;
  return {
    source,
    device: cuda.name,
    arch: arch.name,
    path: join(entry.folder, 'kernel.cubin'),
    key,
    cached: entry.cached,
    seconds: entry.cached ? 0 : seconds,
    ...(resources && { resources }),
    ...(kernels && { kernels }),
  };
}

async function produce(
  folder: string,
  source: Source,
  arch: Arch,
  compilers: Compilers,
  context: CompileContext,
): Promise<Outcome> {
  const file = join(folder, 'kernel.cu');
  writeFileSync(file, source.text);
  const argv = nvccArgv(file, join(folder, 'kernel.cubin'), arch, compilers, includeFolders(context));
  const command = [...argv.slice(0, -2), `${source.variant.symbol}.cubin`, source.path].join(' ');
  const works = () => compileEmpty(folder, arch, compilers, context);
  const result = await callCompiler(argv, context, folder, { command, works });
  writeLog(folder, command, result);
  const { seconds } = result;
  if (result.exitCode !== 0) {
    const { verdict, message } = await refusalOf(result, works);
    return { seconds, command, refusal: { verdict, message: named(message, source) } };
  }
  const resources = parsePtxas(result.stderr);
  const kernels = readCubin(join(folder, 'kernel.cubin'));
  const message = repaired(resources);
  return {
    seconds,
    command,
    resources,
    kernels,
    ...(message && { refusal: { verdict: 'compile', message } }),
  };
}

/** Proof that the compiler works at all. */
function compileEmpty(folder: string, arch: Arch, compilers: Compilers, context: CompileContext) {
  const file = join(folder, 'empty.cu');
  writeFileSync(file, 'extern "C" __global__ void empty() {}\n');
  return runCompiler(nvccArgv(file, join(folder, 'empty.cubin'), arch, compilers, []), context, folder);
}

/** The variant's own file name in place of the cache's. */
function named(message: string, source: Source): string {
  return message.replaceAll('kernel.cu', basename(source.path));
}
