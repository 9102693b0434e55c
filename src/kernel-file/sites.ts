import type { Item } from './items.ts';
import type { Signature } from './signature.ts';
import { join, matching, splitCommas, type Token } from './tokens.ts';

/** A kernel launch in the source's own host code: expressions over the kernel's parameters as far as they can be told. */
export interface Site {
  readonly template: readonly string[];
  readonly grid: readonly string[];
  readonly block: readonly string[];
  readonly shared?: string;
}

/** The first launch of a kernel in a source. */
export function findSite(items: readonly Item[], { item: kernel, parameters }: Signature): Site | undefined {
  for (const { kind, tokens } of items) {
    if (kind !== 'function') continue;
    for (let i = 0; i < tokens.length; i++) {
      if (tokens[i]?.text !== '<<<') continue;
      const callee = calleeBefore(tokens, i);
      if (callee.name !== kernel.names.at(-1)) continue;
      const close = closeOf(tokens, i);
      const given = splitCommas(tokens.slice(close + 4, matching(tokens, close + 3)));
      const names = Object.fromEntries(
        given.flatMap((part, k) =>
          part.length === 1 && parameters[k] ? [[part[0]?.text, parameters[k].name]] : [],
        ),
      );
      const [grid = [], block = [], shared] = splitCommas(tokens.slice(i + 1, close));
      const before = tokens.slice(0, i);
      const text = (part: readonly Token[]) => dimensionsOf(part, before, names);
      return {
        template: callee.template,
        grid: text(grid),
        block: text(block),
        ...(shared && join(shared) !== '0' && { shared: text(shared)[0] ?? '0' }),
      };
    }
  }
  return undefined;
}

function calleeBefore(tokens: readonly Token[], site: number) {
  let i = site - 1;
  const template: string[] = [];
  if (tokens[i]?.text === '>') {
    const end = i;
    for (let depth = 0; i >= 0; i--) {
      if (tokens[i]?.text === '>') depth++;
      if (tokens[i]?.text === '<' && --depth === 0) break;
    }
    template.push(...splitCommas(tokens.slice(i + 1, end)).map(join));
    i--;
  }
  return { name: tokens[i]?.text, template };
}

/** Index of the first of the three `>` that end a launch configuration. */
function closeOf(tokens: readonly Token[], site: number): number {
  for (let i = site + 1; i < tokens.length; i++) {
    if (tokens[i]?.text === '(') i = matching(tokens, i);
    else if ([0, 1, 2].every((k) => tokens[i + k]?.text === '>')) return i;
  }
  return tokens.length;
}

type Names = Readonly<Record<string, string>>;

/** `dim3(a, b)`, a variable of that type, or one expression. */
function dimensionsOf(part: readonly Token[], before: readonly Token[], names: Names): string[] {
  const [first, second] = part;
  if (first?.text === 'dim3' && second?.text === '(')
    return splitCommas(part.slice(2, matching(part, 1))).map((one) => resolve(one, before, names));
  if (part.length === 1 && first) {
    const at = before.findLastIndex(
      (token, i) => token.text === first.text && before[i - 1]?.text === 'dim3',
    );
    if (at >= 0 && /^[({]$/.test(before[at + 1]?.text ?? ''))
      return splitCommas(before.slice(at + 2, matching(before, at + 1))).map((one) =>
        resolve(one, before, names),
      );
    const value = assigned(first.text, before);
    if (value?.[0]?.text === 'dim3') return dimensionsOf(value, before, names);
  }
  return [resolve(part, before, names)];
}

/** An expression with the values of local variables put in, over the kernel's own parameters. */
function resolve(part: readonly Token[], before: readonly Token[], names: Names, depth = 0): string {
  const words = part.flatMap((token, i) => {
    if (token.kind !== 'word') return [token.text];
    const known = names[token.text];
    if (known !== undefined) return [known];
    const called = part[i + 1]?.text === '(';
    const value = depth < 6 && !called ? assigned(token.text, before) : undefined;
    return value ? [`(${resolve(value, before, names, depth + 1)})`] : [token.text];
  });
  return words
    .join(' ')
    .replaceAll(/\bsizeof \( (\w+) \)/g, (all, type: string) => String(bytes[type] ?? all))
    .replaceAll(/\( (?:int|unsigned|size_t|unsigned int) \)/g, '')
    .replaceAll(/\( (\w+) \)(?! \()/g, '$1')
    .replaceAll(/\bCEIL_DIV\b|\bcdiv\b|\bdivUp\b|\bdiv_up\b/g, 'ceil_div')
    .replaceAll(' . x', '')
    .replaceAll(/\((\d+|[A-Za-z_]\w*)\)/g, '$1')
    .replaceAll(/\( /g, '(')
    .replaceAll(/ (?=[),])/g, '')
    .replaceAll(/(\w) \(/g, '$1(')
    .replace(/^\((\w+|\w+\([^()]*\)|[^()]*)\)$/, '$1');
}

const bytes: Readonly<Record<string, number>> = {
  float: 4,
  int: 4,
  double: 8,
  half: 2,
  __half: 2,
  unsigned: 4,
  float4: 16,
  char: 1,
};

/** Tokens last assigned to a local variable. */
function assigned(name: string, before: readonly Token[]): Token[] | undefined {
  const at = before.findLastIndex((token, i) => token.text === name && before[i + 1]?.text === '=');
  if (at < 0) return undefined;
  const end = before.findIndex(
    ({ text }, i) => i > at && (text === ';' || (text === ',' && before[i - 1]?.kind === 'number')),
  );
  const behind = end < 0 ? before.length : end;
  return before.slice(at + 2, behind);
}
