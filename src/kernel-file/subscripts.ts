import type { Item } from './items.ts';
import { matching, type Token, tokenise } from './tokens.ts';
import { sharedNames, variableNames } from './variables.ts';

/**
 * Subscripts whose index may leave its array, each as ` file:line:column ` of the closing bracket, as the compiler tells it.
 * An array in shared or device memory has an address, which the detector checks. A row of an array of several dimensions may
 * be walked on into the next one, which CUDA allows in practice.
 */
export function freeSubscripts(text: string, items: readonly Item[]): string {
  const addressed = new Set(items.flatMap((item) => [...sharedNames(item), ...variableNames(item)]));
  const tokens = tokenise(text);
  const places = tokens.flatMap(({ kind, text: name }, i) => {
    const closes = kind === 'word' ? subscriptsBehind(tokens, i) : [];
    return closes.length > 1 || addressed.has(name) ? closes.map((close) => placeOf(close, text)) : [];
  });
  return ` ${[...new Set(places)].join(' ')} `;
}

/** The closing brackets of `name[..][..]`. */
function subscriptsBehind(tokens: readonly Token[], name: number): Token[] {
  const closes: Token[] = [];
  for (let i = name + 1; tokens[i]?.text === '['; i++) {
    i = matching(tokens, i);
    closes.push(tokens[i] as Token);
  }
  return closes;
}

/** The compiler counts bytes from the begin of the preprocessed line, the first as 1. */
function placeOf({ file, line, begin }: Token, text: string): string {
  const lineBegin = text.lastIndexOf('\n', begin - 1) + 1;
  return `${file}:${line}:${Buffer.byteLength(text.slice(lineBegin, begin)) + 1}`;
}
