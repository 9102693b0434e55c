import { existsSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import type { CompileContext, RunnerCompilers } from '../compile/context.ts';
import { UsageError } from '../errors.ts';
import type { Operation } from '../model/operation.ts';
import { plainName } from './arguments.ts';
import { buildKernel, buildLibrary, declarations, withEntry } from './build.ts';
import type { ReferenceJson } from './cases.ts';
import type { Description } from './description.ts';
import { askOracle, isOracle, oracleNamed } from './oracle.ts';
import { type Plan, yardsticksOf } from './plan.ts';
import { kernelsIn, type Signature, signatureOf } from './signature.ts';
import { type ReadSource, readSource } from './source.ts';

/** Inputs of building a reference. */
export interface Workshop {
  readonly compilers: RunnerCompilers;
  readonly context: CompileContext;
  readonly include: readonly string[];
  /** Signature of a family that has an oracle for the kernels of others; throws a UsageError for another name. */
  readonly operationOf: (family: string) => Promise<Operation>;
  /** Folders in which files are looked for, the first first. */
  readonly folders: readonly string[];
}

/** A file of the first folder that has it. */
function find(file: string, { folders }: Workshop): string {
  const paths = folders.map((folder) => resolve(folder, file));
  return paths.find(existsSync) ?? paths.at(-1) ?? file;
}

/** File and function of `file.c:function`; a name alone is a function of the kernel's own file. */
function placeOf(given: string, own: string): readonly [file: string, name: string | undefined] {
  if (/^[A-Za-z_]\w*(::\w+)*(<.*>)?$/.test(given)) return [own, given];
  const [, file = given, name] = /^(.+?)(?::([\w:<>, ]+))?$/.exec(given) ?? [];
  return [file, name];
}

interface Self {
  readonly source: ReadSource;
  readonly library: string;
}

/**
 * Makes ready what the answers are compared with; without a reference that is the kernel itself, thread by thread in order. Files of the
 * yardsticks that the description names are looked for in the folders `described`.
 */
export async function makeReference(
  given: Description['reference'],
  plan: Plan,
  self: Self,
  workshop: Workshop,
  described: readonly string[],
): Promise<ReferenceJson> {
  const reference = await refer(given, plan, self, workshop);
  const yardsticks = [];
  for (const of of yardsticksOf(plan)) {
    const folders = of === undefined ? workshop.folders : described;
    const yardstick = await refer(of ?? given, plan, self, { ...workshop, folders }, true);
    if (of === undefined && !yardstick.own)
      throw new UsageError(
        `${plan.kernel}: a tolerance of so many times an error needs another implementation, whose error that is: tolerance: { times: 2, of: file.c:function }; only a reference in Python, or a template of C++, is its own in another precision`,
      );
    yardsticks.push(yardstick);
  }
  return { ...reference, ...(yardsticks.length > 0 && { yardsticks }) };
}

/** `own`: in the kernel's types where double precision is usual; the reference then says so. */
async function refer(
  given: Description['reference'],
  plan: Plan,
  self: Self,
  workshop: Workshop,
  own = false,
): Promise<ReferenceJson> {
  if (given === undefined) return { kind: 'kernel', library: self.library };
  const oracle = typeof given === 'string' ? oracleNamed(given) : given;
  if (isOracle(oracle)) return askOracle(oracle, await workshop.operationOf(oracle.oracle), plan);
  if (typeof given !== 'string') return files(given as Readonly<Record<string, string>>, workshop);
  const [file, name] = placeOf(given, resolve(self.source.path));
  const end = extname(file).toLowerCase();
  if (end === '.npy') return files({ [onlyOutput(plan)]: file }, workshop);
  if (name === undefined)
    throw new UsageError(`the reference ${given} names no function: say ${file}:<function>`);
  const path = find(file, workshop);
  if (!existsSync(path)) throw new UsageError(`there is no file ${path} for the reference ${given}`);
  if (end === '.py') return { ...python(path, name, workshop), ...(own && { own }) };
  const source =
    path === resolve(self.source.path)
      ? self.source
      : await readSource(path, workshop.compilers, workshop.context, workshop.include);
  const kernel = kernelsIn(source.items).find(
    ({ names }) => names.at(-1) === name.replace(/<.*/, '').split('::').at(-1),
  );
  if (!kernel) return { name: given, ...(await callFunction(source, name, plan, workshop, own)) };
  const taken = signatureOf(kernel, source.items).parameters.length;
  const passed = plan.signature.parameters.length;
  if (taken !== passed)
    throw new UsageError(
      `${given} has ${taken} parameters, ${plan.kernel} has ${passed}: they must take the same`,
    );
  const artifact = await buildKernel(source, name, plan, workshop.compilers, workshop.context);
  return { kind: 'kernel', name: given, library: artifact.path };
}

function files(given: Readonly<Record<string, string>>, workshop: Workshop): ReferenceJson {
  const paths = Object.entries(given).map(([name, file]) => [name, find(file, workshop)] as const);
  const missing = paths.find(([, path]) => !existsSync(path));
  if (missing) throw new UsageError(`there is no file ${missing[1]} for the output '${missing[0]}'`);
  return { kind: 'files', files: Object.fromEntries(paths), unspecified: {}, bounds: {} };
}

function onlyOutput(plan: Plan): string {
  const outputs = plan.arguments.filter((one) => one.kind === 'tensor' && one.role !== 'in');
  if (outputs.length === 1) return outputs[0]?.name ?? '';
  throw new UsageError(
    `${plan.kernel} has ${outputs.length} outputs: name a file for each in the description, e.g. reference: { ${outputs[0]?.name ?? 'out'}: out.npy }`,
  );
}

function python(file: string, name: string, { context }: Workshop): ReferenceJson {
  return {
    kind: 'python',
    python: process.env.PYTHON || 'python3',
    script: join(context.packageRoot, 'harness/check/reference.py'),
    file,
    function: name,
  };
}

/** Compiles a function of C or C++; a template is called in double, or, if `own`, in float. */
async function callFunction(
  source: ReadSource,
  name: string,
  plan: Plan,
  { compilers, context }: Workshop,
  own: boolean,
): Promise<ReferenceJson> {
  const item = source.items.find(
    ({ kind, names, body }) =>
      kind === 'function' && body !== undefined && names.at(-1) === name.split('::').at(-1),
  );
  if (!item) {
    const functions = source.items.filter(
      ({ kind, body, marks }) => kind === 'function' && body !== undefined && marks.size === 0,
    );
    const known = functions.map(({ names }) => names.at(-1)).join(', ');
    throw new UsageError(`${source.path} defines no function '${name}'; it defines: ${known || 'none'}`);
  }
  const signature = signatureOf(item, source.items);
  const isTemplate = signature.template.length > 0;
  const types = signature.template.map(() => (own ? 'float' : 'double'));
  const called = isTemplate ? `${signature.name}<${types.join(', ')}>` : signature.name;
  const entry =
    `extern "C" { extern const tw::ReferenceParameter* const tw_reference_parameters = tw::reference_parameters(&${called});\n` +
    `void tw_reference(void** arguments) { tw::call_kernel(&${called}, arguments); } }\n`;
  const { path } = await buildLibrary(
    withEntry(declarations(source, signature.name), entry),
    source,
    compilers,
    context,
  );
  const parameters = matchParameters(signature, plan);
  return { kind: 'function', library: path, parameters, ...(own && isTemplate && { own }) };
}

/** For each parameter of the reference the kernel's argument of the same name or else place, or a size. */
function matchParameters(reference: Signature, plan: Plan): readonly object[] {
  const { parameters } = reference;
  const names = [...plan.arguments, ...plan.symbols].map(({ name }) => name);
  const [sizes = {}] = plan.sizes;
  // A size comes before a field of that name: the fourth of an int4 is `w`.
  const indexOf = (name: string) => {
    const exact = names.indexOf(name);
    if (exact >= 0 || name in sizes) return exact;
    return names.findIndex((one) => plainName({ name: one }) === name);
  };
  const byName = parameters.every(({ name }) => indexOf(name) >= 0 || name in sizes);
  const alike = parameters.every(({ pointer }, i) => pointer === (plan.arguments[i]?.kind !== 'scalar'));
  if (!byName && alike && parameters.length === plan.arguments.length)
    return parameters.map((_, i) => ({ argument: i }));
  const stranger = parameters.find(({ name }) => indexOf(name) < 0 && !(name in sizes));
  if (stranger)
    throw new UsageError(
      `${reference.file}:${reference.line}: parameter '${stranger.name}' of ${reference.name} is no argument of ${plan.kernel}, which has: ${names.join(', ')}; give it the name of one`,
    );
  return parameters.map(({ name }) => (indexOf(name) < 0 ? { size: name } : { argument: indexOf(name) }));
}
