import { type Token, tokenize } from './tokens.ts';

/** A change of a text: what stands from `at` on, `length` characters, gives way to `text`. */
export interface Edit {
  readonly at: number;
  readonly length: number;
  readonly text: string;
}

/** Tokens `first` to `last`, both included. */
export interface Range {
  readonly first: number;
  readonly last: number;
}

/** A call: `ptx::wait<2>(barrier, phase ^ 1);`. */
export interface Call extends Range {
  /** The last word of its name: `wait`. */
  readonly name: string;
  readonly templateArguments: readonly Range[];
  readonly arguments: readonly Range[];
  /** With its semicolon, where nothing else is in the statement. */
  readonly statement?: Range;
}

const opening: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
const closing = new Set(Object.values(opening));
const notCalled = new Set(['if', 'for', 'while', 'switch', 'return', 'sizeof', 'alignof', 'static_assert'])
  .add('decltype')
  .add('alignas')
  .add('__launch_bounds__');

/** A C++ text as its tokens, with what operators want to know about them. No compiler: it knows brackets, not types. */
export class Code {
  readonly text: string;
  readonly tokens: readonly Token[];
  /** Index of the bracket that belongs to a bracket, both ways. */
  readonly #partners = new Map<number, number>();
  #calls: readonly Call[] | undefined;

  constructor(text: string) {
    this.text = text;
    this.tokens = tokenize(text);
    const open: number[] = [];
    for (const [index, { text: mark }] of this.tokens.entries()) {
      if (mark in opening) open.push(index);
      if (!closing.has(mark)) continue;
      const partner = open.pop();
      if (partner === undefined) continue;
      this.#partners.set(partner, index);
      this.#partners.set(index, partner);
    }
  }

  /** Text of a token; empty outside the code. */
  at(index: number): string {
    return this.tokens[index]?.text ?? '';
  }

  /** Index of the bracket that belongs to the one at `index`. */
  partner(index: number): number | undefined {
    return this.#partners.get(index);
  }

  textOf({ first, last }: Range): string {
    return this.text.slice(this.#begin(first), this.#end(last));
  }

  replace({ first, last }: Range, text: string): Edit {
    return { at: this.#begin(first), length: this.#end(last) - this.#begin(first), text };
  }

  replaceToken(index: number, text: string): Edit {
    return this.replace({ first: index, last: index }, text);
  }

  /** Two ranges, the first before the second, each in the other's place. */
  swap(a: Range, b: Range): Edit {
    const between = this.text.slice(this.#end(a.last), this.#begin(b.first));
    return this.replace({ first: a.first, last: b.last }, this.textOf(b) + between + this.textOf(a));
  }

  /** Parts of what stands between two brackets, as commas divide it. */
  list(open: number, close: number): Range[] {
    const parts: Range[] = [];
    let first = open + 1;
    for (let index = first; index <= close; index++) {
      if (index === close || this.at(index) === ',') {
        if (index > first) parts.push({ first, last: index - 1 });
        first = index + 1;
      } else if (this.at(index) in opening) index = this.partner(index) ?? index;
    }
    return parts;
  }

  /** Calls of named functions, in order. Definitions look alike where a name has no type before it: they are left out. */
  get calls(): readonly Call[] {
    this.#calls ??= this.tokens.flatMap((token, index) =>
      token.kind === 'word' && !notCalled.has(token.text) ? (this.#callAt(index) ?? []) : [],
    );
    return this.#calls;
  }

  /** The last token of the expression that begins at `first`: before a comma, a semicolon or the bracket around it. */
  endOfExpression(first: number): number {
    for (let index = first; index < this.tokens.length; index++) {
      const text = this.at(index);
      if (text === ';' || text === ',' || closing.has(text)) return index - 1;
      if (text in opening) index = this.partner(index) ?? index;
    }
    return this.tokens.length - 1;
  }

  /** The simple statement that begins at `first`: up to its semicolon, where it is an expression or a declaration. */
  statementAt(first: number): Range | undefined {
    if (!this.beginsStatement(first)) return undefined;
    if (['{', '}', ';', 'if', 'for', 'while', 'else', 'do', 'return', 'case'].includes(this.at(first)))
      return undefined;
    for (let index = first; index < this.tokens.length; index++) {
      const text = this.at(index);
      if (text === ';') return { first, last: index };
      if (text in opening) index = this.partner(index) ?? index;
      else if (closing.has(text) || this.tokens[index]?.kind === 'directive') return undefined;
    }
    return undefined;
  }

  /** The whole statement that begins at `first`, a block or a loop with its body too. */
  wholeStatementAt(first: number): Range | undefined {
    const head = this.at(first);
    if (head === '{') {
      const last = this.partner(first);
      return last === undefined ? undefined : { first, last };
    }
    if (!['if', 'for', 'while'].includes(head)) return this.statementAt(first);
    const open = this.at(first + 1) === 'constexpr' ? first + 2 : first + 1;
    const body = this.wholeStatementAt((this.partner(open) ?? this.tokens.length) + 1);
    if (!body) return undefined;
    const other = this.at(body.last + 1) === 'else' ? this.wholeStatementAt(body.last + 2) : undefined;
    return { first, last: other?.last ?? body.last };
  }

  /** Whether a statement can begin here: after one, at the start of a block, after a condition. */
  beginsStatement(index: number): boolean {
    const before = this.at(index - 1);
    if (this.at(index) === '.') return false; // behind an object that braces make
    if (['{', '}', ';', 'else', 'do'].includes(before)) return true;
    if (this.tokens[index - 1]?.kind === 'directive') return true;
    if (before !== ')') return false;
    const keyword = this.at((this.partner(index - 1) ?? 0) - 1);
    return ['if', 'for', 'while', 'constexpr'].includes(keyword);
  }

  /** The one name, number or bracketed expression, with what is called or indexed of it, that ends or begins at `index`. */
  primary(index: number, direction: 'ends' | 'begins'): Range | undefined {
    return direction === 'ends' ? this.#primaryBefore(index) : this.#primaryAfter(index);
  }

  #primaryBefore(last: number): Range | undefined {
    let first = last;
    while (first >= 0) {
      if (this.at(first) === ')' || this.at(first) === ']') {
        first = (this.partner(first) ?? 0) - 1;
        if (this.#isName(first)) continue;
        if (this.at(first) === '>') return undefined; // a cast: its words are not all known here
        first++;
      } else if (!this.#isName(first)) return undefined;
      if (!['.', '->', '::'].includes(this.at(first - 1))) return { first, last };
      first -= 2;
    }
    return undefined;
  }

  #primaryAfter(first: number): Range | undefined {
    let last = this.at(first) === '(' ? (this.partner(first) ?? -1) : first;
    if (last === first && !this.#isName(first)) return undefined;
    for (;;) {
      const next = this.at(last + 1);
      if (['.', '->', '::'].includes(next)) last += 2;
      else if (next === '(' || next === '[') last = this.partner(last + 1) ?? last;
      else if (next === '<' && this.#calledAngle(last + 1) !== undefined)
        last = this.#calledAngle(last + 1) ?? last;
      else return last < first || last >= this.tokens.length ? undefined : { first, last };
    }
  }

  #isName(index: number): boolean {
    const { kind } = this.tokens[index] ?? {};
    return kind === 'word' || kind === 'number';
  }

  #callAt(index: number): Call | undefined {
    const angle = this.at(index + 1) === '<' ? this.#closeAngle(index + 1) : undefined;
    const open = angle === undefined ? index + 1 : angle + 1;
    const close = this.at(open) === '(' ? this.partner(open) : undefined;
    if (close === undefined) return undefined;
    const first = this.#qualified(index);
    const before = this.tokens[first - 1];
    const declared = before?.kind === 'word' && !['return', 'else', 'do'].includes(before.text);
    const defined =
      this.at(close + 1) === '{' || ['const', 'override', 'noexcept'].includes(this.at(close + 1));
    if (declared || defined || ['&', '*', '>'].includes(this.at(first - 1))) return undefined;
    const alone = this.at(close + 1) === ';' && this.beginsStatement(first);
    return {
      first,
      last: close,
      name: this.at(index),
      templateArguments: angle === undefined ? [] : this.list(index + 1, angle),
      arguments: this.list(open, close),
      ...(alone && { statement: { first, last: close + 1 } }),
    };
  }

  /** Index of the first word of `a::b.c`, of which `index` is the last. */
  #qualified(index: number): number {
    let first = index;
    while (['::', '.', '->'].includes(this.at(first - 1)) && this.#isName(first - 2)) first -= 2;
    return first;
  }

  /** The same where a call follows: `cast<int>(`. */
  #calledAngle(open: number): number | undefined {
    const close = this.#closeAngle(open);
    return close !== undefined && this.at(close + 1) === '(' ? close : undefined;
  }

  /** Index of the `>` for a `<` that opens template arguments: names, numbers and operators on one level. Undefined otherwise. */
  #closeAngle(open: number): number | undefined {
    for (let index = open + 1; index < Math.min(open + 24, this.tokens.length); index++) {
      const { text } = this.tokens[index] ?? { text: '' };
      if (text === '>') return index;
      if ([';', '{', '}', '&&', '||', '<', '<=', '==', ')', '?'].includes(text)) return undefined;
      if (text === '(') index = this.partner(index) ?? index;
    }
    return undefined;
  }

  #begin(index: number): number {
    return this.tokens[index]?.at ?? this.text.length;
  }

  #end(index: number): number {
    const token = this.tokens[index];
    return token ? token.at + token.text.length : this.text.length;
  }
}
