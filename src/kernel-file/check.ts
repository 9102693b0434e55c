import { basename, dirname } from 'node:path';
import type { CompileContext, RunnerCompilers } from '../compile/context.ts';
import type { DeviceSession } from '../device/session.ts';
import { UsageError } from '../errors.ts';
import { gateVariant } from '../gate/gate.ts';
import type { Artifact } from '../model/artifact.ts';
import type { GateScope, Verdict } from '../model/verdict.ts';
import type { GateCase } from '../model/workload.ts';
import { makeTemporary, removeTemporary } from '../util/temporary.ts';
import { withAdvice } from './advice.ts';
import { buildKernel } from './build.ts';
import { casesFor, familyOf, type ReferenceJson } from './cases.ts';
import { type CheckingGpu, checkOnGpu } from './gpu.ts';
import type { Item } from './items.ts';
import { makePlan, type Plan, templateArguments } from './plan.ts';
import { makeReference, type Workshop } from './reference.ts';
import { mustBeSupported } from './refuse.ts';
import { kernelsIn, type Signature, signatureOf } from './signature.ts';
import { findSite } from './sites.ts';
import { type ReadSource, readSource } from './source.ts';
import { type Subject, subjectsOf } from './subjects.ts';
import { guessWholeSymbols } from './symbols.ts';
import { mustBeInstantiated, usualArguments } from './templates.ts';
import { askForValues, mustBeKnown, withHarmlessValues } from './unknown.ts';

/** Settings of a check. */
export interface CheckRequest {
  readonly file: string;
  /** This kernel alone. */
  readonly kernel?: string;
  /** Takes the place of the description's reference. */
  readonly against?: string;
  /** File of descriptions, in place of the source's own. */
  readonly description?: string;
  /** Folders of the user's headers. */
  readonly include: readonly string[];
  readonly gate: GateScope;
  /** Folder for what each case was given, gave and should have given. */
  readonly dump?: string;
}

export interface CheckHost {
  readonly compilers: RunnerCompilers;
  readonly context: CompileContext;
  readonly session: () => Promise<DeviceSession>;
  readonly operationOf: Workshop['operationOf'];
  /** A GPU that runs the same. */
  readonly gpu?: CheckingGpu;
}

/** A kernel that was judged, or why it was not. */
export type Checked = {
  readonly kernel: string;
  readonly plan?: Plan;
  /** The GPU that it was judged on; absent: the emulated device. */
  readonly gpu?: string;
} & ({ readonly verdict: Verdict; readonly key: string } | { readonly refusal: string });

/** Checks the kernels of a source one after another; one that cannot be checked does not keep another from it. */
export async function* checkSource(request: CheckRequest, host: CheckHost): AsyncGenerator<Checked, void> {
  const source = await readSource(request.file, host.compilers, host.context, request.include);
  const { gpu } = host;
  for (const subject of await subjectsOf(source, request, host)) {
    const { source: own } = subject;
    if (!gpu) {
      yield await checkKernel(subject, request, host);
      continue;
    }
    const folder = request.dump ?? makeTemporary('dump');
    try {
      const checked = await checkKernel(subject, { ...request, dump: folder }, host);
      yield checked;
      if (checked.plan) yield await again(own, checked.plan, gpu, { ...request, dump: folder }, host);
    } finally {
      if (request.dump === undefined) removeTemporary(folder);
    }
  }
}

/** The same kernel on a GPU. */
async function again(
  source: ReadSource,
  plan: Plan,
  on: CheckingGpu,
  request: CheckRequest & { readonly dump: string },
  { context }: CheckHost,
): Promise<Checked> {
  const { kernel } = plan;
  try {
    const verdict = await checkOnGpu(source, plan, on, request, context);
    return { kernel, plan, gpu: on.name, verdict, key: on.arch };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { kernel, plan, gpu: on.name, refusal: error.message };
  }
}

/** A first description of a kernel, or why there can be none. */
export type Drafted = Plan | { readonly kernel: string; readonly refusal: string };

/** The plans that the kernels of a source are checked by, for first descriptions; what is open in one keeps none from another. */
export async function draftPlans(
  file: string,
  kernel: string | undefined,
  host: Pick<CheckHost, 'compilers' | 'context'>,
): Promise<Drafted[]> {
  const source = await readSource(file, host.compilers, host.context);
  const request = { include: [], ...(kernel !== undefined && { kernel }) };
  return (await subjectsOf(source, request, host)).map(drafted);
}

function drafted(subject: Subject): Drafted {
  try {
    const plan = planFor(subject, true);
    const further = guessWholeSymbols(plan.kernel, subject.source.items);
    const symbols = [
      ...plan.symbols,
      ...further.filter(({ name }) => !plan.symbols.some((one) => one.name === name)),
    ];
    return { ...plan, symbols, guesses: further.length > 0 ? [...plan.guesses, 'symbols'] : plan.guesses };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { kernel: nameOf(subject), refusal: error.message };
  }
}

/** The kernel as its description calls it, else as the source does. */
function nameOf({ description, item, source }: Subject): string {
  return description.kernel ?? item.names.at(-1) ?? basename(source.path);
}

function planFor({ source, item, description }: Subject, isDraft = false): Plan {
  mustBeSupported(item.tokens);
  const plain = signatureOf(item, source.items);
  const site = findSite(source.items, plain);
  const values = templateArguments(description.kernel) ?? usualArguments(plain, site, source) ?? [];
  const signature = values.length > 0 ? signatureOf(item, source.items, values) : plain;
  mustBeInstantiated(signature, values);
  mustBeAlone(signature, source.items);
  return makePlan(signature, values, site, description, source.items, isDraft);
}

/** Throws a UsageError for a kernel with overloads: its name alone does not say which is meant. */
function mustBeAlone({ name, file, line, item }: Signature, items: readonly Item[]): void {
  const other = kernelsIn(items).find(
    (one) => one !== item && [...one.scope.filter(Boolean), ...one.names].join('::') === name,
  );
  if (!other) return;
  const { line: there } = other.tokens[other.parenthesis ?? 0] ?? { line: 0 };
  throw new UsageError(
    `${file}:${line}: there is another kernel ${name}, at line ${there}, and kernels are told apart by their names; give one of them a name of its own`,
  );
}

async function checkKernel(subject: Subject, request: CheckRequest, host: CheckHost): Promise<Checked> {
  const { source } = subject;
  let plan: Plan | undefined;
  try {
    plan = planFor(subject);
    const { compilers, context, operationOf } = host;
    const artifact = await buildKernel(source, plan.kernel, plan, compilers, context);
    const workshop = { compilers, context, operationOf, include: request.include };
    const self = { source, library: artifact.path };
    const described = [...(request.description ? [dirname(request.description)] : []), dirname(source.path)];
    const [given, folders] =
      request.against === undefined
        ? [subject.description.reference, described]
        : [request.against, [process.cwd()]];
    const reference = await makeReference(given, plan, self, { ...workshop, folders }, described);
    const verdict = await judge(plan, artifact, reference, request, host);
    const alone = reference.library === artifact.path;
    return {
      kernel: plan.kernel,
      plan,
      verdict: alone ? withoutReference(verdict, plan) : verdict,
      key: artifact.key,
    };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { kernel: plan?.kernel ?? nameOf(subject), ...(plan && { plan }), refusal: error.message };
  }
}

async function judge(
  plan: Plan,
  artifact: Artifact,
  reference: ReferenceJson,
  request: CheckRequest,
  host: CheckHost,
): Promise<Verdict> {
  mustBeKnowable(plan, reference);
  const session = await host.session();
  const gate = { ...request.gate, dump: request.dump };
  const ask = (one: Plan, cases: readonly GateCase[]) =>
    gateVariant(session, artifact, familyOf(one, cases), gate);
  try {
    const cases = casesFor(plan, artifact.path, reference);
    const verdict = await ask(plan, cases);
    mustBeKnown(verdict, plan, cases[0]?.id);
    const harmless = withHarmlessValues(plan, verdict);
    if (harmless) {
      const again = await ask(harmless, casesFor(harmless, artifact.path, reference));
      if (again.verdict !== verdict.verdict) throw askForValues(verdict, plan);
    }
    return withAdvice(verdict, plan, cases[0]?.id);
  } catch (error) {
    if (error instanceof UsageError)
      throw new UsageError(error.message.replace(/^\S*family.ts: the family asks .*? refuses: /, ''));
    throw error;
  }
}

/** Throws a UsageError where the description asks for what this kind of reference does not say. */
function mustBeKnowable(plan: Plan, { kind }: ReferenceJson): void {
  if (kind === 'function') return;
  const { kernel } = plan;
  if (plan.prints)
    throw new UsageError(`${kernel}: what it prints is compared with a reference in C or C++ alone`);
  if (kind === 'python') return;
  const loose = plan.arguments.find((one) => one.kind === 'tensor' && one.unspecified);
  if (loose)
    throw new UsageError(
      `${kernel}: a reference in C, C++ or Python alone says which elements of '${loose.name}' are unspecified`,
    );
}

/** The kernel was compared with itself under another order of threads. */
function withoutReference(verdict: Verdict, { guesses }: Plan): Verdict {
  const { evidence } = verdict;
  if (verdict.verdict === 'passed') {
    const guessed =
      guesses.length > 0 ? `; guessed: ${guesses.join(', ')} (\`npx gen describe\` shows them)` : '';
    const advice = `no reference (--against): the results of several orders of threads agree, right or wrong${guessed}`;
    return { ...verdict, evidence: { advice, ...evidence } };
  }
  if (verdict.verdict === 'unwritten')
    return { ...verdict, evidence: { ...evidence, message: evidence.message.replace(/: expected .*$/, '') } };
  if (verdict.verdict !== 'wrong' && verdict.verdict !== 'nonfinite') return verdict;
  const message = `the result depends on the order of threads: ${evidence.message}`;
  return { ...verdict, verdict: 'nondeterministic', evidence: { ...evidence, message } };
}
