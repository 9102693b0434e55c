import { behindAngles, matching, splitCommas, type Token } from './tokens.ts';

/** Execution or memory space of a declaration, as CUDA marks it. */
export type Mark = 'global' | 'device' | 'host' | 'shared' | 'constant';

/** A declaration at namespace scope. */
export interface Item {
  readonly kind: 'function' | 'variable' | 'type' | 'using' | 'system' | 'open' | 'close';
  /** Names by which others mention it; `open`: that of the namespace. */
  readonly names: readonly string[];
  readonly marks: ReadonlySet<Mark>;
  /** Namespaces around it, outermost first. */
  readonly scope: readonly string[];
  readonly tokens: readonly Token[];
  /** Index in `tokens` of a function's opening parenthesis. */
  readonly parenthesis?: number;
  /** Index in `tokens` of a function's opening brace; absent: a declaration alone. */
  readonly body?: number;
}

const marker = 'tw_marks_';

export function markOf({ text }: Token): Mark | undefined {
  return text.startsWith(marker) ? (text.slice(marker.length) as Mark) : undefined;
}

/** The declarations of a translation unit, in order; namespaces are opened and closed by items of their own. */
export function readItems(tokens: readonly Token[]): Item[] {
  const items: Item[] = [];
  const scope: string[] = [];
  for (let i = 0; i < tokens.length; ) {
    const token = tokens[i] as Token;
    if (token.kind === 'system') {
      items.push({ ...plain('system', [token], scope) });
      i++;
    } else if (token.text === ';') i++;
    else if (token.text === '}') {
      items.push(plain('close', [token], scope));
      scope.pop();
      i++;
    } else {
      const open = opensScope(tokens, i);
      if (open === undefined) {
        const end = endOfDeclaration(tokens, i);
        items.push(classify(tokens.slice(i, end), scope));
        i = end;
      } else {
        const header = tokens.slice(i, open + 1);
        const name =
          header.findLast(({ kind, text }) => kind === 'word' && !scopeWords.has(text))?.text ?? '';
        scope.push(name);
        items.push({ ...plain('open', header, scope), names: [name] });
        i = open + 1;
      }
    }
  }
  return items;
}

function plain(kind: Item['kind'], tokens: readonly Token[], scope: readonly string[]): Item {
  return { kind, tokens, scope: [...scope], names: [], marks: new Set() };
}

const scopeWords = new Set(['namespace', 'inline', 'extern']);

/** Index of the brace of `namespace a {`, `extern "C" {`; undefined where something else begins. */
function opensScope(tokens: readonly Token[], begin: number): number | undefined {
  let i = begin;
  if (tokens[i]?.text === 'inline') i++;
  if (tokens[i]?.text === 'extern' && tokens[i + 1]?.kind === 'text') {
    return tokens[i + 2]?.text === '{' ? i + 2 : undefined;
  }
  if (tokens[i]?.text !== 'namespace') return undefined;
  for (i++; tokens[i]?.kind === 'word' || tokens[i]?.text === '::'; ) i++;
  return tokens[i]?.text === '{' ? i : undefined;
}

/** Index behind the declaration: behind its `;`, or behind the body of a function. */
function endOfDeclaration(tokens: readonly Token[], begin: number): number {
  for (let i = begin; i < tokens.length; i++) {
    const { text } = tokens[i] as Token;
    if (text === ';') return i + 1;
    if (text === '}') return i; // of the namespace around it
    if (text === 'template' && tokens[i + 1]?.text === '<') i = behindAngles(tokens, i + 1) - 1;
    else if (text === '{') {
      const isBody = isFunction(tokens.slice(begin, i));
      i = matching(tokens, i);
      if (isBody) return i + 1;
    } else if (text === '(' || text === '[') i = matching(tokens, i);
  }
  return tokens.length;
}

const classWords = new Set(['class', 'struct', 'union', 'enum']);

/** Whether the tokens before a brace are the head of a function: parentheses, no class, nothing assigned. */
function isFunction(head: readonly Token[]): boolean {
  return parenthesisOf(head) !== undefined;
}

/** Index of the parenthesis that opens a function's parameters. */
function parenthesisOf(tokens: readonly Token[]): number | undefined {
  let isClass = false;
  for (let i = 0; i < tokens.length; i++) {
    const { text } = tokens[i] as Token;
    if (text === 'template' && tokens[i + 1]?.text === '<') i = behindAngles(tokens, i + 1) - 1;
    else if (text === '=' || text === 'using' || text === 'typedef' || text === 'static_assert')
      return undefined;
    else if (/^(__attribute__|alignas|decltype|__declspec)$/.test(text) && tokens[i + 1]?.text === '(')
      i = matching(tokens, i + 1);
    else if (text === '[') i = matching(tokens, i);
    else if (classWords.has(text)) isClass = true;
    else if (text === 'operator') return tokens.findIndex((one, k) => k > i + 1 && one.text === '(');
    else if (text === '{' && isClass) return undefined;
    else if (text === '(')
      return tokens[i - 1]?.kind === 'word' || tokens[i - 1]?.text === '>' ? i : undefined;
  }
  return undefined;
}

function classify(tokens: readonly Token[], scope: readonly string[]): Item {
  const marks = new Set(tokens.flatMap((token) => markOf(token) ?? []));
  const base = { tokens, scope: [...scope], marks };
  const words = tokens.map(({ text }) => text);
  if (words[0] === 'using' && words[1] === 'namespace') return { ...base, kind: 'using', names: [] };
  const head = words.findIndex((word, i) => word !== 'template' || words[i + 1] !== '<');
  const first = words[head === 0 && words[0] === 'template' ? behindAngles(tokens, 1) : 0] ?? '';
  if (/^(using|typedef|static_assert|namespace)$/.test(first) || words.includes('friend'))
    return { ...base, kind: 'type', names: first === 'typedef' ? typedefNames(tokens) : wordsIn(tokens) };
  const parenthesis = parenthesisOf(tokens);
  if (parenthesis !== undefined && parenthesis >= 0) return functionItem(base, parenthesis);
  if (isType(tokens))
    return { ...base, kind: isMarkedVariable(tokens) ? 'variable' : 'type', names: typeNames(tokens) };
  const names = declaredNames(tokens).flatMap((token) => (token ? [token.text] : []));
  return { ...base, kind: 'variable', names };
}

type Base = Pick<Item, 'tokens' | 'scope' | 'marks'>;

function functionItem(base: Base, parenthesis: number): Item {
  const { tokens } = base;
  const marks = new Set(tokens.slice(0, parenthesis).flatMap((token) => markOf(token) ?? []));
  const close = matching(tokens, parenthesis);
  const body = tokens.findIndex(({ text }, i) => i > close && text === '{');
  return {
    ...base,
    marks,
    kind: 'function',
    names: functionNames(tokens, parenthesis),
    parenthesis,
    ...(body > 0 && { body }),
  };
}

/** `f`; `Foo`, `bar` of `Foo<T>::bar`; `operator+`. */
function functionNames(tokens: readonly Token[], parenthesis: number): string[] {
  const operator = tokens.findIndex(({ text }, i) => text === 'operator' && i < parenthesis);
  if (operator >= 0) return ['operator'];
  let i = parenthesis - 1;
  if (tokens[i]?.text === '>') while (i > 0 && tokens[i]?.text !== '<') i--;
  if (tokens[i]?.text === '<') i--;
  const names = [tokens[i]?.text ?? ''];
  while (tokens[i - 1]?.text === '::') {
    i -= 2;
    if (tokens[i]?.text === '>') while (i > 0 && tokens[i]?.text !== '<') i--;
    if (tokens[i]?.text === '<') i--;
    names.unshift(tokens[i]?.text ?? '');
  }
  return names;
}

/** `Pair`, `P` of `typedef struct Pair { int a; } P;`; `F` of `typedef float (*F)(float);`. */
function typedefNames(tokens: readonly Token[]): string[] {
  const brace = tokens.findIndex(({ text }) => text === '{');
  if (brace >= 0) return typeNames(tokens);
  const pointer = tokens.findIndex(({ text }, i) => text === '(' && tokens[i + 1]?.text === '*');
  if (pointer >= 0) return wordsIn(tokens.slice(pointer, matching(tokens, pointer)));
  return declaredNames(tokens).flatMap((token) => (token ? [token.text] : []));
}

function isType(tokens: readonly Token[]): boolean {
  const at = tokens.findIndex(({ text }) => classWords.has(text));
  const template = tokens[0]?.text === 'template' && tokens[1]?.text === '<' ? behindAngles(tokens, 1) : 0;
  const first = tokens.findIndex(({ text }, i) => i >= template && classWords.has(text));
  if (at < 0 || first < 0) return false;
  const brace = tokens.findIndex(({ text }) => text === '{');
  return brace > first || tokens.length - first <= 3; // struct Foo;
}

/** `__constant__ struct Limits { float low, high; } limits;`. */
function isMarkedVariable(tokens: readonly Token[]): boolean {
  const brace = tokens.findIndex(({ text }) => text === '{');
  return brace > 0 && tokens.slice(0, brace).some(markOf) && matching(tokens, brace) < tokens.length - 2;
}

/** Name of a class, or of an enumeration and its values; behind the brace, names of variables. */
function typeNames(all: readonly Token[]): string[] {
  const tokens = all.slice(all[0]?.text === 'template' && all[1]?.text === '<' ? behindAngles(all, 1) : 0);
  const brace = tokens.findIndex(({ text }) => text === '{');
  if (brace < 0) return wordsIn(tokens);
  const isEnum = tokens.slice(0, brace).some(({ text }) => text === 'enum');
  const close = matching(tokens, brace);
  return wordsIn([...tokens.slice(0, brace), ...tokens.slice(isEnum ? brace : close)]);
}

/** `a`, `b` of `float a[2] = {1, 2}, *b;`; undefined for a part without a name. */
export function declaredNames(statement: readonly Token[]): (Token | undefined)[] {
  const parts = splitCommas(statement.slice(0, -1));
  return parts.map((part) => {
    const isClass = part.some(({ text }) => classWords.has(text));
    let name: Token | undefined;
    for (let i = 0; i < part.length; i++) {
      const token = part[i] as Token;
      if (token.text === '[' || token.text === '=' || (token.text === '{' && !isClass)) break;
      if (token.text === '__attribute__' || token.text === 'alignas') i = matching(part, i + 1);
      else if (token.text === '{' || token.text === '(') i = matching(part, i);
      else if (token.kind === 'word' && !markOf(token)) name = token;
    }
    return name;
  });
}

const keywords = new Set([
  'typedef',
  'using',
  'struct',
  'class',
  'union',
  'enum',
  'const',
  'static',
  'typename',
]);

function wordsIn(tokens: readonly Token[]): string[] {
  return tokens.filter(({ kind, text }) => kind === 'word' && !keywords.has(text)).map(({ text }) => text);
}
