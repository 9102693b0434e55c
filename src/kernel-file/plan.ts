import { UsageError } from '../errors.ts';
import { type Expression, guess, type PlannedArgument, planParameter } from './arguments.ts';
import { clusterFor, mustHaveOwnShared } from './cluster.ts';
import type { Description, ToleranceDescription } from './description.ts';
import { evaluate, isKnown, type Sizes } from './expression.ts';
import { hintsOf } from './hints.ts';
import type { Item } from './items.ts';
import { reachable } from './rewrite.ts';
import type { Signature } from './signature.ts';
import type { Site } from './sites.ts';
import { guessWhere, sizesFor } from './sizes.ts';
import { planStructs, pointsToStructs } from './structs.ts';
import { type PlannedSymbol, planSymbols, wordsOf } from './symbols.ts';

/** A description with every default filled in. */
export interface Plan {
  readonly signature: Signature;
  /** As it is called: `ns::scan<256>`. */
  readonly kernel: string;
  readonly sizes: readonly Sizes[];
  readonly ragged: boolean;
  readonly where?: string;
  readonly arguments: readonly PlannedArgument[];
  readonly symbols: readonly PlannedSymbol[];
  readonly grid: readonly Expression[];
  readonly block: readonly Expression[];
  /** Blocks of a cluster; absent: no clusters. */
  readonly cluster?: readonly Expression[];
  readonly shared: Expression;
  readonly tolerance?: ToleranceDescription;
  readonly deterministic: boolean;
  /** All blocks are there at once: the kernel synchronises its grid. */
  readonly cooperative: boolean;
  /** Kinds of findings that are meant. */
  readonly allow: readonly string[];
  /** Names of arguments, and of other things, whose value is a guess. */
  readonly guesses: readonly string[];
  /** Of a draft: what the description has to say still, a sentence each. */
  readonly open: readonly string[];
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
    settle(() => guess(guesses, 'block', oneDimension('block', [usualBlock], signature)), []);
  const threads = { ...first, ...freeNames(site?.block, block) };
  const hints = hintsOf(signature, site, threads, items, threadsOf(block, first));
  const planned = signature.parameters.flatMap((parameter, index) =>
    settle(() => {
      const given = description.arguments?.[parameter.name];
      return pointsToStructs(parameter, given, items)
        ? planStructs(parameter, signature, given, items, first, guesses)
        : planParameter(parameter, signature, description, items, first, guesses, hints);
    }, []).map((one) => ({ ...one, parameter: index })),
  );
  refuseStrangers(signature, description);
  const { tolerance, deterministic } = description;
  const where =
    description.where ?? (guesses.includes('sizes') ? guessWhere(signature, site, guesses) : undefined);
  const cluster = clusterFor(signature, dimensions(description.cluster), items);
  const kernel = `${signature.name}${templates.length > 0 ? `<${templates.join(', ')}>` : ''}`;
  const roots = rootsOf(kernel, planned);
  const cooperative = mentions(items, roots, /^(this_grid|grid_group)$/);
  if (cooperative || cluster) mustHaveOwnShared(reachable(items, wordsOf(roots)));
  return {
    signature,
    kernel,
    sizes,
    ragged: description.ragged ?? true,
    arguments: planned,
    symbols: planSymbols(description.symbols, roots, items, guesses),
    grid:
      dimensions(description.grid) ??
      knownGrid(site, threads) ??
      settle(() => oneDimension('grid', guessGrid(planned, first, block, guesses), signature), []),
    block,
    shared: description.shared ?? knownShared(site, threads) ?? 0,
    deterministic: deterministic ?? !addsFloats(signature),
    cooperative,
    allow: description.allow ?? [],
    guesses,
    open,
    ...(where !== undefined && { where }),
    ...(cluster && { cluster }),
    ...(tolerance !== undefined && { tolerance }),
  };
}

/** Names of what a call needs: the kernel, and functions that it is given. */
export function rootsOf(kernel: string, given: readonly PlannedArgument[]): string {
  return [kernel, ...given.flatMap((one) => (one.kind === 'function' ? (one.value ?? []) : []))].join(' ');
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

function knownGrid(site: Site | undefined, sizes: Sizes): readonly Expression[] | undefined {
  return site?.grid.every((one) => isKnown(one, sizes))
    ? site.grid.map((one) => fixed(one, sizes))
    : undefined;
}

function knownShared(site: Site | undefined, sizes: Sizes): Expression | undefined {
  return site?.shared !== undefined && isKnown(site.shared, sizes) ? fixed(site.shared, sizes) : undefined;
}

/** `block_size` written as a number: it is no size of the description. */
function fixed(expression: string, sizes: Sizes): string {
  return expression.replaceAll(/\bblock_?[sS]ize\b|\b\w*threads\w*\b/gi, (name) =>
    String(sizes[name] ?? name),
  );
}

/** A guess, where one dimension is all that the kernel asks for. Throws a UsageError where it uses more. */
function oneDimension<T>(what: 'grid' | 'block', guessed: T, { item, name, file, line }: Signature): T {
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
  throw new UsageError(
    `${file}:${line}: ${name} uses ${word}.${words[further + 1]}, and no launch in the file says what its ${what} is; say it above the kernel: /* tilewright ${what}: ${what === 'grid' ? '["ceil_div(N, 64)", "ceil_div(M, 64)"]' : '[16, 16]'} */`,
  );
}

/** A thread for each element of the first output. */
function guessGrid(
  planned: readonly PlannedArgument[],
  sizes: Sizes,
  block: readonly Expression[],
  guesses: string[],
): readonly Expression[] {
  const output = planned.find((one) => one.kind === 'tensor' && one.role !== 'in');
  const shape = output?.kind === 'tensor' ? output.shape : Object.keys(sizes);
  return guess(guesses, 'grid', [`ceil_div(${shape.join(' * ') || 1}, ${threadsOf(block, sizes)})`]);
}

function threadsOf(block: readonly Expression[], sizes: Sizes): number {
  return block.map((one) => evaluate(one, sizes)).reduce((a, b) => a * b, 1);
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
