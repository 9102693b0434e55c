import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { cuda } from '../backends/index.ts';
import { obtain } from '../compile/cache.ts';
import type { CompileContext, Compilers } from '../compile/context.ts';
import { blameMachine, firstError } from '../compile/diagnosis.ts';
import { includeHash } from '../compile/includes.ts';
import { mustSuitNvcc } from '../compile/nvcc.ts';
import { callCompiler } from '../compile/outcome.ts';
import type { DeviceSession } from '../device/session.ts';
import { UsageError } from '../errors.ts';
import { gateVariant } from '../gate/gate.ts';
import type { Artifact } from '../model/artifact.ts';
import type { AnyFamily } from '../model/family.ts';
import type { GateScope, Verdict } from '../model/verdict.ts';
import type { GateCase } from '../model/workload.ts';
import { hashOf, sha256 } from '../util/hash.ts';
import { inTemporary } from '../util/temporary.ts';
import { variantFor } from './build.ts';
import { casesFor, familyOf } from './cases.ts';
import { cudaEntry, symbol } from './entry.ts';
import { type Plan, rootsOf } from './plan.ts';
import { isTexture } from './signature.ts';
import type { ReadSource } from './source.ts';
import { makeStand, putEmpty } from './stand-in.ts';
import { layoutCode, pointCode } from './structs.ts';
import { symbolCode, variablesOf, wordsOf } from './symbols.ts';
import { inQuotes, join as joined, matching, splitCommas } from './tokens.ts';
import { withoutHost } from './without-host.ts';

/** A GPU to check on beside the emulated device. */
export interface CheckingGpu {
  readonly compilers: Pick<Compilers, 'nvcc' | 'nvccVersion' | 'cxx'>;
  /** Architecture as nvcc names it: `sm_90a`. */
  readonly arch: string;
  readonly name: string;
  /** Lends a session, and says what a tool beside it found once the session's work is done. */
  readonly use: (task: (session: DeviceSession) => Promise<Verdict>) => Promise<Verdict>;
}

/**
 * Runs a kernel on a GPU, as nvcc compiles the user's file, on the cases that the emulated device ran: the results are compared
 * with the references that it left in `dump`.
 */
export async function checkOnGpu(
  source: ReadSource,
  plan: Plan,
  gpu: CheckingGpu,
  options: { readonly dump: string; readonly include: readonly string[]; readonly gate: GateScope },
  context: CompileContext,
): Promise<Verdict> {
  mustHavePointers(plan);
  const artifact = await buildForGpu(source, plan, gpu, options.include, context);
  const folder = join(resolve(options.dump), artifact.source.variant.id.replaceAll(/[^\w.,=-]/g, '_'));
  const family = familyOf(plan, casesOnGpu(plan, artifact.path, folder));
  const { seed: _, ...gate } = options.gate;
  return gpu.use((session) => gateVariant(session, artifact, family, { ...gate, vendor: false }));
}

/** Throws a UsageError for textures: a GPU's are made by host code. */
function mustHavePointers({ signature: { name, file, line, parameters } }: Plan): void {
  const texture = parameters.find(isTexture);
  if (texture)
    throw new UsageError(
      `${file}:${line}: argument '${texture.name}' of ${name} is a texture, which the emulated device alone has; take a pointer to run it on a GPU too`,
    );
}

/** The cases with a reference in the folder; another input has none. */
function casesOnGpu(plan: Plan, library: string, folder: string): ReturnType<AnyFamily['cases']> {
  const outputs = plan.arguments.filter((one) => one.kind === 'tensor' && one.role !== 'in');
  const cases = casesFor(plan, library, { kind: 'kernel' }).flatMap(
    ({ alternate: _, ...item }): GateCase[] => {
      const filesOf = (end: string) =>
        Object.fromEntries(
          outputs
            .map(({ name }) => [name, join(folder, item.id, `${name}.${end}.npy`)] as const)
            .filter(([, path]) => existsSync(path)),
        );
      const files = filesOf('expected');
      if (Object.keys(files).length < outputs.length) return [];
      const reference = {
        ...{ kind: 'files', files },
        ...{ unspecified: filesOf('unspecified'), bounds: filesOf('bound') },
      };
      return [{ ...item, problem: { ...item.problem, reference } }];
    },
  );
  if (cases.length > 0) return cases;
  throw new UsageError('not run on the GPU: the emulated device came to no reference to compare with');
}

const outcomeSchema = z.object({ seconds: z.number(), refusal: z.string().exactOptional() });

/** Lends a folder with an empty file for each header. */
async function withEmpty<T>(headers: readonly string[], task: (folder: string) => Promise<T>): Promise<T> {
  return inTemporary('headers', (folder) => {
    const stand = makeStand(folder);
    for (const header of headers) putEmpty(stand, header);
    return task(stand);
  });
}

/**
 * Compiles the user's file with nvcc into a library that launches one of its kernels: the file as it is, or, where nvcc refuses
 * that, without what the kernel does not need, and with nothing in the place of headers that were not found.
 */
async function buildForGpu(
  source: ReadSource,
  plan: Plan,
  { compilers, arch }: CheckingGpu,
  include: readonly string[],
  context: CompileContext,
): Promise<Artifact> {
  const own = join(context.packageRoot, 'harness/check');
  if (plan.arguments.some(({ kind }) => kind === 'function'))
    throw new UsageError(`${plan.kernel}: pointers to functions as arguments are not supported on a GPU`);
  const roots = wordsOf(rootsOf(plan.kernel, plan.arguments));
  const whole = `#include "${resolve(source.path)}"`;
  const alone = `#line 1 ${inQuotes(resolve(source.path))}\n${withoutHost(source, roots)}`;
  const texts = [whole, alone].map((text) => unitFor(text, source, plan));
  const flags = ['-shared', '-std=c++17', '-O2', '-lineinfo', '-w', `-arch=${arch}`, '-Xcompiler', '-fPIC'];
  const key = hashOf(
    ...['check on a GPU', compilers.nvccVersion, source.preprocessed, includeHash(texts.join('\n'), [own])],
    ...[flags.join(' '), include.join(' ')],
  );
  const { folder, meta, cached } = await obtain(context, key, outcomeSchema, async (made) => {
    const file = join(made, 'kernel.cu');
    const folders = [own, dirname(resolve(source.path)), ...include].map((one) => resolve(one));
    mustSuitNvcc(context, folders);
    const includes = folders.flatMap((one) => ['-I', one]);
    const argv = [compilers.nvcc, ...flags, ...source.defines, '-ccbin', compilers.cxx, ...includes];
    const compile = async (text: string, more: readonly string[]) => {
      writeFileSync(file, text);
      return callCompiler([...argv, ...more, '-o', join(made, 'kernel.so'), file], context, made);
    };
    const [first = '', second = ''] = texts;
    const { exitCode, stderr, seconds } = await compile(first, []);
    if (exitCode === 0) return { seconds };
    blameMachine(stderr);
    const again = await withEmpty(source.missing, (folder) =>
      compile(second, ['-Xcompiler', '-idirafter', '-Xcompiler', folder]),
    );
    if (again.exitCode !== 0) blameMachine(again.stderr);
    const refusal = again.exitCode === 0 ? undefined : `nvcc refuses it: ${firstError(stderr)}`;
    return { seconds: seconds + again.seconds, ...(refusal !== undefined && { refusal }) };
  });
  if (meta.refusal !== undefined) throw new UsageError(meta.refusal);
  const variant = variantFor(source, plan.kernel, plan);
  const made = { variant, path: source.path, text: source.text, hash: sha256(source.text) };
  const path = join(folder, 'kernel.so');
  return { source: made, device: cuda.name, arch, path, key, cached, seconds: cached ? 0 : meta.seconds };
}

/** The kernel's name, or an expression for it where a function of the host has that name too. */
function chosen({ items }: ReadSource, { kernel, signature }: Plan): string {
  const { tokens, names, parenthesis = 0 } = signature.item;
  const others = items.filter((one) => one.kind === 'function' && one.names.at(-1) === names.at(-1));
  if (others.every(({ marks }) => marks.has('global'))) return kernel;
  const parameters = splitCommas(tokens.slice(parenthesis + 1, matching(tokens, parenthesis)));
  const types = parameters.map((part, i) => {
    const isNamed = part.at(-1)?.text === signature.parameters[i]?.name;
    return joined(isNamed ? part.slice(0, -1) : part);
  });
  return `(*static_cast<void (*)(${types.join(', ')})>(&${kernel}))`;
}

/** Text with the kernel, and behind it what launches that. */
function unitFor(text: string, source: ReadSource, plan: Plan): string {
  const variables = variablesOf(source.items, wordsOf(plan.kernel));
  const kernel = chosen(source, plan);
  const { arguments: given, symbols } = plan;
  const pointers = pointCode(kernel, given);
  return (
    '#include "cuda_entry.hpp"\n#include "symbol_of.hpp"\n' +
    `#define main tw_user_main\n${text}\n#undef main\n` +
    cudaEntry(kernel, plan) +
    symbolCode(symbols, variables, given.length, `${symbol}_prepare`, undefined, pointers) +
    layoutCode(kernel, given)
  );
}
