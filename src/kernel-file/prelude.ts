import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { mustBeUnchanged, obtain } from '../compile/cache.ts';
import type { CompileContext, RunnerCompilers } from '../compile/context.ts';
import { blameMachine, firstError } from '../compile/diagnosis.ts';
import { emulatedFlags } from '../compile/host.ts';
import { includeHash } from '../compile/includes.ts';
import { callCompiler } from '../compile/outcome.ts';
import { EnvironmentError } from '../errors.ts';
import { hashOf } from '../util/hash.ts';
import { kit } from '../util/package-root.ts';

function ownFolders({ packageRoot }: CompileContext): string[] {
  return ['harness/check/include', 'harness/check', kit.device].map((folder) => join(packageRoot, folder));
}

/** Include folders of CUDA's half and vector types: a toolkit's, else the stand-ins that libraries for CPUs are built with. */
function typeFolders({ cudaHome }: RunnerCompilers, { packageRoot }: CompileContext): string[] {
  if (cudaHome !== undefined) return [join(cudaHome, 'include')];
  return ['templates/bindings/c/src/emulated/types', 'harness/simt/src'].map((folder) =>
    join(packageRoot, folder),
  );
}

/** A copy of a float4 stays one access of 16 bytes, whose alignment is looked at. */
const wholeAccesses = ['-fno-tree-sra', '-fno-ipa-sra'];

/** An entry sets the private fields of a struct too. */
const allFields = ['-fno-access-control'];

/** Functions that a source wants inlined are, though a shared object is made of them. */
const ownCode = ['-fno-semantic-interposition'];

/** addr2line mistakes files of DWARF 5: a kernel's header for the file that includes it. */
const lineTables = ['-gdwarf-4', '-g1'];

/** Flags of g++ for a user's source. Our own headers count as system headers, whose tokens nobody need look at. */
export function checkFlags(compilers: RunnerCompilers, context: CompileContext): string[] {
  const folders = [...ownFolders(context), ...typeFolders(compilers, context)];
  return [
    ...emulatedFlags,
    ...wholeAccesses,
    ...ownCode,
    ...allFields,
    ...lineTables,
    '-w',
    ...folders.flatMap((folder) => ['-isystem', folder]),
  ];
}

/** A header of harness/check. The second has the usual standard headers too, and takes a compiler thrice as long to load. */
export type Prelude = 'prelude.hpp' | 'standard_prelude.hpp';

/** Key of everything that is compiled before a source's first line. */
export function preludeKey(name: Prelude, compilers: RunnerCompilers, context: CompileContext): string {
  const text = readFileSync(join(context.packageRoot, 'harness/check', name), 'utf8');
  const hash = includeHash(text, ownFolders(context), join(context.packageRoot, 'harness/check'));
  const flags = [...emulatedFlags, ...wholeAccesses, ...ownCode, ...allFields, ...lineTables].join(' ');
  const { cxxVersion, nvccVersion = 'none' } = compilers;
  return hashOf('prelude of a check', name, hash, flags, cxxVersion, nvccVersion, process.arch);
}

/** Path of a prelude that is compiled once, without its suffix `.gch`. */
export async function precompiledPrelude(
  name: Prelude,
  compilers: RunnerCompilers,
  context: CompileContext,
): Promise<string> {
  const key = preludeKey(name, compilers, context);
  const entry = await obtain(context, key, z.object({}), async (folder) => {
    const file = join(folder, name);
    writeFileSync(file, `#include "${name}"\n`);
    const original = join(context.packageRoot, 'harness/check', name);
    const argv = [compilers.cxx, ...checkFlags(compilers, context), '-x', 'c++-header', original];
    const result = await callCompiler([...argv, '-o', `${file}.gch`], context, folder);
    mustBeUnchanged(key, preludeKey(name, compilers, context), `harness/check/${name}`);
    if (result.exitCode === 0) return {};
    blameMachine(result.stderr);
    throw new EnvironmentError(
      `${name} does not compile with ${compilers.cxx}: ${firstError(result.stderr)}`,
    );
  });
  return join(entry.folder, name);
}
