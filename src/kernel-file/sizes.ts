import { type Counts, isStruct, plainName } from './arguments.ts';
import { resolved } from './derived.ts';
import type { Description } from './description.ts';
import { evaluate, isKnown, type Sizes } from './expression.ts';
import { type Part, partsOf } from './fields.ts';
import type { Item } from './items.ts';
import { bytesOf, type ElementType, type Signature } from './signature.ts';
import type { Site } from './sites.ts';

/** Sizes that tiles and blocks tend to divide; others are tried beside them. */
const roundSizes: readonly (readonly number[])[] = [[], [1024], [64, 256], [64, 64, 32], [2, 64, 64, 64]];
const unevenSizes: readonly (readonly number[])[] = [[], [1000], [33, 200], [3, 33, 40], [2, 3, 33, 40]];

/** Elements of all tensors that a guess may come to: the emulated device is slow. */
const mostElements = 1 << 16;

/** Sizes as given, or guesses for the whole-number parameters that nobody gives a value: round ones first, then uneven ones. */
export function sizesFor(
  signature: Signature,
  description: Description,
  site: Site | undefined,
  items: readonly Item[],
  guesses: string[],
): readonly Sizes[] {
  if (description.sizes !== undefined) return [description.sizes].flat().map(resolved);
  const names = freeSizes(signature, description, items);
  if (names.length === 0) return [{}];
  guesses.push('sizes');
  const named = (values: readonly number[] | undefined) =>
    Object.fromEntries(names.map((name, i) => [name, values?.[i] ?? 2 + i]));
  return [
    hostSizes(names, site) ??
      launchable(named(roundSizes[names.length]), site, (some) => dividesTiles(some, site)),
    launchable(named(unevenSizes[names.length]), site),
  ];
}

function freeSizes(signature: Signature, description: Description, items: readonly Item[]): string[] {
  return signature.parameters
    .flatMap((parameter) => {
      const given = description.arguments?.[parameter.name];
      const parts: readonly Pick<Part, 'parameter' | 'given'>[] = isStruct(parameter)
        ? partsOf(parameter, given, items, parameter.name)
        : [{ parameter, ...(given !== undefined && { given }) }];
      return parts;
    })
    .filter(
      ({ parameter: { pointer, element }, given }) => !pointer && isWhole(element) && given === undefined,
    )
    .map(({ parameter }) => plainName(parameter));
}

function isWhole(element: ElementType | undefined): boolean {
  return element !== undefined && /^[iu](32|64)$/.test(element);
}

/** The sizes that the host code has, where they are small. */
function hostSizes(names: readonly string[], site: Site | undefined): Sizes | undefined {
  const values = names.map((name) => {
    const text = site?.values[name] ?? '';
    return isKnown(text, {}) ? evaluate(text, {}) : 0;
  });
  if (values.some((value) => value < 1) || values.reduce((a, b) => a * b, 1) > mostElements) return undefined;
  const sizes = Object.fromEntries(names.map((name, i) => [name, values[i] ?? 1]));
  return threadsAt(site, sizes) > mostThreads && threadsAt(site, scaled(sizes, 0)) <= mostThreads
    ? undefined
    : sizes;
}

/** Threads of a launch with guessed sizes: a loop over a size makes each of them slow on the emulated device. */
const mostThreads = 1 << 14;

/** Sizes for which the launch of the host code has blocks at all, a grid of `n / 128`, and no more than a CPU runs in a moment. */
function launchable(sizes: Sizes, site: Site | undefined, suits = (_: Sizes): boolean => true): Sizes {
  const hasBlocks = (some: Sizes) =>
    site?.grid.every((one) => !isKnown(one, some) || evaluate(one, some) > 0) ?? true;
  const isFast = (some: Sizes) => threadsAt(site, some) <= mostThreads;
  const all = [1, 2, 4, 8, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64]
    .map((factor) => scaled(sizes, factor))
    .filter(hasBlocks);
  return all.find((some) => isFast(some) && suits(some)) ?? all.find(isFast) ?? all[0] ?? sizes;
}

/** Whether the tiles of a launch are whole ones: `(n + 128 - 1) / 128` of them divide `n`. */
function dividesTiles(sizes: Sizes, site: Site | undefined): boolean {
  const tiles = (site?.grid ?? []).flatMap((one) => [
    ...one.matchAll(/([A-Za-z_]\w*) \+ (?:\d+ - 1|\d+)\) \/ (\d+)|ceil_div\(([A-Za-z_]\w*), (\d+)\)/g),
  ]);
  return tiles.every(([, name = '', width, called = '', by]) => {
    const size = sizes[name] ?? sizes[called];
    return size === undefined || size % Number(width ?? by) === 0;
  });
}

/** Threads of the launch in the host code, as far as the sizes tell. */
export function threadsAt(site: Site | undefined, sizes: Sizes): number {
  return [...(site?.grid ?? []), ...(site?.block ?? [])]
    .map((one) => (isKnown(one, sizes) ? evaluate(one, sizes) : 1))
    .reduce((product, one) => product * Math.max(one, 1), 1);
}

function scaled(sizes: Sizes, factor: number): Sizes {
  return Object.fromEntries(
    Object.entries(sizes).map(([name, value]) => [name, Math.max(1, Math.floor(value * factor))]),
  );
}

/** A grid of `n / 64` blocks takes multiples of 64; one whose blocks are counted takes no more elements than it has threads. */
export function guessWhere(
  { parameters, item }: Signature,
  site: Site | undefined,
  guesses: string[],
): string | undefined {
  if (!site) return undefined;
  const sizes = parameters.filter(({ pointer, element }) => !pointer && isWhole(element)).map(plainName);
  const conditions = site.grid.flatMap((one) =>
    [...one.matchAll(/(?<![\w)] ?)([A-Za-z_]\w*) \/ (\d+)/g)].flatMap(([, name = '', divisor]) =>
      sizes.includes(name) ? [`${name} % ${divisor} == 0`] : [],
    ),
  );
  const [only] = sizes;
  const threads = [...site.grid, ...site.block];
  const strides = item.tokens.some(({ text }) => /^(gridDim|blockDim|num_threads|for|while)$/.test(text));
  if (only && sizes.length === 1 && !strides && threads.every((one) => isKnown(one, {})))
    conditions.push(`${only} <= ${threads.reduce((product, one) => product * evaluate(one, {}), 1)}`);
  if (conditions.length === 0) return undefined;
  guesses.push('where');
  return [...new Set(conditions)].join(' && ');
}

/** Elements of the kernel's pointers by what the host code allocates, clears and copies. */
export function countsOf({ parameters }: Signature, site: Site | undefined, sizes: Sizes): Counts {
  return Object.fromEntries(
    parameters.flatMap(({ name, pointer, element }) => {
      const bytes = site?.bytes[name];
      if (!pointer || element === undefined || bytes === undefined || !isKnown(bytes, sizes)) return [];
      return [[name, elements(bytes, bytesOf[element])]];
    }),
  );
}

/** `n * 4` bytes of 4 are `n` elements. */
function elements(bytes: string, each: number): string | number {
  if (isKnown(bytes, {})) return evaluate(bytes, {}) / each;
  const [, count, last] = /^(.*) \* (\d+)$/.exec(bytes) ?? [];
  if (count !== undefined && Number(last) === each) return count;
  return each === 1 ? bytes : `(${bytes}) / ${each}`;
}
