/** A piece of C++ text. A preprocessor line, with those that continue it, is one token. */
export interface Token {
  readonly kind: 'word' | 'number' | 'text' | 'mark' | 'directive';
  readonly text: string;
  /** Offset of its first character. */
  readonly at: number;
}

/** Longest first: `<<=` before `<<` before `<`. */
const marks = ['<<=', '>>=', '...', '->*', '<=>']
  .concat(['::', '->', '++', '--', '<<', '>>', '<=', '>=', '==', '!=', '&&', '||'])
  .concat(['+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '##']);

const comment = /\/\/(?:\\\n|[^\n])*|\/\*[\s\S]*?\*\//y;
const directive = /#(?:\\\n|[^\n])*/y;
const word = /[A-Za-z_]\w*/y;
const number = /\.?\d(?:[eEpP][+-]|['\w.])*/y;
const literal = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/y;
const space = /\s+/y;

/** Splits C++ text into tokens, without spaces and comments. Every other character is part of one token. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let lineBegins = true;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  while (at < text.length) {
    const skipped = match(space) ?? match(comment);
    if (skipped !== undefined) {
      lineBegins ||= skipped.includes('\n');
      at += skipped.length;
      continue;
    }
    const token = next(text, at, lineBegins, match);
    tokens.push(token);
    lineBegins = token.kind === 'directive';
    at += token.text.length;
  }
  return tokens;
}

function next(
  text: string,
  at: number,
  lineBegins: boolean,
  match: (pattern: RegExp) => string | undefined,
): Token {
  const line = lineBegins ? match(directive) : undefined;
  if (line !== undefined) return { kind: 'directive', text: line, at };
  for (const [kind, pattern] of [
    ['word', word],
    ['number', number],
    ['text', literal],
  ] as const) {
    const found = match(pattern);
    if (found !== undefined) return { kind, text: found, at };
  }
  const mark = marks.find((one) => text.startsWith(one, at)) ?? text.charAt(at);
  return { kind: 'mark', text: mark, at };
}

/** The number of the line that holds an offset, from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
