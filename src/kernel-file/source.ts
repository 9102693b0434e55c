import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { CompileContext, RunnerCompilers } from '../compile/context.ts';
import { callCompiler } from '../compile/outcome.ts';
import { UsageError } from '../errors.ts';
import { onDisk, readText } from '../util/disk.ts';
import { makeTemporary, removeTemporary } from '../util/temporary.ts';
import { type Item, readItems } from './items.ts';
import { checkFlags, type Prelude, precompiledPrelude } from './prelude.ts';
import { makeStand, putEmpty, putText } from './stand-in.ts';
import { tokenise } from './tokens.ts';

/** A user's source, preprocessed for the emulated device and taken apart. */
export interface ReadSource {
  /** As the user calls it. */
  readonly path: string;
  readonly text: string;
  /** Header before its first line. */
  readonly prelude: Prelude;
  /** Output of `g++ -E`. */
  readonly preprocessed: string;
  readonly items: readonly Item[];
  /** Headers that were not found; nothing is in their place. */
  readonly missing: readonly string[];
  /** Flags that define macros. */
  readonly defines: readonly string[];
}

const mostMissing = 40;

interface Asked {
  readonly path: string;
  /** Folders of headers. */
  readonly include: readonly string[];
  readonly defines: readonly string[];
}

/** Preprocesses a source with g++, empty files in the place of headers that are nowhere, such as those of libraries for host code. */
export async function readSource(
  path: string,
  compilers: RunnerCompilers,
  context: CompileContext,
  include: readonly string[] = [],
  defines: readonly string[] = [],
): Promise<ReadSource> {
  if (!existsSync(path)) throw new UsageError(`there is no file ${path}`);
  const text = onDisk(`read ${path}`, () => readText(path));
  const asked = { path, include, defines };
  const behind = async (prelude: Prelude) => ({
    prelude,
    ...(await preprocess(asked, await precompiledPrelude(prelude, compilers, context), compilers, context)),
  });
  const plain = usesStandardLibrary(text) ? undefined : await behind('prelude.hpp');
  const made =
    plain && !usesStandardLibrary(plain.preprocessed) ? plain : await behind('standard_prelude.hpp');
  return { path, text, ...made, items: readItems(tokenise(made.preprocessed)), defines };
}

/** Its headers say `std` too: what is preprocessed tells of those that other headers include. */
function usesStandardLibrary(text: string): boolean {
  return /\bstd\b/.test(text);
}

async function preprocess(
  { path, include, defines }: Asked,
  prelude: string,
  compilers: RunnerCompilers,
  context: CompileContext,
): Promise<Pick<ReadSource, 'preprocessed' | 'missing'>> {
  const folder = makeTemporary('headers');
  const stand = makeStand(folder);
  const missing: string[] = [];
  // Behind the prelude: a name of its own may be among them.
  const macros = join(stand, 'tilewright-defines.h');
  try {
    putText(macros, defines.map((flag) => `#define ${flag.slice(2).replace('=', ' ')}\n`).join(''));
    for (;;) {
      const folders = [dirname(resolve(path)), ...include].flatMap((one) => ['-I', one]);
      const argv = [compilers.cxx, ...checkFlags(compilers, context), ...folders, '-idirafter', stand];
      const given = ['-include', prelude, ...(defines.length > 0 ? ['-include', macros] : [])];
      const flags = [...given, '-E', '-fpch-preprocess', '-x', 'c++', path];
      const result = await callCompiler([...argv, ...flags], context, process.cwd());
      if (result.exitCode === 0) return { preprocessed: result.stdout, missing };
      const [, header] = /fatal error: ([^\s:]+): No such file/.exec(result.stderr) ?? [];
      if (header === undefined || missing.length >= mostMissing || header.startsWith('/'))
        throw new UsageError(`${path} cannot be preprocessed: ${firstLine(result.stderr)}`);
      missing.push(header);
      putEmpty(stand, header);
    }
  } finally {
    removeTemporary(folder);
  }
}

function firstLine(text: string): string {
  return text.split('\n').find((line) => /error/.test(line)) ?? text.split('\n')[0] ?? '';
}
