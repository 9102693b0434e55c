import { declaredNames, type Item } from './items.ts';
import type { Signature } from './signature.ts';
import { join, matching, splitCommas, type Token } from './tokens.ts';

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
  const at = before.findLastIndex((token, i) => token.text === first.text && before[i - 1]?.text === 'dim3');
  if (at >= 0 && /^[({]$/.test(before[at + 1]?.text ?? ''))
    return splitCommas(before.slice(at + 2, matching(before, at + 1)));
  const value = assigned(first.text, before);
  return value?.[0]?.text === 'dim3' ? dim3Of(value, before) : undefined;
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

/** `sizeof *p`, `sizeof(*p)` and `sizeof(p[0])` as the bytes of what the declared pointer points to. */
function withSizes(part: readonly Token[], before: readonly Token[]): readonly Token[] {
  const result: Token[] = [];
  for (let i = 0; i < part.length; i++) {
    const token = part[i] as Token;
    const behind = part.slice(i + 1, i + 7).map(({ text }) => text);
    const operand = /^(?:\( )?(?:\* (\w+)|(\w+) \[ 0 \])(?: \))?/.exec(behind.join(' '));
    const name = operand?.[1] ?? operand?.[2];
    const size = token.text === 'sizeof' && name ? bytes[pointedType(name, before)] : undefined;
    result.push(size === undefined ? token : { ...token, kind: 'number', text: String(size) });
    if (size !== undefined) i += operand?.[0].split(' ').length ?? 0;
  }
  return result;
}

/** `float` where `float *a, *name` is declared; empty where nothing like that is found. */
function pointedType(name: string, before: readonly Token[]): string {
  for (let i = 0; i < before.length; i++) {
    if (before[i]?.text !== name || before[i - 1]?.text !== '*') continue;
    const statement = before.slice(
      before.findLastIndex(({ text }, k) => k < i && /^[;{}(]$/.test(text)) + 1,
      i,
    );
    const own = splitCommas(statement).at(-1) ?? [];
    const words = [own, statement].map((tokens) => typeWords(tokens)).find((text) => text in bytes);
    if (words !== undefined) return words;
  }
  return '';
}

/** The words before the first star, without what qualifies them. */
function typeWords(tokens: readonly Token[]): string {
  const star = tokens.findIndex(({ text }) => text === '*');
  return tokens
    .slice(0, star < 0 ? undefined : star)
    .map(({ text }) => text)
    .filter((text) => !/^(const|static)$/.test(text))
    .join(' ');
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
  ...{
    'unsigned int': 4,
    'unsigned char': 1,
    uint8_t: 1,
    int8_t: 1,
    uint32_t: 4,
    int32_t: 4,
    bool: 1,
    short: 2,
  },
  ...{ float2: 8, double2: 16, int2: 8, int4: 16, __half2: 4, half2: 4, nv_bfloat16: 2, __nv_bfloat16: 2 },
  ...{ 'long long': 8, 'unsigned long long': 8, int64_t: 8, uint64_t: 8, size_t: 8 },
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
