import { type Item, markOf } from './items.ts';
import { behindAngles, join, matching, splitCommas, type Token } from './tokens.ts';

/** Element types of tensors, as the runner names them. */
const wholeTypes = ['i8', 'u8', 'i16', 'u16', 'i32', 'u32', 'i64', 'u64'] as const;
export const elementTypes = ['f16', 'bf16', 'f32', 'f64', ...wholeTypes] as const;
export type ElementType = (typeof elementTypes)[number];

export const bytesOf: Readonly<Record<ElementType, number>> = {
  ...{ f16: 2, bf16: 2, f32: 4, f64: 8 },
  ...{ i8: 1, u8: 1, i16: 2, u16: 2, i32: 4, u32: 4, i64: 8, u64: 8 },
};

/** A parameter of a function. */
export interface Parameter {
  readonly name: string;
  /** As written, without `const` and the pointer; a class for which the name of a template parameter stands. */
  readonly type: string;
  readonly pointer: boolean;
  readonly reference: boolean;
  /** Points to what the function only reads. */
  readonly isConst: boolean;
  /** Type of its elements, or of its value; absent if the type is not a known one. */
  readonly element?: ElementType;
  /** Elements in one of the type: 4 for `float4`. */
  readonly lanes: number;
}

/** A function of a source, by what its callers see. */
export interface Signature {
  /** With its namespaces: `ns::softmax`. */
  readonly name: string;
  readonly parameters: readonly Parameter[];
  /** Names of its template parameters; empty: it is no template. */
  readonly template: readonly string[];
  /** All of these stand for types. */
  readonly onlyTypes: boolean;
  readonly file: string;
  readonly line: number;
  readonly item: Item;
}

const basic: Readonly<Record<string, ElementType>> = {
  half: 'f16',
  __half: 'f16',
  nv_bfloat16: 'bf16',
  __nv_bfloat16: 'bf16',
  float: 'f32',
  double: 'f64',
  char: 'i8',
  'signed char': 'i8',
  int8_t: 'i8',
  'unsigned char': 'u8',
  uchar: 'u8',
  uint8_t: 'u8',
  ...{ __nv_fp8_e4m3: 'u8', __nv_fp8_e5m2: 'u8', __nv_fp8_storage_t: 'u8' }, // their bits
  bool: 'u8',
  ...{ short: 'i16', 'short int': 'i16', 'signed short': 'i16', int16_t: 'i16' },
  ...{ 'unsigned short': 'u16', 'unsigned short int': 'u16', ushort: 'u16', uint16_t: 'u16' },
  int: 'i32',
  int32_t: 'i32',
  unsigned: 'u32',
  'unsigned int': 'u32',
  uint: 'u32',
  uint32_t: 'u32',
  long: 'i64',
  'long long': 'i64',
  'long int': 'i64',
  'long long int': 'i64',
  int64_t: 'i64',
  ptrdiff_t: 'i64',
  ...{ size_t: 'u64', uint64_t: 'u64', ulong: 'u64', 'unsigned long': 'u64', 'unsigned long int': 'u64' },
  ...{ 'unsigned long long': 'u64', 'unsigned long long int': 'u64' },
  ...{ cufftReal: 'f32', cufftDoubleReal: 'f64' },
};
const vectors: Readonly<Record<string, ElementType>> = {
  float: 'f32',
  double: 'f64',
  int: 'i32',
  uint: 'u32',
  ...{ char: 'i8', uchar: 'u8', short: 'i16', ushort: 'u16', long: 'i64', ulong: 'u64' },
  ...{ longlong: 'i64', ulonglong: 'u64' },
};
const pairs: Readonly<Record<string, ElementType>> = {
  half2: 'f16',
  __half2: 'f16',
  nv_bfloat162: 'bf16',
  __nv_bfloat162: 'bf16',
  ...{ cuComplex: 'f32', cuFloatComplex: 'f32', cufftComplex: 'f32' },
  ...{ cuDoubleComplex: 'f64', cufftDoubleComplex: 'f64' },
};

/** Element type and count of a C++ type; `values`: what the names of template parameters stand for. */
export function elementOf(
  type: string,
  items: readonly Item[],
  values: Readonly<Record<string, string>> = {},
  depth = 0,
): { readonly element?: ElementType; readonly lanes: number } {
  const plain = type.replace(/^(::)?std::/, '').replace(/^::/, '');
  const element = basic[plain];
  if (element) return { element, lanes: 1 };
  const [, base = '', lanes = ''] =
    /^(float|double|u?(?:int|char|short|long|longlong))([234])$/.exec(plain) ?? [];
  if (vectors[base]) return { element: vectors[base], lanes: Number(lanes) };
  if (pairs[plain]) return { element: pairs[plain], lanes: 2 };
  const meaning = values[plain] ?? aliasOf(plain, items);
  return meaning === undefined || depth > 8 ? { lanes: 1 } : elementOf(meaning, items, values, depth + 1);
}

/** `float` where the source says `typedef float floatX;` or `using floatX = float;`. */
function aliasOf(name: string, items: readonly Item[]): string | undefined {
  for (const { kind, tokens } of items) {
    if (kind !== 'type') continue;
    const [first, second, third] = tokens.map(({ text }) => text);
    if (first === 'using' && second === name && third === '=') return join(tokens.slice(3, -1));
    if (first === 'typedef' && tokens.at(-2)?.text === name) return join(tokens.slice(1, -2));
  }
  return undefined;
}

/** Whether a type is the name of a pointer to functions: `typedef float (*Operation)(float);`. */
export function isFunctionPointer(type: string, items: readonly Item[]): boolean {
  return items.some(({ kind, tokens }) => {
    if (kind !== 'type') return false;
    const words = tokens.map(({ text }) => text);
    const at = words.indexOf(type);
    if (words[0] === 'typedef')
      return words[at - 2] === '(' && words[at - 1] === '*' && words[at + 1] === ')' && words[at + 2] === '(';
    return words[0] === 'using' && at === 1 && /\( ?\* ?\) ?\(/.test(words.join(' '));
  });
}

/** Signatures of functions; `values`: arguments for the parameters of a template, in order. */
export function signatureOf(item: Item, items: readonly Item[], values: readonly string[] = []): Signature {
  const { tokens, parenthesis = 0, names, scope } = item;
  const first = tokens.find((token) => !markOf(token)) ?? (tokens[0] as Token);
  const at = tokens.findLast(({ text }, i) => i < parenthesis && text === names.at(-1)) ?? first;
  const template = templateNames(tokens);
  const meant = Object.fromEntries(template.flatMap((name, i) => (values[i] ? [[name, values[i]]] : [])));
  const inside = tokens.slice(parenthesis + 1, matching(tokens, parenthesis));
  const parameters = splitCommas(inside)
    .filter((part) => part.length > 0 && join(part) !== 'void')
    .map((part, i) => parameterOf(part, i, items, meant))
    .map((one) => (isTexture(one) ? { ...one, ...texture(one.name, item, items, meant) } : one));
  const name = [...scope.filter(Boolean), ...names].join('::');
  const onlyTypes = templateParts(tokens).every(([word]) => /^(typename|class)$/.test(word?.text ?? ''));
  return { name, parameters, template, onlyTypes, file: at.file, line: at.line, item };
}

/** A texture of linear memory: to the emulated device the address of an array that the kernel reads. */
export function isTexture({ type }: Pick<Parameter, 'type'>): boolean {
  return type === 'cudaTextureObject_t';
}

/** A texture as a pointer to the elements that the kernel fetches: `tex1Dfetch<float4>(t, i)`. */
function texture(
  name: string,
  { tokens }: Item,
  items: readonly Item[],
  values: Readonly<Record<string, string>>,
): Pick<Parameter, 'pointer' | 'isConst' | 'element' | 'lanes'> {
  const at = tokens.findIndex(({ text }, i) => text === 'tex1Dfetch' && fetches(tokens, i) === name);
  const type = at < 0 ? '' : join(tokens.slice(at + 2, behindAngles(tokens, at + 1) - 1));
  return { pointer: true, isConst: true, ...elementOf(type, items, values) };
}

/** Name of what the call of `tex1Dfetch` at that place fetches from. */
function fetches(tokens: readonly Token[], at: number): string | undefined {
  if (tokens[at + 1]?.text !== '<') return undefined;
  return tokens[behindAngles(tokens, at + 1) + 1]?.text;
}

function templateParts(tokens: readonly Token[]): Token[][] {
  if (tokens[0]?.text !== 'template' || tokens[1]?.text !== '<') return [];
  return splitCommas(tokens.slice(2, behindAngles(tokens, 1) - 1));
}

function templateNames(tokens: readonly Token[]): string[] {
  return templateParts(tokens).map((part) => {
    const value = part.findIndex(({ text }) => text === '=');
    return (value < 0 ? part : part.slice(0, value)).findLast(({ kind }) => kind === 'word')?.text ?? '';
  });
}

/** A parameter of a function, or a field of a struct. */
export function parameterOf(
  part: readonly Token[],
  index: number,
  items: readonly Item[],
  values: Readonly<Record<string, string>>,
): Parameter {
  const value = part.findIndex(({ text }) => text === '=');
  const tokens = (value < 0 ? part : part.slice(0, value)).filter(
    ({ text }) => !/^(__restrict|restrict|__restrict__|volatile|struct)$/.test(text),
  );
  const bracket = tokens.findIndex(({ text }) => text === '[');
  const head = bracket < 0 ? tokens : tokens.slice(0, bracket);
  const star = head.findIndex(({ text }) => text === '*' || text === '&');
  const named = head.at(-1)?.kind === 'word' && head.length > 1 && (star < 0 || star < head.length - 1);
  const typeTokens = (star < 0 ? (named ? head.slice(0, -1) : head) : head.slice(0, star)).filter(
    ({ text }) => text !== 'const',
  );
  const written = join(typeTokens);
  const meant = values[written] ?? written;
  const known = elementOf(written, items, values);
  const type = known.element === undefined ? meant : written;
  return {
    name: named ? (head.at(-1)?.text ?? '') : `argument${index}`,
    type,
    pointer: head.some(({ text }) => text === '*') || bracket >= 0,
    reference: head.some(({ text }) => text === '&'),
    isConst: head.slice(0, star < 0 ? undefined : star).some(({ text }) => text === 'const'),
    ...known,
  };
}

/** The kernels that a source defines. */
export function kernelsIn(items: readonly Item[]): Item[] {
  return items.filter(
    ({ kind, marks, body }) => kind === 'function' && marks.has('global') && body !== undefined,
  );
}
