import type { Counts, Hints } from './arguments.ts';
import type { Expression } from './expression.ts';
import { evaluate, isKnown, type Sizes } from './expression.ts';
import type { Item } from './items.ts';
import type { Signature } from './signature.ts';
import { constantExpression, type Site } from './sites.ts';
import { countsOf } from './sizes.ts';
import { matching, type Token } from './tokens.ts';

/** Zeros for what host code clears, and indices of an array of known length for what walks it. */
export function hintsOf(
  signature: Signature,
  site: Site | undefined,
  sizes: Sizes,
  items: readonly Item[],
  threads = 1,
): Hints {
  const counts = countsOf(signature, site, sizes);
  const cleared = site?.zeroed.map((name) => [name, 'zeros'] as const) ?? [];
  const indices = signature.parameters
    .filter(({ pointer, element }) => pointer && /^[iu]/.test(element ?? ''))
    .flatMap(({ name, element = 'i32' }) => {
      const length = indexedLength(name, signature.item, counts, items);
      if (length === undefined) return [];
      const most = Math.min(length, greatest[element] ?? length + 1) - 1;
      return [[name, { integers: [0, most] as [number, number] }] as const];
    });
  return {
    threads,
    counts,
    rows: rowsOf(signature, sizes),
    values: Object.fromEntries([...indices, ...cleared]),
  };
}

/** The size that the first place of each pointer, `p[..]` or `p + ..;`, multiplies a row's number by. */
function rowsOf({ parameters, item: { tokens } }: Signature, sizes: Sizes): Hints['rows'] {
  const found = parameters.flatMap(({ name, pointer }) => {
    const at = tokens.findIndex(({ text }, i) => text === name && /^[[+]$/.test(tokens[i + 1]?.text ?? ''));
    if (!pointer || at < 0) return [];
    const end =
      tokens[at + 1]?.text === '['
        ? matching(tokens, at + 1)
        : tokens.findIndex(({ text }, i) => i > at && text === ';');
    const index = meaning(tokens.slice(at + 2, end), tokens).map(({ text }) => text);
    const row = index.find(
      (text, i) => text in sizes && index[i - 1] === '*' && (i + 1 === index.length || index[i + 1] === '+'),
    );
    return row === undefined ? [] : [[name, row] as const];
  });
  return Object.fromEntries(found);
}

/** An index, or what the variable that it is has been set to. */
function meaning(index: readonly Token[], tokens: readonly Token[]): readonly Token[] {
  const at = tokens.findIndex(({ text }, i) => text === index[0]?.text && tokens[i + 1]?.text === '=');
  if (index.length !== 1 || at < 0) return index;
  return tokens.slice(
    at + 2,
    tokens.findIndex(({ text }, i) => i > at && text === ';'),
  );
}

/** One more than the greatest value of a small type. */
const greatest: Readonly<Record<string, number>> = { i8: 128, u8: 256 };

/** Least length of the arrays that `a[p[i]]`, or `a[x]` behind `x = p[i]`, walks. */
function indexedLength(
  name: string,
  { tokens, body = 0 }: Item,
  counts: Counts,
  items: readonly Item[],
): number | undefined {
  const own = tokens.slice(body);
  const holders = new Set([name]);
  own.forEach(({ text }, i) => {
    if (text === name && own[i - 1]?.text === '=' && own[i + 1]?.text === '[')
      if (own[matching(own, i + 1) + 1]?.text === ';') holders.add(own[i - 2]?.text ?? '');
  });
  const lengths = own.flatMap(({ text }, i) => {
    const array = own[i - 2]?.text ?? '';
    if (!holders.has(text) || own[i - 1]?.text !== '[' || array === name) return [];
    const end = own[i + 1]?.text === '[' ? matching(own, i + 1) + 1 : i + 1;
    if (own[end]?.text !== ']') return [];
    const length = lengthOf(array, own, items) ?? counts[array];
    return length !== undefined && isKnown(String(length), {}) ? [evaluate(length, {})] : [];
  });
  return lengths.length > 0 ? Math.min(...lengths) : undefined;
}

/** Length of an array that a kernel declares: `unsigned bins[256]`. */
function lengthOf(array: string, own: readonly Token[], items: readonly Item[]): Expression | undefined {
  const at = own.findIndex(
    ({ text }, i) =>
      text === array &&
      own[i - 1]?.kind === 'word' &&
      own[i - 1]?.text !== 'return' &&
      own[i + 1]?.text === '[',
  );
  return at < 0 ? undefined : constantExpression(own.slice(at + 2, matching(own, at + 1)), items);
}
