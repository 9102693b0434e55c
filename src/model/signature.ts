import {
  type ChoiceKind,
  choiceKinds,
  type Operand,
  type Operation,
  type OperationChoice,
  type Shape,
  type Size,
} from './operation.ts';

/** A member of the struct that a plan is made for. `name` is its spelling in C, C++, Python and Rust. */
export type ProblemField = { readonly name: string; readonly doc: string } & (
  | { readonly is: 'size'; readonly size: Size }
  | { readonly is: 'choice'; readonly choice: OperationChoice }
  /** Elements between lines or products of an operand; 0 means packed. */
  | { readonly is: 'leading' | 'batchStride'; readonly operand: string }
  /** Address of a host copy of an operand, or null. */
  | { readonly is: 'host'; readonly operand: string }
  | { readonly is: 'hint' }
);

/** A member of the struct that a run is called with. */
export type CallField = { readonly name: string; readonly doc: string } & (
  | { readonly is: 'operand'; readonly operand: Operand }
  | { readonly is: 'scalar' }
);

/** An operation's signature in C++, as a family is compiled with it. */
export interface CppSignature {
  /** The operation's name, which its namespace bears. */
  readonly name: string;
  /** Text of `operation.hpp`. */
  readonly text: string;
  readonly computes?: Operation['computes'];
}

/** Members of the problem, in order: one list for every language. */
export function problemFields(
  operation: Pick<Operation, 'sizes' | 'choices' | 'operands' | 'hints'>,
): readonly ProblemField[] {
  const { sizes, choices, operands, hints } = operation;
  const own = Object.entries(choices).filter(([, { when }]) => when === undefined);
  return [
    ...Object.entries(sizes).map(([name, size]) => ({ name, is: 'size' as const, doc: sizeDoc(size), size })),
    ...own.map(([name, choice]) => ({
      name: fieldName(name),
      is: 'choice' as const,
      doc: choice.doc,
      choice,
    })),
    ...Object.entries(operands).flatMap(([name, operand]) => strides(name, operand)),
    ...Object.entries(operands).flatMap(([name, { host }]) =>
      host === undefined
        ? []
        : {
            name: `host_${name}`,
            is: 'host' as const,
            doc: `host copy of ${name}, or null; read by the plan's creation alone. ${host.doc}`,
            operand: name,
          },
    ),
    ...Object.entries(hints).map(([name, { doc }]) => ({ name, is: 'hint' as const, doc })),
  ];
}

/** Parts of an operation that a pattern's descriptor holds: names, each list in the operation's order. */
export interface PatternParts {
  readonly sizes: readonly string[];
  readonly choices: readonly string[];
  /** Index arrays. */
  readonly operands: readonly string[];
}

function wordsIn(expression: string): readonly string[] {
  return expression.match(/[A-Za-z_]\w*/g) ?? [];
}

/** Parts of an operation's pattern: its operands with host copies, their types, the sizes that they name, and those that bound these. */
export function patternParts({ operands, sizes, choices }: Operation): PatternParts {
  const own = Object.entries(operands).filter(([, { host }]) => host !== undefined);
  const expressions = own.flatMap(([, { shape, host }]) => [
    ...('by' in shape ? Object.values(shape.shapes).flat() : shape),
    ...(host === undefined ? [] : [host.kind === 'offsets' ? host.total : host.below]),
  ]);
  const named = new Set(expressions.flatMap(wordsIn));
  // A Set's loop reaches what is added on the way.
  for (const name of named)
    for (const rule of [sizes[name]?.most, sizes[name]?.multipleOf])
      for (const other of wordsIn(rule ?? '')) named.add(other);
  const types = new Set(own.map(([, { type }]) => type));
  return {
    sizes: Object.keys(sizes).filter((name) => named.has(name)),
    choices: Object.keys(choices).filter((name) => types.has(name)),
    operands: own.map(([name]) => name),
  };
}

/** Name of a size in the descriptor of the operation's pattern. */
export function sizeInPattern({ pattern }: Operation, size: string): string {
  const [renamed] = Object.entries(pattern?.sizes ?? {}).find(([, own]) => own === size) ?? [];
  return renamed ?? size;
}

/**
 * Parts of an operation's pattern in the descriptor's own names. Sizes that must be multiples are a rule of calls: other
 * operations may take the pattern.
 */
export function patternSignature(operation: Operation): Pick<Operation, 'sizes' | 'choices' | 'operands'> {
  const parts = patternParts(operation);
  const only = <T>(all: Readonly<Record<string, T>>, names: readonly string[]) =>
    Object.entries(all).filter(([name]) => names.includes(name));
  const renamed = (text: string) =>
    text.replaceAll(/[A-Za-z_]\w*/g, (name) => sizeInPattern(operation, name));
  const sizes = only(operation.sizes, parts.sizes).map(([name, { multipleOf: _, ...size }]) => [
    sizeInPattern(operation, name),
    { ...size, ...(size.most !== undefined && { most: renamed(size.most) }) },
  ]);
  const operands = only(operation.operands, parts.operands).map(([name, { shape, host, ...rest }]) => {
    if ('by' in shape || !host) throw new Error(`${name} is no index array of a pattern`);
    const rule =
      host.kind === 'offsets'
        ? { ...host, total: renamed(host.total) }
        : { ...host, below: renamed(host.below) };
    return [name, { ...rest, shape: shape.map(renamed), host: rule }];
  });
  return {
    sizes: Object.fromEntries(sizes),
    choices: Object.fromEntries(only(operation.choices, parts.choices)),
    operands: Object.fromEntries(operands),
  };
}

function sizeDoc({ doc, multipleOf, otherwise }: Size): string {
  const rules = [
    multipleOf && `a multiple of ${multipleOf}`,
    otherwise !== undefined && `0 means ${otherwise}`,
  ];
  return [doc, ...rules.filter(Boolean)].join('; ');
}

function strides(name: string, { leading, layout, batchStride }: Operand): ProblemField[] {
  const line = layout === undefined ? 'row' : 'row (column, where that is its layout)';
  return [
    ...(leading === undefined
      ? []
      : [
          {
            name: leading,
            is: 'leading' as const,
            operand: name,
            doc: `elements from one ${line} of ${name} to the next; 0 means packed`,
          },
        ]),
    ...(batchStride === undefined
      ? []
      : [
          {
            name: batchStride,
            is: 'batchStride' as const,
            operand: name,
            doc: `elements from one product's ${name} to the next one's; 0 means packed`,
          },
        ]),
  ];
}

/** Members of a call, in order: one list for every language. */
export function callFields({ operands, scalars }: Operation): readonly CallField[] {
  return [
    ...Object.entries(operands).map(([name, operand]) => ({
      name,
      is: 'operand' as const,
      doc: operandDoc(operand),
      operand,
    })),
    ...Object.entries(scalars).map(([name, { doc }]) => ({ name, is: 'scalar' as const, doc })),
  ];
}

function operandDoc({ doc, shape, type, only }: Operand): string {
  const presence = only === undefined ? '' : `; ignored where ${fieldName(only)} is 0`;
  return `${doc}: ${shapeText(shape)}, of type ${fieldName(type)}${presence}`;
}

function shapeText(shape: Operand['shape']): string {
  const print = (extents: Shape) => `[${extents.join('][')}]`;
  if (!('by' in shape)) return print(shape);
  const [first, ...others] = Object.entries(shape.shapes);
  const rest = others.map(
    ([value, extents]) => `, or ${print(extents)} where ${fieldName(shape.by)} is ${value}`,
  );
  return `${first ? print(first[1]) : ''}${rest.join('')}`;
}

/** A choice's name as a member of a struct: `layoutB` is `layout_b`. */
export function fieldName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A value of a choice as an identifier: `gelu-tanh` is `gelu_tanh`. */
export function valueName(value: string): string {
  return value.replaceAll('-', '_');
}

/** Number of a value in every language: its place among all values of its kind. */
export function numberOf(kind: ChoiceKind, value: string): number {
  return (choiceKinds[kind] as readonly string[]).indexOf(value);
}

/** An expression over sizes in C++, in integers that cannot overflow. `struct`: the variable that has them as members. */
export function overSizes({ sizes }: Pick<Operation, 'sizes'>, expression: string, struct: string): string {
  return expression.replaceAll(/[A-Za-z_]\w*/g, (name) => {
    if (!Object.hasOwn(sizes, name)) throw new Error(`'${expression}' reads '${name}', which is no size`);
    return `wide(${struct}.${name})`;
  });
}

/** Lines of at most `width` characters, where no word is longer: for documentation in every language. */
export function wrapped(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
