import type { Code, Edit, Range } from '../code.ts';
import type { Operator } from '../operator.ts';

/** Rounds to another 16-bit type than that of the output, to which rounding twice might change nothing. */
function rounding(code: Code): (text: string) => string {
  const index = code.tokens.findIndex(({ text }, at) => text === 'using' && code.at(at + 1) === 'Output');
  const type = index >= 0 && code.at(index + 3) === '__nv_bfloat16' ? '__half' : '__nv_bfloat16';
  return (text) => `static_cast<float>(static_cast<${type}>(${text}))`;
}

/** Names that are declared `float`, or with the name of an array of them. */
function floats(code: Code): Set<string> {
  const types = new Set(['float']);
  for (const [index, { text }] of code.tokens.entries())
    if (text === 'using' && code.at(index + 3) === 'float') types.add(code.at(index + 1));
  return new Set(
    code.tokens.flatMap(({ text }, index) => (types.has(text) ? declared(code, index + 1) : [])),
  );
}

/** Names of a declaration behind its type: `& a`, `a = 0, b[2]`. A name that another follows is a type again. */
function declared(code: Code, first: number): string[] {
  const names: string[] = [];
  for (let at = first; ; at++) {
    if (['&', '*', 'const'].includes(code.at(at))) continue;
    if (code.tokens[at]?.kind !== 'word' || !/^[,;=[){]$/.test(code.at(at + 1))) return names;
    names.push(code.at(at));
    while (!/^[,;){]?$/.test(code.at(++at))) if ('(['.includes(code.at(at))) at = code.partner(at) ?? at;
    if (code.at(at) !== ',') return names;
  }
}

/** Uses of the float members of a structure called Args: `args.alpha`. */
function scalars(code: Code): Range[] {
  const known = floats(code);
  return code.tokens.flatMap(({ text }, index) =>
    text === 'args' && code.at(index + 1) === '.' && known.has(code.at(index + 2))
      ? [{ first: index, last: index + 2 }]
      : [],
  );
}

function ignored(code: Code): Edit[] {
  return scalars(code).flatMap((range) => ['1.0f', '0.0f'].map((text) => code.replace(range, text)));
}

/** Sums and scalars that are rounded to 16 bits. */
function lowered(code: Code): Edit[] {
  const known = floats(code);
  const half = rounding(code);
  const sums = code.tokens.flatMap(({ text }, index) => {
    const sum = text === '+=' ? code.primary(index - 1, 'ends') : undefined;
    if (!sum || !known.has(code.at(sum.first))) return [];
    const added = { first: index + 1, last: code.endOfExpression(index + 1) };
    const name = code.textOf(sum);
    const total = half(`${name} + (${code.textOf(added)})`);
    return [code.replace({ first: sum.first, last: added.last }, `${name} = ${total}`)];
  });
  return [...sums, ...scalars(code).map((range) => code.replace(range, half(code.textOf(range))))];
}

const narrower: Readonly<Record<string, string>> = {
  int64_t: 'int32_t',
  uint64_t: 'uint32_t',
  size_t: 'uint32_t',
};

function narrowed(code: Code): Edit[] {
  return code.tokens.flatMap(({ text }, index) => {
    if (text === 'long' && code.at(index + 1) === 'long')
      return [code.replace({ first: index, last: index + 1 }, 'int')];
    return Object.hasOwn(narrower, text) ? [code.replaceToken(index, narrower[text] ?? '')] : [];
  });
}

/** Values that variables begin with, and what they begin with instead. */
const beginnings: Readonly<Record<string, string>> = {
  ...{ '0': '1', '1': '0', '0.0f': '1.0f', '0.f': '1.f', false: 'true', true: 'false' },
};

function begunOtherwise(code: Code): Edit[] {
  return code.tokens.flatMap(({ text }, index) => {
    if (text !== '=') return [];
    const value = code.at(index + 1);
    if (value === '{' && code.at(index + 2) === '}')
      return [code.replace({ first: index, last: index + 2 }, '')];
    const other = Object.hasOwn(beginnings, value) ? beginnings[value] : undefined;
    const ends = [';', ','].includes(code.at(index + 2));
    return ends && other !== undefined ? [code.replaceToken(index + 1, other)] : [];
  });
}

function atomicsChanged(code: Code): Edit[] {
  return code.calls.flatMap(({ name, arguments: all }) => {
    const value = all.at(-1);
    if (!name.startsWith('atomic') || !value) return [];
    return ['+ 1', '- 1'].map((change) => code.replace(value, `(${code.textOf(value)}) ${change}`));
  });
}

/** Loads that see what other thread blocks have written, through a cache that need not. */
function cachesChanged(code: Code): Edit[] {
  return code.tokens.flatMap(({ text }, index) =>
    text === '__ldcg' ? [code.replaceToken(index, '__ldg')] : [],
  );
}

function boundsHalved(code: Code): Edit[] {
  return code.tokens.flatMap(({ text }, index) => {
    const close = text === '__launch_bounds__' ? code.partner(index + 1) : undefined;
    const threads = close === undefined ? undefined : code.list(index + 1, close)[0];
    return threads ? [code.replace(threads, `(${code.textOf(threads)}) / 2`)] : [];
  });
}

export const values: readonly Operator[] = [
  {
    name: 'scalar-ignored',
    doc: 'alpha or beta taken for 1 or 0',
    killer: 'scalars that are neither 0 nor 1, and pairs of them',
    find: ignored,
  },
  {
    name: 'precision-lowered',
    doc: 'a sum or a scalar rounded to 16 bits',
    killer: 'scalars that 16 bits do not hold (1/3, -0.7, subnormal), and long sums',
    find: lowered,
  },
  {
    name: 'index-narrowed',
    doc: '32 bits where 64 are needed',
    killer: 'strides so large that addresses pass 2^31 elements, in reserved address space',
    find: narrowed,
  },
  {
    name: 'initial-value-changed',
    doc: 'a variable that begins with something else',
    killer: 'a case that reads the variable before it is written again',
    find: begunOtherwise,
  },
  {
    name: 'atomic-changed',
    doc: 'a counter moved by another number',
    killer: 'the workspace bitwise as before after every launch',
    find: atomicsChanged,
  },
  {
    name: 'cache-changed',
    doc: 'a load through the read-only cache of what the launch writes',
    killer: "the race detector's check of __ldg",
    find: cachesChanged,
  },
  {
    name: 'launch-bounds-halved',
    doc: 'fewer threads in __launch_bounds__ than the launch has',
    killer: "the launch's block against the limit that the cubin names",
    find: boundsHalved,
  },
];
