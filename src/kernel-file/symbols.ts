import { UsageError } from '../errors.ts';
import type { Description, SymbolDescription, ValuesDescription } from './description.ts';
import type { Expression } from './expression.ts';
import type { Item } from './items.ts';
import { reachable } from './rewrite.ts';
import type { ElementType } from './signature.ts';
import { variableNames } from './variables.ts';

/** A `__constant__` or `__device__` variable that is filled before each launch, as `cudaMemcpyToSymbol` would. */
export interface PlannedSymbol {
  readonly name: string;
  /** Element type where the description gives one, else the declaration's, which only the compiler knows. */
  readonly type?: ElementType;
  readonly values: ValuesDescription | { readonly all: Expression };
}

/** The names in `ns::scan<256, kWidth>`, or in several such. */
export function wordsOf(kernel: string): string[] {
  return kernel.match(/[A-Za-z_]\w*/g) ?? [];
}

/** The variables in device memory that a function's code reaches: name, and name with namespaces. */
export function variablesOf(items: readonly Item[], words: readonly string[]): ReadonlyMap<string, string> {
  const found = [...reachable(items, words)].flatMap((item) =>
    variableNames(item).map((name) => [name, [...item.scope.filter(Boolean), name].join('::')] as const),
  );
  return new Map(found);
}

/**
 * The symbols of a description, and guesses for floats that the file leaves to its host code: zeros would hide most errors. Throws
 * a UsageError, which names the variables there are, for one that the kernel does not use.
 */
function planSymbols(
  given: Description['symbols'] = {},
  kernel: string,
  items: readonly Item[],
  guesses: string[],
): PlannedSymbol[] {
  const known = [...variablesOf(items, wordsOf(kernel)).keys()];
  const stranger = Object.keys(given).find((name) => !known.includes(name));
  if (stranger !== undefined)
    throw new UsageError(
      `${kernel} uses no __constant__ or __device__ variable '${stranger}' that can be filled; it uses: ${known.join(', ') || 'none'}`,
    );
  const guessed = openSymbols(kernel, items).filter(({ name, isFloat }) => isFloat && !(name in given));
  if (guessed.length > 0) guesses.push('symbols');
  return [
    ...Object.entries(given).map(([name, symbol]) => planSymbol(name, symbol)),
    ...guessed.map(({ name }) => ({ name, values: 'normal' as const })),
  ];
}

/** A guess for whole numbers that the file leaves to its host code, for a draft: in a check they are 0, which is in no array's way. */
export function guessWholeSymbols(kernel: string, items: readonly Item[]): PlannedSymbol[] {
  return openSymbols(kernel, items)
    .filter(({ isFloat }) => !isFloat)
    .map(({ name }) => ({ name, values: { integers: [0, 9] } }));
}

/** Constants without a value of their own. */
function openSymbols(kernel: string, items: readonly Item[]) {
  return [...reachable(items, wordsOf(kernel))]
    .filter(({ marks, tokens }) => marks.has('constant') && !tokens.some(({ text }) => /^[={]$/.test(text)))
    .flatMap((item) => {
      const isFloat = item.tokens.some(({ text }) =>
        /^(float|double)[234]?$|^(__)?(half2?|nv_bfloat16\d?)$/.test(text),
      );
      return variableNames(item).map((name) => ({ name, isFloat }));
    });
}

function planSymbol(name: string, given: SymbolDescription): PlannedSymbol {
  const object = typeof given === 'object' && 'type' in given ? given : { values: given, type: undefined };
  const { values, type } = object;
  return { name, values: isExpression(values) ? { all: values } : values, ...(type && { type }) };
}

const kinds = new Set(['normal', 'zeros', 'ones', 'one-hot', 'ascending']);

function isExpression(values: ValuesDescription | Expression): values is Expression {
  return typeof values === 'number' || (typeof values === 'string' && !kinds.has(values));
}

/**
 * Variables that keep from launch to launch what the kernel leaves in them: those in `__device__` memory that neither the description
 * fills nor anything else in the files mentions, but to read them.
 */
function keptVariables(items: readonly Item[], roots: string, symbols: readonly PlannedSymbol[]): string[] {
  const reached = reachable(items, wordsOf(roots));
  const others = items.filter((item) => !reached.has(item));
  const isSet = (name: string) =>
    symbols.some((symbol) => symbol.name === name) ||
    others.some(({ tokens }) =>
      tokens.some(
        ({ text }, i) => text === name && !/^cudaMemcpyFromSymbol(Async)?$/.test(callOf(tokens, i)),
      ),
    );
  return [...reached]
    .filter(({ marks }) => marks.has('device') && !marks.has('constant'))
    .flatMap(variableNames)
    .filter((name) => !isSet(name));
}

/** The function in whose call the token of that number stands. */
function callOf(tokens: Item['tokens'], at: number): string {
  let depth = 0;
  for (let i = at - 1; i > 0; i--) {
    if (tokens[i]?.text === ')') depth++;
    if (tokens[i]?.text === '(' && depth-- === 0) return tokens[i - 1]?.text ?? '';
    if (tokens[i]?.text === ';') return '';
  }
  return '';
}

/** Contents of a kernel's variables in device memory before a launch: those that are filled, and those that stay as they are. */
export function planVariables(
  given: Description['symbols'],
  roots: string,
  items: readonly Item[],
  guesses: string[],
): { readonly symbols: readonly PlannedSymbol[]; readonly kept: readonly string[] } {
  const symbols = planSymbols(given, roots, items, guesses);
  return { symbols, kept: keptVariables(items, roots, symbols) };
}

/**
 * C++ that lists a kernel's symbols for the runner (`tw_symbols`, harness/check/symbol.hpp) and fills them from tensors whose
 * addresses lie behind those of the arguments. A reference may lack some of them. `nameOf`: what to fill in a variable's place;
 * `further`: statements that follow.
 */
export function symbolCode(
  symbols: readonly PlannedSymbol[],
  variables: ReadonlyMap<string, string>,
  firstSlot: number,
  prepare: string,
  nameOf = (variable: string) => variable,
  further = '',
): string {
  const own = symbols.flatMap(({ name, type }, i) => {
    const variable = variables.get(name);
    return variable === undefined ? [] : [{ name, type, variable: nameOf(variable), slot: firstSlot + i }];
  });
  const rows = own.map(
    ({ name, type, variable }) =>
      `tw::symbol<decltype(${variable})>("${name}", ${type ? `"${type}"` : 'nullptr'})`,
  );
  const fills = own.map(({ variable, slot }) => `tw::fill(${variable}, call, ${slot}, stream);`);
  return (
    `extern "C" { extern const tw::Symbol tw_symbols[] = { ${[...rows, '{}'].join(', ')} };\n` +
    `void ${prepare}([[maybe_unused]] const void* call, [[maybe_unused]] void* stream) { ${[...fills, further].join(' ')} } }\n`
  );
}
