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

/** More characters than anybody writes, and few enough for functions that call each other. */
const longest = 10_000;

/** Splits a condition into tokens; `in` comes out as an operator. Throws a UsageError at the first bad character. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  if (end > longest) fail(text, longest, `a condition has at most ${longest} characters, this one ${end}`);
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

/** Characters of a condition that a message shows on either side of the offending place. */
const shown = 60;

/** Throws a UsageError that shows the condition, or the part of it, with a mark under the offending place. */
export function fail(text: string, at: number, message: string): never {
  const start = at > 2 * shown ? at - shown : 0;
  const end = text.length > at + 2 * shown ? at + shown : text.length;
  const [before, after] = [start > 0 ? '…' : '', end < text.length ? '…' : ''];
  const line = (before + text.slice(start, end) + after).replaceAll(/\s/g, ' ');
  const mark = ' '.repeat(before.length + at - start);
  const said = message.replaceAll(/\S{100,}/g, (word) => `${word.slice(0, shown)}…`);
  throw new UsageError(`where, column ${at + 1}: ${said}\n  ${line}\n  ${mark}^`);
}
