import { UsageError } from '../errors.ts';
import type { Contents } from './arguments.ts';
import { type ArgumentDescription, swizzles } from './description.ts';
import type { Expression } from './expression.ts';
import { evaluate, isKnown, type Sizes } from './expression.ts';
import type { Item } from './items.ts';
import { bytesOf, type ElementType, type Parameter, type Signature } from './signature.ts';
import { constantExpression } from './sites.ts';
import { join, matching, splitCommas, type Token } from './tokens.ts';

/** Arguments of cuTensorMapEncodeTiled beside the address; dimensions in C's order, the contiguous one last. */
export interface PlannedMap {
  readonly type: ElementType;
  readonly shape: readonly Expression[];
  readonly box: readonly Expression[];
  /** Elements from one index to the next, for all dimensions but the last; absent: dense. */
  readonly strides?: readonly Expression[];
  readonly swizzle: (typeof swizzles)[number];
}

/** Whether a parameter is a tensor map, passed by value as TMA asks. */
export function isTensorMap({ type, pointer }: Parameter): boolean {
  return type === 'CUtensorMap' && !pointer;
}

type Words = Extract<ArgumentDescription, { box?: unknown }>;

/** A tensor map as an argument: of another argument's tensor, or of one that only the map knows. */
export function planMap(
  { name }: Parameter,
  { file, line, name: kernel, parameters }: Signature,
  given: ArgumentDescription | undefined,
  items: readonly Item[],
  sizes: Sizes,
): Contents {
  const where = `${file}:${line}: argument '${name}' of ${kernel}`;
  const own = typeof given === 'object' && !Array.isArray(given) ? given : {};
  const words: Words = { ...mapOfHost(name, items, sizes), ...own };
  const of = words.tensor === undefined ? undefined : parameters.find((one) => one.name === words.tensor);
  if (words.tensor !== undefined && !of?.pointer)
    throw new UsageError(`${where}: '${words.tensor}' is no pointer among the arguments`);
  const type = words.type ?? of?.element;
  const { shape, box, role = 'in', values = 'normal', tolerance, swizzle = 'none' } = words;
  if (type === undefined || shape === undefined || box === undefined)
    throw new UsageError(
      `${where} is a tensor map: say what it describes, e.g. arguments: { ${name}: { type: f32, shape: [M, N], box: [16, 32], swizzle: 64B } }, or { tensor: <pointer argument>, shape: [M, N], box: [16, 32] }`,
    );
  // TMA's innermost dimension is contiguous; its stride may be said, as that of any tensor.
  const strides =
    Number(words.strides?.[shape.length - 1]) === 1 ? words.strides?.slice(0, -1) : words.strides;
  if (box.length !== shape.length || (strides && strides.length !== shape.length - 1))
    throw new UsageError(
      `${where}: a shape of ${shape.length} dimensions needs ${shape.length} extents of the box and, if any, ${shape.length - 1} strides`,
    );
  if ((words.interleave ?? 'none') !== 'none' || words.fill === 'nan')
    throw new UsageError(`${where}: tensor maps with an interleave, or a fill of NaN, are not supported`);
  const map = { type, shape, box, swizzle, ...(strides && { strides }) };
  if (words.unspecified)
    throw new UsageError(`${where}: only elements of a pointer's output may be unspecified`);
  if (words.tensor !== undefined) return { kind: 'map', name, tensor: words.tensor, map };
  if (strides)
    throw new UsageError(`${where}: strides are for the tensor of another argument; say tensor: <its name>`);
  if (role === 'workspace') throw new UsageError(`${where}: the role of a tensor map is in, out or inout`);
  return {
    kind: 'tensor',
    name,
    type,
    role,
    shape,
    values,
    map,
    ...(tolerance !== undefined && { tolerance }),
  };
}

/** For harness/check/problem.hpp: the contiguous dimension first, as the driver has it; strides in bytes. */
export function mapJson({ type, shape, box, swizzle, ...map }: PlannedMap, sizes: Sizes): object {
  const values = (list: readonly Expression[]) => list.map((one) => evaluate(one, sizes)).toReversed();
  return {
    ...{ type, size: values(shape), box: values(box), swizzle: swizzles.indexOf(swizzle) },
    strides: strideBytes({ type, shape, box, swizzle, ...map }, sizes),
  };
}

/** Bytes between indices of each dimension but the contiguous one, which comes first here. */
function strideBytes({ type, shape, strides }: PlannedMap, sizes: Sizes): number[] {
  const bytes = bytesOf[type];
  if (strides) return strides.map((one) => evaluate(one, sizes) * bytes).toReversed();
  const extents = shape.map((one) => evaluate(one, sizes)).toReversed();
  return extents.slice(1).map((_, i) => extents.slice(0, i + 1).reduce((a, b) => a * b, bytes));
}

/** Whether the driver takes the map's strides, which are multiples of 16 bytes. */
export function isEncodable(map: PlannedMap, sizes: Sizes): boolean {
  return strideBytes(map, sizes).every((bytes) => bytes % 16 === 0);
}

const dataTypes: Readonly<Record<string, ElementType>> = {
  ...{ FLOAT16: 'f16', BFLOAT16: 'bf16', FLOAT32: 'f32', FLOAT64: 'f64' },
  ...{ UINT8: 'u8', UINT16: 'u16', INT32: 'i32', UINT32: 'u32', INT64: 'i64', UINT64: 'u64' },
};

/** Arguments of host code to cuTensorMapEncodeTiled for a map of that name, or for the only one, as far as the sizes decide it. */
function mapOfHost(name: string, items: readonly Item[], sizes: Sizes): Words {
  const calls = items.flatMap(({ kind, tokens }) => (kind === 'function' ? encodings(tokens) : []));
  const [first] = calls;
  const call =
    calls.find(({ given }) => given[0]?.at(-1)?.text === name) ?? (calls.length === 1 ? first : undefined);
  if (!call) return {};
  const { given, before } = call;
  const list = (i: number) => {
    const values = initialiser(given[i]?.at(-1)?.text ?? '', before).map((part) =>
      constantExpression(part, items, before),
    );
    return values.length > 0 && values.every((one) => isKnown(one, sizes)) ? values.toReversed() : undefined;
  };
  const type = dataTypes[/DATA_TYPE_(\w+)$/.exec(join(given[1] ?? []))?.[1] ?? ''];
  const [shape, box] = [list(4), list(6)];
  const swizzle = swizzles.find((one) => one === /SWIZZLE_(\d+B)$/.exec(join(given[9] ?? []))?.[1]);
  return { ...(type && { type }), ...(shape && { shape }), ...(box && { box }), ...(swizzle && { swizzle }) };
}

/** Calls that encode a map, by the driver's function or a pointer to it, with the tokens before each. */
function encodings(tokens: readonly Token[]): { given: Token[][]; before: readonly Token[] }[] {
  return tokens
    .flatMap(({ text }, i) =>
      /encodetiled/i.test(text) && tokens[i + 1]?.text === '('
        ? [{ given: splitCommas(tokens.slice(i + 2, matching(tokens, i + 1))), before: tokens.slice(0, i) }]
        : [],
    )
    .filter(({ given }) => given.length >= 10);
}

/** `a`, `b` of `size[2] = {a, b}`. */
function initialiser(name: string, before: readonly Token[]): Token[][] {
  const at = before.findLastIndex(({ text }, i) => text === name && before[i + 1]?.text === '[');
  if (at < 0) return [];
  const brace = before.findIndex(({ text }, i) => i > at && (text === '{' || text === ';'));
  return before[brace]?.text === '{' ? splitCommas(before.slice(brace + 1, matching(before, brace))) : [];
}
