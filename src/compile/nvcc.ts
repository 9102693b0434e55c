import { writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { cuda } from '../backends/index.ts';
import { UsageError } from '../errors.ts';
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

/** Form of device code that nvcc makes of a source. */
interface Form {
  readonly kind: string;
  /** `sm_90a`, `compute_80`. */
  readonly arch: string;
  readonly file: string;
  /** Flags that decide what the code is, beside its source. */
  readonly flags: readonly string[];
  /** Facts that are read from nvcc's words and from the code. */
  readonly facts: (stderr: string, path: string) => Pick<Outcome, 'resources' | 'kernels' | 'refusal'>;
}

/** Machine code of one architecture. */
function cubinOf(arch: Arch): Form {
  return {
    kind: 'cubin with kernels',
    arch: arch.name,
    file: 'kernel.cubin',
    flags: ['-cubin', '-std=c++17', '-O3', '-gencode', arch.gencode, '-Xptxas', '-v'],
    facts: (stderr, path) => {
      const resources = parsePtxas(stderr);
      const message = repaired(resources);
      return {
        resources,
        kernels: readCubin(path),
        ...(message && { refusal: { verdict: 'compile', message } }),
      };
    },
  };
}

/** Code that drivers compile for GPUs of this compute capability and of later ones. */
function ptxOf({ capability }: Arch): Form {
  const arch = `compute_${capability}`;
  return {
    kind: 'ptx',
    arch,
    file: 'kernel.ptx',
    flags: ['-ptx', '-std=c++17', '-O3', '-arch', arch],
    facts: () => ({}),
  };
}

/** The folders in which a rendered source finds its headers. */
function includeFolders(context: CompileContext): string[] {
  return [join(context.packageRoot, kit.device), context.familyFolder];
}

/** Characters that a shell replaces or ends at between double quotes, where nvcc puts each path. */
const shellCharacter = /["$`]/;

/** Throws a UsageError where nvcc cannot be given files of the artifacts' folder, or of others that it reads. */
export function mustSuitNvcc({ cacheRoot }: CompileContext, folders: readonly string[]): void {
  mustSuitShell(cacheRoot, 'name another folder with --out');
  for (const one of folders) mustSuitShell(one, 'move it to a folder without');
}

function mustSuitShell(folder: string, cure: string): void {
  const [character] = shellCharacter.exec(folder) ?? [];
  if (character === undefined) return;
  throw new UsageError(
    `nvcc takes no path with the character ${character}, which its shell reads: ${folder}; ${cure}`,
  );
}

/** nvcc's command line for one variant. */
function nvccArgv(
  file: string,
  output: string,
  { flags }: Form,
  compilers: Compilers,
  folders: readonly string[],
): string[] {
  return [
    compilers.nvcc,
    ...flags,
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
  return keyOf(source, cubinOf(arch), compilers, context);
}

function keyOf(source: Source, { kind, flags }: Form, compilers: Compilers, context: CompileContext): string {
  const includes = includeHash(source.text, includeFolders(context));
  return hashOf(kind, includes, flags.join(' '), compilers.nvccVersion);
}

/**
 * Compiles a rendered source to a cubin, or finds it in the cache. A source that nvcc refuses, or whose synchronisation
 * ptxas had to change, gives a verdict; a compiler that is missing or broken throws an EnvironmentError.
 */
export function compileCuda(
  source: Source,
  arch: Arch,
  compilers: Compilers,
  context: CompileContext,
): Promise<Artifact | Verdict> {
  return compileAs(cubinOf(arch), source, compilers, context);
}

/**
 * Compiles a rendered source to PTX of this architecture, or finds it in the cache. Verdicts and errors are those of
 * `compileCuda`; drivers make the machine code, so that nothing is known of its resources.
 */
export function compilePtx(
  source: Source,
  arch: Arch,
  compilers: Compilers,
  context: CompileContext,
): Promise<Artifact | Verdict> {
  return compileAs(ptxOf(arch), source, compilers, context);
}

async function compileAs(
  form: Form,
  source: Source,
  compilers: Compilers,
  context: CompileContext,
): Promise<Artifact | Verdict> {
  const key = keyOf(source, form, compilers, context);
  const asked = obtain(context, key, outcomeSchema, async (folder) => {
    const outcome = await produce(folder, source, form, compilers, context);
    mustBeUnchanged(key, keyOf(source, form, compilers, context), 'a header of the kernels');
    return outcome;
  });
  const entry = await entryOrVerdict(asked, source.variant.id, cuda.name);
  return 'verdict' in entry ? entry : artifactOf(entry, key, source, form);
}

function artifactOf(entry: Entry<Outcome>, key: string, source: Source, { arch, file }: Form): Artifact {
  const { seconds, resources, kernels } = entry.meta;
  return {
    source,
    device: cuda.name,
    arch,
    path: join(entry.folder, file),
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
  form: Form,
  compilers: Compilers,
  context: CompileContext,
): Promise<Outcome> {
  mustSuitNvcc(context, includeFolders(context));
  const file = join(folder, 'kernel.cu');
  writeFileSync(file, source.text);
  const output = join(folder, form.file);
  const argv = nvccArgv(file, output, form, compilers, includeFolders(context));
  const command = [...argv.slice(0, -2), `${source.variant.symbol}${extname(output)}`, source.path].join(' ');
  const works = () => compileEmpty(folder, form, compilers, context);
  const result = await callCompiler(argv, context, folder, { command, works });
  writeLog(folder, command, result);
  const { seconds } = result;
  if (result.exitCode !== 0) {
    const { verdict, message } = await refusalOf(result, works);
    return { seconds, command, refusal: { verdict, message: named(message, source) } };
  }
  return { seconds, command, ...form.facts(result.stderr, output) };
}

/** Proof that the compiler works at all. */
function compileEmpty(folder: string, form: Form, compilers: Compilers, context: CompileContext) {
  const file = join(folder, 'empty.cu');
  writeFileSync(file, 'extern "C" __global__ void empty() {}\n');
  const output = join(folder, `empty${extname(form.file)}`);
  return runCompiler(nvccArgv(file, output, form, compilers, []), context, folder, true);
}

/** The variant's own file name in place of the cache's. */
function named(message: string, source: Source): string {
  return message.replaceAll('kernel.cu', basename(source.path));
}
