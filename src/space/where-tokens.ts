import { UsageError } from '../errors.ts';

export interface Token {
  readonly kind: 'name' | 'number' | 'text' | 'operator' | 'end';
  /** For a text: what stands between the quotes. */
  readonly text: string;
  /** Offset of the first character. */
  readonly at: number;
}

const pattern =
  /\s*(?:(?<number>\d+(?:\.\d+)?)|(?<name>[A-Za-z_]\w*)|"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<operator>\|\||&&|[=!<>]=|[-+*/%<>!()[\],]))/y;

/** Splits a condition into tokens; `in` comes out as an operator. Throws a UsageError at the first bad character. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  pattern.lastIndex = 0;
  while (pattern.lastIndex < end) {
    const start = pattern.lastIndex;
    const match = pattern.exec(text);
    if (!match) refuse(text, start + (text.slice(start).search(/\S/) || 0));
    const { number, name, double, single, operator } = match.groups ?? {};
    const at = start + match[0].search(/\S/);
    if (number !== undefined) tokens.push({ kind: 'number', text: number, at });
    else if (name === 'in') tokens.push({ kind: 'operator', text: name, at });
    else if (name !== undefined) tokens.push({ kind: 'name', text: name, at });
    else if (operator !== undefined) tokens.push({ kind: 'operator', text: operator, at });
    else tokens.push({ kind: 'text', text: double ?? single ?? '', at });
  }
  return tokens;
}

const slips: Readonly<Record<string, string>> = {
  '=': "write '==' to compare",
  '&': "write '&&'",
  '|': "write '||'",
  '"': 'the quote is not closed',
  "'": 'the quote is not closed',
};

function refuse(text: string, at: number): never {
  const character = text[at] ?? '';
  fail(text, at, `unexpected '${character}'${slips[character] ? `: ${slips[character]}` : ''}`);
}

/** Throws a UsageError that shows the condition with a mark under the offending place. */
export function fail(text: string, at: number, message: string): never {
  throw new UsageError(`where, column ${at + 1}: ${message}\n  ${text}\n  ${' '.repeat(at)}^`);
}
