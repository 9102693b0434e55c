import { rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { emulated } from '../backends/index.ts';
import { obtain } from '../compile/cache.ts';
import type { CompileContext, RunnerCompilers } from '../compile/context.ts';
import { blameMachine } from '../compile/diagnosis.ts';
import { callCompiler } from '../compile/outcome.ts';
import { EnvironmentError, UsageError } from '../errors.ts';
import type { Artifact } from '../model/artifact.ts';
import type { Variant } from '../model/variant.ts';
import { hashOf, sha256 } from '../util/hash.ts';
import { emulatedEntry, symbol } from './entry.ts';
import { explain } from './explain.ts';
import type { Item } from './items.ts';
import { type Plan, rootsOf } from './plan.ts';
import { checkFlags, precompiledPrelude, preludeKey } from './prelude.ts';
import { mustBeDefined } from './refuse.ts';
import { reachable, rewritten } from './rewrite.ts';
import type { ReadSource } from './source.ts';
import { layoutCode, pointCode } from './structs.ts';
import { freeSubscripts } from './subscripts.ts';
import { symbolCode, variablesOf, wordsOf } from './symbols.ts';
import { lineMarker } from './tokens.ts';

/** Compiles one kernel of a source, with what it needs of the rest, for the emulated device; the plan's symbols get filled. */
export async function buildKernel(
  source: ReadSource,
  kernel: string,
  plan: Plan,
  compilers: RunnerCompilers,
  context: CompileContext,
): Promise<Artifact> {
  const { symbols, allow, kept } = plan;
  const roots = rootsOf(kernel, plan.arguments);
  const own = declarations(source, roots);
  const entry =
    emulatedEntry(kernel, plan) +
    symbolCode(
      symbols,
      variablesOf(source.items, wordsOf(roots)),
      plan.arguments.length,
      `${symbol}_prepare`,
      (variable) => variable.replace(/(\w+)$/, 'tw_initial_$1'),
      pointCode(kernel, plan.arguments),
    ) +
    layoutCode(kernel, plan.arguments) +
    textVariable(`${symbol}_allows`, ` ${allow.map((kind) => `${kind} `).join('')}`) +
    textVariable(`${symbol}_keeps`, ` ${kept.join(' ')} `) +
    textVariable(`${symbol}_free_subscripts`, freeSubscripts(own.text, own.items)) +
    'static const bool tw_has_variables = (simt::use_static_shared_memory(), true);\n';
  const text = withEntry(own, entry);
  const { path, key, cached, seconds } = await buildLibrary(text, source, compilers, context);
  const variant = variantFor(source, kernel, plan);
  const made = { variant, path: source.path, text: source.text, hash: sha256(source.text) };
  return { source: made, device: emulated.name, arch: process.arch, path, key, cached, seconds };
}

/** Declarations of a source, and their text for g++. */
interface Declarations {
  readonly items: readonly Item[];
  readonly text: string;
}

/** The declarations that `name` needs. */
export function declarations(source: ReadSource, name: string): Declarations {
  const kept = reachable(source.items, wordsOf(name));
  mustBeDefined(kept, source.items);
  return { items: [...kept], text: rewritten(source.preprocessed, source.items, kept) };
}

/** Declarations, and a last function of ours behind them. */
export function withEntry({ text }: Declarations, entry: string): string {
  return `${text}# 1 "tilewright"\n${entry}`;
}

/** A text that the emulated device finds by its name. */
function textVariable(name: string, text: string): string {
  return `extern "C" { extern const char ${name}[] = ${JSON.stringify(text)}; }\n`;
}

export function variantFor(
  { path }: ReadSource,
  kernel: string,
  { deterministic }: Pick<Plan, 'deterministic'>,
): Variant {
  return {
    ...{ family: 'check', id: `${basename(path)}:${kernel}`, symbol, parameters: {}, derived: {} },
    ...{ budget: { threads: 0, sharedBytes: Number.MAX_SAFE_INTEGER }, template: '', deterministic },
  };
}

const outcomeSchema = z.object({ seconds: z.number(), refusal: z.string().optional() });

/** Compiles a rewritten unit to a shared object. Throws a UsageError with the user's line where g++ refuses it. */
export async function buildLibrary(
  text: string,
  source: ReadSource,
  compilers: RunnerCompilers,
  context: CompileContext,
): Promise<{ path: string; key: string; cached: boolean; seconds: number }> {
  const key = hashOf('check', preludeKey(source.prelude, compilers, context), source.path, text);
  const prelude = await precompiledPrelude(source.prelude, compilers, context);
  const { folder, meta, cached } = await obtain(context, key, outcomeSchema, async (made) => {
    const file = join(made, basename(source.path)); // debuggers' lines may name it
    writeFileSync(file, `${lineMarker(0, source.path)}#pragma GCC pch_preprocess "${prelude}.gch"\n${text}`);
    const object = join(made, 'kernel.o');
    const flags = [...checkFlags(compilers, context), '-fpch-preprocess', '-fno-diagnostics-show-caret'];
    const compile = [compilers.cxx, ...flags, '-x', 'c++-cpp-output', '-c', file, '-o', object];
    const compiled = await callCompiler(compile, context, made);
    if (compiled.exitCode !== 0) {
      blameMachine(compiled.stderr);
      return { seconds: compiled.seconds, refusal: explain(compiled.stderr, source) };
    }
    const linked = await callCompiler(
      [compilers.cxx, '-shared', '-o', join(made, 'kernel.so'), object],
      context,
      made,
    );
    rmSync(object);
    if (linked.exitCode !== 0)
      throw new EnvironmentError(`the linker failed: ${linked.stderr.slice(0, 300)}`);
    return { seconds: compiled.seconds + linked.seconds };
  });
  if (meta.refusal !== undefined) throw new UsageError(meta.refusal);
  return { path: join(folder, 'kernel.so'), key, cached, seconds: cached ? 0 : meta.seconds };
}
