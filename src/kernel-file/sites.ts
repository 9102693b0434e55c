import { declaredNames, type Item } from './items.ts';
import type { Signature } from './signature.ts';
import { join, matching, splitCommas, type Token } from './tokens.ts';
import { bytes, withSizes } from './type-sizes.ts';

/** A kernel launch in the source's own host code: expressions over the kernel's parameters as far as they can be told. */
export interface Site {
  readonly template: readonly string[];
  readonly grid: readonly string[];
  readonly block: readonly string[];
  readonly shared?: string;
  /** Bytes that the host code allocates, clears or copies for pointers among the arguments, by the kernel's names of them. */
  readonly bytes: Names;
  /** Pointers among the arguments that the host code fills with zeros before the launch. */
  readonly zeroed: readonly string[];
  /** Values that the host code gives to other arguments. */
  readonly values: Names;
  /** Types of the source that the launch, or the declaration of a variable in it, spells: `Relu` of `Relu{}`. */
  readonly types: Names;
}

/** The first launch of a kernel in a source. */
export function findSite(items: readonly Item[], { item: kernel, parameters }: Signature): Site | undefined {
  const constants = constantsOf(items);
  for (const { kind, tokens: own } of items) {
    if (kind !== 'function') continue;
    const tokens = [...constants, ...withOwnNames(own)];
    for (let i = 0; i < tokens.length; i++) {
      if (tokens[i]?.text !== '<<<') continue;
      const callee = calleeBefore(tokens, i);
      if (callee.name !== kernel.names.at(-1)) continue;
      const close = closeOf(tokens, i);
      const given = splitCommas(tokens.slice(close + 4, matching(tokens, close + 3)));
      const names: Names = Object.fromEntries(
        given.flatMap((part, k) =>
          part.length === 1 && parameters[k] ? [[part[0]?.text ?? '', parameters[k].name]] : [],
        ),
      );
      const [grid = [], block = [], shared] = splitCommas(tokens.slice(i + 1, close));
      const before = tokens.slice(0, i);
      const text = (part: readonly Token[]) => dimensionsOf(part, before, names);
      const variables = Object.entries(names);
      return {
        template: callee.template.map((part) => resolve(part, before.slice(constants.length), {})),
        grid: text(grid),
        block: text(block),
        ...(shared && join(shared) !== '0' && { shared: text(shared)[0] ?? '0' }),
        bytes: bytesOf(variables, tokens, names),
        zeroed: zeroedOf(variables, before),
        values: Object.fromEntries(
          variables.flatMap(([variable, name]) => {
            const value = assigned(variable, before);
            return value ? [[name, resolve(value, before, {})]] : [];
          }),
        ),
        types: typesOf(given, parameters, before, items),
      };
    }
  }
  return undefined;
}

const builtIn: Readonly<Record<string, string>> = { block_dim: 'blockDim', grid_dim: 'gridDim' };
const expanded = ['(', '::', 'simt', '::', 'ids', '->'];

/** Host code may have variables of the names blockDim and gridDim, which are macros on the emulated device: as it was written. */
function withOwnNames(tokens: readonly Token[]): readonly Token[] {
  const name = (i: number) =>
    expanded.every((text, k) => tokens[i + k]?.text === text)
      ? builtIn[tokens[i + expanded.length]?.text ?? '']
      : undefined;
  const result: Token[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    const text = token.text === '(' ? name(i) : undefined;
    result.push(text === undefined ? token : { ...token, kind: 'word', text });
    if (text !== undefined) i += expanded.length + 1;
  }
  return result;
}

/** An expression with the values of the source's constants put in, and of what is assigned before. */
export function constantExpression(
  part: readonly Token[],
  items: readonly Item[],
  before: readonly Token[] = [],
): string {
  return resolve(part, [...constantsOf(items), ...before], {});
}

/** `kTile = 64;` of `constexpr int kTile = 64;` at namespace scope. */
function constantsOf(items: readonly Item[]): Token[] {
  return items.flatMap(({ kind, tokens, marks }) => {
    if (kind !== 'variable' || marks.size > 0 || !tokens.some(({ text }) => /^const(expr)?$/.test(text)))
      return [];
    const [name] = declaredNames(tokens);
    const begin = name ? tokens.indexOf(name) : -1;
    return begin < 0 || tokens[begin + 1]?.text !== '=' ? [] : tokens.slice(begin);
  });
}

/** The position of a size among the arguments of what allocates, clears and copies device memory. */
const sized: Readonly<Record<string, number>> = {
  ...{ cudaMalloc: 1, cudaMallocManaged: 1, cudaMallocAsync: 1, cudaMemset: 2, cudaMemsetAsync: 2 },
  ...{ cudaMemcpy: 2, cudaMemcpyAsync: 2 },
};

/** Bytes of pointers as host code states them: in the first call that does. */
function bytesOf(
  variables: readonly (readonly [string, string])[],
  tokens: readonly Token[],
  names: Names,
): Names {
  const found: Record<string, string> = {};
  tokens.forEach(({ text }, i) => {
    const place = sized[text];
    if (place === undefined || tokens[i + 1]?.text !== '(') return;
    const given = splitCommas(tokens.slice(i + 2, matching(tokens, i + 1)));
    const size = given[place];
    const pointers = new Set(given.slice(0, 2).map((part) => part.at(-1)?.text));
    for (const [variable, name] of variables)
      if (size && pointers.has(variable) && !(name in found))
        found[name] = resolve(size, tokens.slice(0, i), names);
  });
  return found;
}

/** Arguments that a `cudaMemset` before the launch sets to 0. */
function zeroedOf(variables: readonly (readonly [string, string])[], before: readonly Token[]): string[] {
  return before.flatMap(({ text }, i) => {
    if (!/^cudaMemset(Async)?$/.test(text) || before[i + 1]?.text !== '(') return [];
    const [pointer, value] = splitCommas(before.slice(i + 2, matching(before, i + 1)));
    const name = variables.find(([variable]) => variable === pointer?.at(-1)?.text)?.[1];
    return name !== undefined && value && join(value) === '0' ? [name] : [];
  });
}

/** Types of a launch's arguments, as far as the source declares them, by the kernel's names. */
function typesOf(
  given: readonly (readonly Token[])[],
  parameters: Signature['parameters'],
  before: readonly Token[],
  items: readonly Item[],
): Names {
  const known = new Set(items.flatMap(({ kind, names }) => (kind === 'type' ? names : [])));
  const found = given.flatMap((part, k) => {
    const type = spelledType(part, before);
    const name = parameters[k]?.name;
    return name && known.has(plainType(type)) ? [[name, join(type)] as const] : [];
  });
  return Object.fromEntries(found);
}

/** Tokens of the type that an argument makes, `Scale<2>{3}`, or that a variable is declared with. */
function spelledType(part: readonly Token[], before: readonly Token[]): readonly Token[] {
  const [only] = part;
  if (part.length === 1) {
    const at = before.findLastIndex(({ text }, i) => text === only?.text && before[i - 1]?.kind === 'word');
    return at < 0 ? [] : before.slice(at - 1, at);
  }
  const open = part.findIndex(({ text }) => /^[{(]$/.test(text));
  return open > 0 && matching(part, open) === part.length - 1 ? part.slice(0, open) : [];
}

/** `Scale` of `ns::Scale<2>`. */
function plainType(type: readonly Token[]): string {
  const angle = type.findIndex(({ text }) => text === '<');
  return (angle < 0 ? type : type.slice(0, angle)).at(-1)?.text ?? '';
}

function calleeBefore(tokens: readonly Token[], site: number) {
  let i = site - 1;
  const template: Token[][] = [];
  if (tokens[i]?.text === '>') {
    const end = i;
    for (let depth = 0; i >= 0; i--) {
      if (tokens[i]?.text === '>') depth++;
      if (tokens[i]?.text === '<' && --depth === 0) break;
    }
    template.push(...splitCommas(tokens.slice(i + 1, end)));
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
  return (dim3Of(part, before) ?? [part]).map((one) => resolve(one, before, names));
}

/** The parts of `dim3(a, b)`, and of a variable that is declared or assigned as such. */
function dim3Of(part: readonly Token[], before: readonly Token[]): Token[][] | undefined {
  const [first, second] = part;
  if (first?.text === 'dim3' && second?.text === '(') return splitCommas(part.slice(2, matching(part, 1)));
  if (part.length !== 1 || !first) return undefined;
  const at = before.findLastIndex((token, i) => token.text === first.text && isDim3(before, i));
  if (at >= 0) return splitCommas(before.slice(at + 2, matching(before, at + 1)));
  const value = assigned(first.text, before);
  return value?.[0]?.text === 'dim3' ? dim3Of(value, before) : undefined;
}

/** Whether a name is declared as a `dim3` and given parts: the first of its declaration, or a further one, `dim3 grid(n), block(64);`. */
function isDim3(tokens: readonly Token[], at: number): boolean {
  if (!/^[({]$/.test(tokens[at + 1]?.text ?? '')) return false;
  if (tokens[at - 1]?.text !== ',') return tokens[at - 1]?.text === 'dim3';
  const begin = tokens.findLastIndex(({ text }, i) => i < at && /^[;{}]$/.test(text)) + 1;
  const own = tokens.slice(begin, at);
  return (
    own[0]?.text === 'dim3' && splitCommas(own.slice(1)).every((part) => part[1]?.text === '(' || !part[0])
  );
}

/** `block.y` of a `dim3` as what it was declared with, 1 where that is nothing. */
function withComponents(part: readonly Token[], before: readonly Token[]): readonly Token[] {
  const punctuation = (token: Token, text: string): Token => ({ ...token, kind: 'punctuation', text });
  const result: Token[] = [];
  for (let i = 0; i < part.length; i++) {
    const token = part[i] as Token;
    const which = part[i + 1]?.text === '.' ? ['x', 'y', 'z'].indexOf(part[i + 2]?.text ?? '') : -1;
    const parts = which < 0 ? undefined : dim3Of([token], before);
    if (parts) {
      const one: Token[] = parts[which] ?? [{ ...token, kind: 'number', text: '1' }];
      result.push(punctuation(token, '('), ...one, punctuation(token, ')'));
      i += 2;
    } else result.push(token);
  }
  return result;
}

/** An expression with the values of local variables put in, over the kernel's own parameters. */
function resolve(given: readonly Token[], before: readonly Token[], names: Names, depth = 0): string {
  const part = withComponents(withSizes(given, before), before);
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
    .replaceAll(/\bsizeof \( ([\w ]+) \)/g, (all, type: string) => String(bytes[type] ?? all))
    .replaceAll('< <', '<<')
    .replaceAll('> >', '>>')
    .replaceAll(/\( (?:int|unsigned|size_t|unsigned int|float|double) \) ?/g, '')
    .replaceAll(/\( (\w+) \)(?! \()/g, '$1')
    .replaceAll(/\b(CEIL_DIV|cdiv|divUp|div_up|div_ceil|DIVUP|DIV_UP|iDivUp)\b/g, 'ceil_div')
    .replaceAll(/\b(\d+)\.0*[fF]?(?![\w.])/g, '$1')
    .replaceAll(/\bceilf? \( (?:1 \* )?(\w+|\( \w+ \)) \/ (\w+|\( \w+ \)) \)/g, 'ceil_div ( $1 , $2 )')
    .replaceAll(/\bfloorf? (?=\( [^()]* \/)/g, '')
    .replaceAll(' . x', '')
    .replaceAll(/\((\d+|[A-Za-z_]\w*)\)/g, '$1')
    .replaceAll(/\( /g, '(')
    .replaceAll(/ (?=[),])/g, '')
    .replaceAll(/(\w) \(/g, '$1(')
    .replace(/^\((\w+|\w+\([^()]*\)|[^()]*)\)$/, '$1');
}

/** Tokens last assigned to a local variable. */
function assigned(name: string, before: readonly Token[]): Token[] | undefined {
  const at = before.findLastIndex((token, i) => token.text === name && before[i + 1]?.text === '=');
  const isChanged = before.some(
    ({ text }, i) => i > at && text === name && /^[-+*/%]=$/.test(before[i + 1]?.text ?? ''),
  );
  if (at < 0 || isChanged) return undefined;
  // A number before `>` is the last default of a template's parameters.
  const end = before.findIndex(
    ({ text }, i) =>
      i > at &&
      (text === ';' ||
        (before[i - 1]?.kind === 'number' &&
          (text === ',' || (text === '>' && before[i + 1]?.kind === 'word' && i === at + 3)))),
  );
  const behind = end < 0 ? before.length : end;
  return before.slice(at + 2, behind);
}
