import { rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { emulated } from '../backends/index.ts';
import { EnvironmentError } from '../errors.ts';
import type { Artifact } from '../model/artifact.ts';
import type { Source } from '../model/variant.ts';
import type { Verdict } from '../model/verdict.ts';
import { hashOf } from '../util/hash.ts';
import { kit } from '../util/package-root.ts';
import { mustBeUnchanged, obtain } from './cache.ts';
import type { CompileContext, Compilers } from './context.ts';
import { blameMachine, ending, firstError } from './diagnosis.ts';
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

/**
 * `-fsanitize=thread` only instruments: it makes every load and store call a function, which the runner defines. The
 * sanitizers' own libraries are not linked. `-fsanitize=alignment` checks the pointers to vectors: their accesses are split into
 * those of the elements before `-fsanitize=thread` sees them.
 */
export const emulatedFlags = [
  '-std=c++20',
  '-O1',
  '-g1',
  '-fPIC',
  '-DTW_EMULATED',
  '-fno-strict-aliasing',
  '-ftrivial-auto-var-init=pattern',
  '-fsanitize=thread',
  '--param',
  'tsan-instrument-func-entry-exit=0',
  '--param',
  'tsan-distinguish-volatile=1',
  '-fsanitize=bounds',
  '-fsanitize=alignment',
  '-fstack-clash-protection',
];

const header = 'ptx.hpp';
const headerText = '#include "tw/ptx.cuh"\n';

function ownFolders(context: CompileContext): string[] {
  return [join(context.packageRoot, kit.device), context.familyFolder];
}

function folderFlags(compilers: Compilers, context: CompileContext): string[] {
  return [
    ...ownFolders(context).flatMap((folder) => ['-I', folder]),
    ...['include', 'include/cccl'].flatMap((folder) => ['-isystem', join(compilers.cudaHome, folder)]),
  ];
}

/** The CUDA toolkit counts because its headers define the half types. */
function keyOf(kind: string, text: string, compilers: Compilers, context: CompileContext): string {
  const includes = includeHash(text, ownFolders(context));
  return hashOf(
    kind,
    includes,
    emulatedFlags.join(' '),
    compilers.cxxVersion,
    compilers.nvccVersion,
    process.arch,
  );
}

/**
 * Compiles a rendered source with g++ to a shared object that a runner of the device `emulated` loads. Verdict
 * `compile` where g++ refuses it.
 */
export async function compileEmulated(
  source: Source,
  compilers: Compilers,
  context: CompileContext,
): Promise<Artifact | Verdict> {
  const makeKey = () => keyOf(emulated.name, headerText + source.text, compilers, context);
  const key = makeKey();
  const asked = obtain(context, key, outcomeSchema, async (folder) => {
    const outcome = await produce(folder, source, compilers, context);
    mustBeUnchanged(key, makeKey(), 'a header of the kernels');
    return outcome;
  });
  const entry = await entryOrVerdict(asked, source.variant.id, emulated.name);
  if ('verdict' in entry) return entry;
  return {
    source,
    device: emulated.name,
    arch: process.arch,
    path: join(entry.folder, 'kernel.so'),
    key,
    cached: entry.cached,
    seconds: entry.cached ? 0 : entry.meta.seconds,
  };
}

async function produce(
  folder: string,
  source: Source,
  compilers: Compilers,
  context: CompileContext,
): Promise<Outcome> {
  const wrappers = await wrapperFlags(compilers, context);
  const file = join(folder, basename(source.path));
  writeFileSync(file, source.text);
  const argv = [
    compilers.cxx,
    ...emulatedFlags,
    `-ffile-prefix-map=${folder}/=`,
    ...wrappers,
    ...folderFlags(compilers, context),
    ...['-x', 'c++', '-c', file, '-o', join(folder, 'kernel.o')],
  ];
  const command = argv.join(' ').replace(`-ffile-prefix-map=${folder}/= `, '').replaceAll(file, source.path);
  const works = () => compileEmpty(folder, compilers, context);
  const result = await callCompiler(argv, context, folder, { command, works });
  writeLog(folder, command, result);
  const { seconds } = result;
  if (result.exitCode !== 0) return { seconds, command, refusal: await refusalOf(result, works) };
  return { seconds: seconds + (await link(folder, compilers, context)), command };
}

/** Turns the object into `kernel.so`; gives the seconds that took. What a compiler has taken, the linker takes. */
async function link(folder: string, compilers: Compilers, context: CompileContext): Promise<number> {
  const object = join(folder, 'kernel.o');
  const argv = [compilers.cxx, '-shared', '-o', join(folder, 'kernel.so'), object];
  const linked = await callCompiler(argv, context, folder);
  rmSync(object);
  if (linked.exitCode === 0) return linked.seconds;
  blameMachine(linked.stderr);
  throw new EnvironmentError(
    `the linker ${ending(linked)}: ${firstError(linked.stderr)}; see \`npx gen doctor\``,
  );
}

/** Proof that the compiler works at all. */
function compileEmpty(folder: string, compilers: Compilers, context: CompileContext) {
  const argv = [compilers.cxx, '-x', 'c++', '-c', '-', '-o', join(folder, 'empty.o')];
  return runCompiler(argv, context, folder, true);
}

/** Includes the wrappers, precompiled but for a copy with other ones: those serve one variant. */
async function wrapperFlags(compilers: Compilers, context: CompileContext): Promise<string[]> {
  const original = context.copyOf ?? context;
  const keys = [original, context].map((one) => keyOf('precompiled', headerText, compilers, one));
  if (keys[0] !== keys[1]) return ['-include', 'tw/ptx.cuh'];
  return ['-include', await precompiledHeader(compilers, original)];
}

/** The wrappers, compiled once for all variants: half of a variant's compile time otherwise. */
async function precompiledHeader(compilers: Compilers, context: CompileContext): Promise<string> {
  const key = keyOf('precompiled', headerText, compilers, context);
  const entry = await obtain(context, key, z.object({}), async (folder) => {
    const file = join(folder, header);
    writeFileSync(file, headerText);
    const argv = [
      compilers.cxx,
      ...emulatedFlags,
      ...folderFlags(compilers, context),
      '-x',
      'c++-header',
      file,
    ];
    const result = await callCompiler([...argv, '-o', `${file}.gch`], context, folder);
    mustBeUnchanged(key, keyOf('precompiled', headerText, compilers, context), 'tw/ptx.cuh');
    if (result.exitCode === 0) return {};
    blameMachine(result.stderr);
    throw new EnvironmentError(
      `tw/ptx.cuh does not compile with ${compilers.cxx}: ${firstError(result.stderr)}`,
    );
  });
  return join(entry.folder, header);
}
