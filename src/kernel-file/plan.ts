import { UsageError } from '../errors.ts';
import { guess, type PlannedArgument, planParameter } from './arguments.ts';
import { clusterFor, mustHaveOwnShared } from './cluster.ts';
import { type DerivedSizes, derivedOf } from './derived.ts';
import type { Description, ToleranceDescription } from './description.ts';
import type { Expression } from './expression.ts';
import { evaluate, isKnown, productOf, type Sizes } from './expression.ts';
import { hintsOf } from './hints.ts';
import type { Item } from './items.ts';
import { reachable } from './rewrite.ts';
import type { Signature } from './signature.ts';
import type { Site } from './sites.ts';
import { guessWhere, sizesFor, threadsAt } from './sizes.ts';
import { planStructs, pointsToStructs } from './structs.ts';
import { type PlannedSymbol, planVariables, wordsOf } from './symbols.ts';
import { sharedStatements } from './variables.ts';

/** A description with every default filled in. */
export interface Plan {
  readonly signature: Signature;
  /** As it is called: `ns::scan<256>`. */
  readonly kernel: string;
  readonly sizes: readonly Sizes[];
  /** Of the first set: sizes that follow from others. */
  readonly derived: DerivedSizes;
  readonly ragged: boolean;
  readonly where?: string;
  readonly arguments: readonly PlannedArgument[];
  readonly symbols: readonly PlannedSymbol[];
  /** Variables that a launch finds as the one before left them. */
  readonly kept: readonly string[];
  readonly grid: readonly Expression[];
  readonly block: readonly Expression[];
  /** Blocks of a cluster; absent: no clusters. */
  readonly cluster?: readonly Expression[];
  readonly shared: Expression;
  readonly tolerance?: ToleranceDescription;
  readonly deterministic: boolean;
  /** All blocks are there at once: the kernel synchronises its grid. */
  readonly cooperative: boolean;
  /** The reference prints what the kernel should. */
  readonly prints: boolean;
  /** Kinds of findings that are meant. */
  readonly allow: readonly string[];
  /** Names of arguments, and of other things, whose value is a guess. */
  readonly guesses: readonly string[];
  /** Of a draft: what the description has to say still, a sentence each. */
  readonly open: readonly string[];
}

/** Yardsticks of a plan's tolerances, each once; undefined: the reference, in another precision. */
export function yardsticksOf({
  tolerance,
  arguments: given,
}: Pick<Plan, 'tolerance' | 'arguments'>): readonly (string | undefined)[] {
  const all = [tolerance, ...given.map((one) => (one.kind === 'tensor' ? one.tolerance : undefined))];
  return [...new Set(all.flatMap((one) => (typeof one === 'object' && 'times' in one ? [one.of] : [])))];
}

/** Answer of `ask`, or `otherwise` where only a person can tell: of a draft; without one the UsageError stands. */
type Settle = <T>(ask: () => T, otherwise: T) => T;

const mustBeSettled: Settle = (ask) => ask();

/** Settles what can be, and notes in `open` what cannot. */
function settleInto(open: string[]): Settle {
  return (ask, otherwise) => {
    try {
      return ask();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      open.push(error.message);
      return otherwise;
    }
  };
}

const usualBlock = 256;

/**
 * The kernel's parameters, template arguments, launch site and description, put together. Throws a UsageError where these leave
 * something open; with `isDraft` the plan lacks it and names it.
 */
export function makePlan(
  signature: Signature,
  templates: readonly string[],
  site: Site | undefined,
  description: Description,
  items: readonly Item[],
  isDraft = false,
): Plan {
  const guesses: string[] = [];
  const open: string[] = [];
  const settle = isDraft ? settleInto(open) : mustBeSettled;
  const sizes = sizesFor(signature, description, site, items, guesses);
  const [first = {}] = sizes;
  const block =
    dimensions(description.block) ??
    knownBlock(site, first) ??
    settle(() => guess(guesses, 'block', oneDimension('block', [usualBlock], signature, site?.block)), []);
  const free = freeNames(site?.block, block);
  const hints = hintsOf(signature, site, { ...first, ...free }, items, threadsOf(block, first));
  const planned = signature.parameters.flatMap((parameter, index) =>
    settle(() => {
      const given = description.arguments?.[parameter.name];
      return pointsToStructs(parameter, given, items)
        ? planStructs(parameter, signature, given, items, first, guesses)
        : planParameter(parameter, signature, description, items, first, guesses, hints);
    }, []).map((one) => ({ ...one, parameter: index })),
  );
  refuseStrangers(signature, description);
  const where = whereFor(description, signature, site, guesses);
  const cluster = clusterFor(signature, dimensions(description.cluster), items);
  const kernel = `${signature.name}${templates.length > 0 ? `<${templates.join(', ')}>` : ''}`;
  const roots = rootsOf(kernel, planned);
  const cooperative = mentions(items, roots, /^(this_grid|grid_group)$/);
  if (!description.grid) settle(() => mustBeSmall(signature, site, first), undefined);
  if (cooperative || cluster) mustHaveOwnShared(reachable(items, wordsOf(roots)));
  return {
    signature,
    kernel,
    sizes,
    derived: derivedOf([description.sizes ?? {}].flat()[0] ?? {}),
    ragged: description.ragged ?? true,
    arguments: planned,
    ...planVariables(description.symbols, roots, items, guesses),
    grid:
      dimensions(description.grid) ??
      knownGrid(site, first, free) ??
      settle(() => guessGrid(signature, site, planned, first, block, guesses), []),
    block,
    shared: description.shared ?? knownShared(site, first, free) ?? guessShared(items, roots, guesses),
    deterministic: description.deterministic ?? !addsFloats(signature),
    cooperative,
    prints: description.prints ?? false,
    allow: description.allow ?? [],
    guesses,
    open,
    ...(where !== undefined && { where }),
    ...(cluster && { cluster }),
    ...(description.tolerance !== undefined && { tolerance: description.tolerance }),
  };
}

/** Condition on the sizes: described, or guessed where they are. */
function whereFor({ where }: Description, signature: Signature, site: Site | undefined, guesses: string[]) {
  return where ?? (guesses.includes('sizes') ? guessWhere(signature, site, guesses) : undefined);
}

/** Names of what a call needs: the kernel, and functions that it is given. */
export function rootsOf(kernel: string, given: readonly PlannedArgument[]): string {
  return [kernel, ...given.flatMap((one) => (one.kind === 'function' ? (one.value ?? []) : []))].join(' ');
}

/** None, which is a guess where a kernel declares dynamic shared memory. */
function guessShared(items: readonly Item[], roots: string, guesses: string[]): number {
  const isDeclared = [...reachable(items, wordsOf(roots))].some(({ kind, marks, tokens }) =>
    [...sharedStatements(tokens), ...(kind === 'variable' && marks.has('shared') ? [tokens] : [])].some(
      (statement) => statement.some(({ text }) => text === 'extern'),
    ),
  );
  return isDeclared ? guess(guesses, 'shared', 0) : 0;
}

function mentions(items: readonly Item[], roots: string, word: RegExp): boolean {
  return [...reachable(items, wordsOf(roots))].some(({ tokens }) =>
    tokens.some(({ text }) => word.test(text)),
  );
}

/** `256`, `float` of `scan<256, float>`. */
export function templateArguments(kernel: string | undefined): string[] | undefined {
  const inside = /<(.*)>\s*$/.exec(kernel ?? '')?.[1];
  return inside === undefined ? undefined : inside.split(',').map((part) => part.trim());
}

function dimensions(given: Description['grid']): readonly Expression[] | undefined {
  return given === undefined ? undefined : Array.isArray(given) ? given : [given];
}

/** The block of a launch site, where its size follows from the sizes alone. */
function knownBlock(site: Site | undefined, sizes: Sizes): readonly Expression[] | undefined {
  return site?.block.every((one) => isKnown(one, sizes)) ? site.block : undefined;
}

/** `block_size` at a launch site that nobody knows stands for the block that was chosen. */
function freeNames(block: readonly string[] | undefined, chosen: readonly Expression[]): Sizes {
  const [name = ''] = block ?? [];
  const [threads] = chosen;
  return /^[A-Za-z_]\w*$/.test(name) && typeof threads === 'number' ? { [name]: threads } : {};
}

function knownGrid(site: Site | undefined, sizes: Sizes, free: Sizes): readonly Expression[] | undefined {
  return site?.grid.every((one) => isKnown(one, { ...sizes, ...free }) && !isNever(one))
    ? site.grid.map((one) => fixed(one, free))
    : undefined;
}

/** No blocks whatever the sizes: the variable gets its value elsewhere. */
function isNever(expression: string): boolean {
  return isKnown(expression, {}) && evaluate(expression, {}) <= 0;
}

function knownShared(site: Site | undefined, sizes: Sizes, free: Sizes): Expression | undefined {
  const isTold = site?.shared !== undefined && isKnown(site.shared, { ...sizes, ...free });
  return isTold ? fixed(site.shared ?? '0', free) : undefined;
}

/** `block_size` written as a number: it is no size of the description. */
function fixed(expression: string, free: Sizes): string {
  return expression.replaceAll(/[A-Za-z_]\w*/g, (name) => String(free[name] ?? name));
}

/** A guess, where one dimension is all that the kernel asks for. Throws a UsageError where it uses more. */
function oneDimension<T>(
  what: 'grid' | 'block',
  guessed: T,
  { item, name, file, line }: Signature,
  launched: readonly string[] | undefined,
): T {
  const word = what === 'grid' ? 'blockIdx' : 'threadIdx';
  // Preprocessed it is `(simt::ids->block).y`.
  const pattern = what === 'grid' ? /^(blockIdx|block \))$/ : /^(threadIdx|thread \))$/;
  const words = item.tokens.map(({ text }) => text);
  const further = words.findIndex(
    (text, i) =>
      text === '.' &&
      /^[yz]$/.test(words[i + 1] ?? '') &&
      (pattern.test(words[i - 1] ?? '') || pattern.test(words.slice(i - 2, i).join(' '))),
  );
  if (further < 0) return guessed;
  const said = launched
    ? `the launch in the file has a ${what} that its sizes do not tell: ${shortened(launched.join(', '))}`
    : `no launch in the file says what its ${what} is`;
  throw new UsageError(
    `${file}:${line}: ${name} uses ${word}.${words[further + 1]}, and ${said}; say it above the kernel: /* tilewright ${what}: ${what === 'grid' ? '["ceil_div(N, 64)", "ceil_div(M, 64)"]' : '[16, 16]'} */`,
  );
}

const mostThreads = 1 << 21;

/** Throws a UsageError where the launch in the file has more threads than a CPU runs in seconds. */
function mustBeSmall({ file, line, name }: Signature, site: Site | undefined, sizes: Sizes): void {
  const threads = threadsAt(site, sizes);
  if (threads <= mostThreads) return;
  throw new UsageError(
    `${file}:${line}: the launch of ${name} in the file has ${threads} threads, and the emulated device runs a million in seconds; describe a smaller one above the kernel, and arrays to suit it: /* tilewright { grid: 4, arguments: { … } } */`,
  );
}

function shortened(text: string): string {
  return text.length > 100 ? `${text.slice(0, 97)}…` : text;
}

/** A thread for each element of the first output. */
function guessGrid(
  signature: Signature,
  site: Site | undefined,
  planned: readonly PlannedArgument[],
  sizes: Sizes,
  block: readonly Expression[],
  guesses: string[],
): readonly Expression[] {
  const output = planned.find((one) => one.kind === 'tensor' && one.role !== 'in');
  const shape = output?.kind === 'tensor' ? output.shape : Object.keys(sizes);
  const grid = [`ceil_div(${shape.join(' * ') || 1}, ${threadsOf(block, sizes)})`];
  return guess(guesses, 'grid', oneDimension('grid', grid, signature, site?.grid));
}

function threadsOf(block: readonly Expression[], sizes: Sizes): number {
  return productOf(block, sizes);
}

/** The order of additions to a float decides its last bits. */
function addsFloats({ item: { tokens, body = 0 }, parameters }: Signature): boolean {
  const hasFloats = parameters.some(
    ({ pointer, isConst, element }) => pointer && !isConst && /f/.test(element ?? ''),
  );
  return hasFloats && tokens.some(({ text }, i) => i > body && /^atomic(Add|Sub)$/.test(text));
}

function refuseStrangers({ parameters, name }: Signature, { arguments: given = {} }: Description): void {
  const known = parameters.map((parameter) => parameter.name);
  const stranger = Object.keys(given).find((one) => !known.includes(one));
  if (stranger !== undefined)
    throw new UsageError(`${name} has no parameter '${stranger}'; it has: ${known.join(', ')}`);
}
