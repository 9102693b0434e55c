/** One token of preprocessed C++, with the line of the user's source that it stands on. */
export interface Token {
  readonly kind: 'word' | 'number' | 'text' | 'punctuation' | 'system';
  readonly text: string;
  readonly begin: number;
  readonly end: number;
  readonly file: string;
  readonly line: number;
}

const pattern = [
  String.raw`(?<marker>^[ \t]*#[ \t]+\d+[ \t]+"(?:[^"\\\n]|\\.)*"[^\n]*$)`,
  String.raw`(?<directive>^[ \t]*#[^\n]*$)`,
  String.raw`(?<space>[ \t\r\f\v]+)`,
  String.raw`(?<newline>\n)`,
  String.raw`(?<raw>(?:u8|[uUL])?R"(?<delimiter>[^()\\\s]{0,16})\([\s\S]*?\)\k<delimiter>")`,
  String.raw`(?<text>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"|(?:u8|[uUL])?'(?:[^'\\\n]|\\.)+')`,
  String.raw`(?<word>[A-Za-z_$][\w$]*)`,
  String.raw`(?<number>\.?\d(?:[eEpP][+-]|[\w.]|'\w)*)`,
  String.raw`(?<punctuation><<<|::|->|&&|\|\||[-+*/%&|^=!<>]=|[^\s])`,
].join('|');

/** Position in the user's sources, as the preprocessor's line markers tell it. */
interface Place {
  file: string;
  line: number;
  system: boolean;
  /** Files that are not system headers: a macro of such a header may be expanded in one of them. */
  readonly own: Set<string>;
}

/**
 * Tokens of what `g++ -E` wrote. Stretches of system headers are one token each: they are passed on as they are. Pragmas
 * and markers are no tokens; they lie between them.
 */
export function tokenise(text: string): Token[] {
  const tokens: Token[] = [];
  const place: Place = { file: '', line: 1, system: false, own: new Set() };
  let systemBegin = 0;
  for (const match of text.matchAll(new RegExp(pattern, 'gm'))) {
    const groups = match.groups ?? {};
    const { index: begin } = match;
    const [all] = match;
    const end = begin + all.length;
    if (groups.marker !== undefined) {
      const before = { ...place };
      readMarker(all, place);
      if (!before.system && place.system) systemBegin = begin;
      if (before.system && !place.system && end > systemBegin)
        tokens.push({ kind: 'system', text: '', begin: systemBegin, end: begin, file: before.file, line: 0 });
    } else if (groups.newline !== undefined) place.line++;
    else if (!place.system) {
      const kind = kindOf(groups);
      if (kind) tokens.push({ kind, text: all, begin, end, file: place.file, line: place.line });
      if (groups.raw !== undefined) place.line += all.split('\n').length - 1;
    }
  }
  return tokens;
}

function kindOf(groups: Record<string, string | undefined>): Token['kind'] | undefined {
  if (groups.word !== undefined) return 'word';
  if (groups.number !== undefined) return 'number';
  if (groups.text !== undefined || groups.raw !== undefined) return 'text';
  return groups.punctuation === undefined ? undefined : 'punctuation';
}

/** `# 12 "softmax.cu" 1 3`: the next line is line 12 of that file; a 3 says that it is a system header. */
function readMarker(text: string, place: Place): void {
  const [, line = '1', file = '', flags = ''] = /#[ \t]+(\d+)[ \t]+"((?:[^"\\]|\\.)*)"(.*)/.exec(text) ?? [];
  place.line = Number(line) - 1; // the newline behind the marker counts
  place.file = unescaped(file);
  if (!/\b3\b/.test(flags)) place.own.add(place.file);
  place.system = !place.own.has(place.file);
}

/** Line marker that names a file, as the preprocessor writes it: quotes, backslashes and newlines are escaped. */
export function lineMarker(line: number, file: string): string {
  return `# ${line} ${inQuotes(file)}\n`;
}

/** A file's name as `#line` and line markers have it. */
export function inQuotes(file: string): string {
  return `"${file.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

function unescaped(file: string): string {
  return file.replaceAll(/\\(.)/g, (_, one: string) => (one === 'n' ? '\n' : one));
}

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
const closers = new Set(Object.values(closing));

/** Index of the token that closes what `tokens[open]` opens; the last one where nothing does. */
export function matching(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let i = open; i < tokens.length; i++) {
    const { text, kind } = tokens[i] as Token;
    if (kind !== 'punctuation') continue;
    if (text in closing) depth++;
    else if (closers.has(text) && --depth === 0) return i;
  }
  return tokens.length - 1;
}

/** Index behind a template's parameter or argument list that begins at `open`, which is a `<`. */
export function behindAngles(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let i = open; i < tokens.length; i++) {
    const { text } = tokens[i] as Token;
    if (text === '<') depth++;
    else if (text === '>' && --depth === 0) return i + 1;
    else if (text === '(' || text === '[' || text === '{') i = matching(tokens, i);
    else if (text === ';') return i;
  }
  return tokens.length;
}

/** The tokens between commas at the top level. */
export function splitCommas(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [[]];
  let angles = 0;
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    if (token.text === '<' && tokens[i - 1]?.kind === 'word') angles++;
    else if (token.text === '>' && angles > 0) angles--;
    if (token.text === ',' && angles === 0) {
      parts.push([]);
      continue;
    }
    const part = parts.at(-1) as Token[];
    if (token.text in closing) {
      const end = matching(tokens, i);
      part.push(...tokens.slice(i, end + 1));
      i = end;
    } else part.push(token);
  }
  return parts.filter((part, index) => part.length > 0 || index > 0);
}

const tight = new Set(['::', '.', '->', '(', '[', '<', '>', ']', ')', ',', '*', '&', '&&', ';', '!', '~']);

/** Tokens as text, with blanks where words would run together. */
export function join(tokens: readonly Token[]): string {
  return tokens
    .map(({ text, kind }, i) => {
      const before = tokens[i - 1];
      if (!before) return text;
      const wordy = (one: Token) => one.kind === 'word' || one.kind === 'number';
      const blank = wordy(before) ? kind !== 'punctuation' || !tight.has(text) : !tight.has(before.text);
      return (blank || before.text === ',' ? ' ' : '') + text;
    })
    .join('');
}
