import {
  allowedValues,
  type ChoiceKind,
  choiceKinds,
  type Operand,
  type Operation,
  type OperationChoice,
  type Shape,
  type Size,
} from '../../../src/model/operation.ts';

/** A member of a rendered struct. `value`: C++ expression that completes it, from the caller's `p` and the new `q`. */
interface Field {
  readonly name: string;
  readonly c: string;
  readonly cpp: string;
  /** Lines of a C comment. */
  readonly comment: readonly string[];
  readonly value: string;
}

/** A condition that a call must meet, and the text for one that does not: both C++ expressions. */
interface Check {
  readonly holds: string;
  readonly otherwise: string;
}

const types: Readonly<
  Record<ChoiceKind, { readonly c: string; readonly cpp: string; readonly prefix: string }>
> = {
  type: { c: 'tw_type', cpp: 'Type', prefix: 'TW_TYPE_' },
  index: { c: 'tw_index', cpp: 'Index', prefix: 'TW_INDEX_' },
  layout: { c: 'tw_layout', cpp: 'Layout', prefix: 'TW_LAYOUT_' },
  activation: { c: 'tw_activation', cpp: 'Activation', prefix: 'TW_ACTIVATION_' },
  switch: { c: 'int32_t', cpp: 'Switch', prefix: '' },
};

/** Columns of a comment in a rendered header. */
const lineWidth = 106;

/** What the templates of an operation's C header and C++ sources print of its signature. */
export function operationContext(operation: Operation) {
  const operands = Object.entries(operation.operands);
  const choices = Object.entries(operation.choices);
  return {
    operation: operation.name,
    guard: operation.name.toUpperCase(),
    formula: operation.formula,
    doc: wrap(operation.doc),
    sizes: Object.keys(operation.sizes),
    problem: problemFields(operation),
    operands: operandFields(operation),
    tensors: operands.map(([name, operand]) => describeTensor(operation, name, operand)),
    checks: [...sizeChecks(operation), ...choices.flatMap(([name, choice]) => choiceCheck(name, choice))],
    completeChecks: operands.flatMap(([name, operand]) => strideChecks(name, operand)),
    hosts: operands.flatMap(([name, operand]) => describeHost(operation, name, operand)),
    choices: choices.map(([name, choice]) => ({
      name: snake(name),
      value: choice.when === undefined ? `q.${snake(name)}` : `(${overSizes(operation, choice.when, 'q')})`,
      names: choiceKinds[choice.kind].map((value) => JSON.stringify(value)).join(', '),
    })),
    choiceCount: choices.length,
    features: Object.keys(operation.features),
  };
}

function problemFields(operation: Operation): Field[] {
  const operands = Object.entries(operation.operands);
  const choices = Object.entries(operation.choices).filter(([, { when }]) => when === undefined);
  return [
    ...Object.entries(operation.sizes).map(([name, size]) => sizeField(name, size)),
    ...choices.map(([name, choice]) => choiceField(name, choice)),
    ...operands.flatMap(([name, operand]) => strideFields(name, operand)),
    ...operands.flatMap(([name, { host }]) => (host ? [hostField(name, host.doc)] : [])),
    ...Object.entries(operation.hints).map(([name, { doc }]) =>
      field(name, ['int32_t', 'bool'], doc, `p.${name} != 0`),
    ),
  ];
}

function field(name: string, [c, cpp]: readonly [string, string], doc: string, value = `p.${name}`): Field {
  return { name, c: `${c} ${name}`, cpp: `${cpp} ${name}`, comment: asComment(doc), value };
}

function sizeField(name: string, { doc, multipleOf, otherwise }: Size): Field {
  const rules = [
    multipleOf && `a multiple of ${multipleOf}`,
    otherwise !== undefined && `0 means ${otherwise}`,
  ];
  const value = otherwise === undefined ? `p.${name}` : `p.${name} ? p.${name} : ${otherwise}`;
  return field(name, ['int64_t', 'std::int64_t'], [doc, ...rules.filter(Boolean)].join('; '), value);
}

function choiceField(name: string, choice: OperationChoice): Field {
  const { c, cpp } = types[choice.kind];
  const words =
    choice.kind === 'switch'
      ? ['0', '1']
      : allowedValues(choice).map((value) => enumerator(choice.kind, value));
  const own = snake(name);
  return field(own, [c, cpp], `${choice.doc}: ${words.join(', ')}`, `static_cast<${cpp}>(p.${own})`);
}

function strideFields(name: string, { leading, layout, batchStride }: Operand): Field[] {
  const integer = (own: string, doc: string, packed: string) =>
    field(
      own,
      ['int64_t', 'std::int64_t'],
      `${doc}; 0 means packed`,
      `static_cast<std::int64_t>(p.${own} ? wide(p.${own}) : ${packed}(q))`,
    );
  const line = layout === undefined ? 'row' : 'row, or column, by its layout,';
  return [
    ...(leading
      ? [integer(leading, `elements from one ${line} of ${name} to the next`, `width_${name}`)]
      : []),
    ...(batchStride
      ? [integer(batchStride, `elements from one product's ${name} to the next one's`, `extent_${name}`)]
      : []),
  ];
}

function hostField(name: string, doc: string): Field {
  const pointer = ['const void*', 'const void*'] as const;
  return field(
    `host_${name}`,
    pointer,
    `host copy of ${name}, or null; read by the plan's creation alone. ${doc}`,
  );
}

function operandFields(operation: Operation): Field[] {
  const operands = Object.entries(operation.operands).map(([name, operand]) => {
    const type = operand.role === 'input' ? 'const void*' : 'void*';
    const only = operand.only === undefined ? '' : `; ignored where problem.${snake(operand.only)} is 0`;
    return field(
      name,
      [type, type],
      `${operand.doc}: ${describeShape(operand)}, of type ${snake(operand.type)}${only}`,
    );
  });
  const scalars = Object.entries(operation.scalars);
  return [...operands, ...scalars.map(([name, { doc }]) => field(name, ['float', 'float'], doc))];
}

function describeShape({ shape }: Operand): string {
  const print = (extents: Shape) => `[${extents.join('][')}]`;
  if (!('by' in shape)) return print(shape);
  const { by, shapes } = shape;
  return Object.entries(shapes)
    .map(([value, extents], index) =>
      index === 0 ? print(extents) : `or ${print(extents)} where ${snake(by)} is ${value}`,
    )
    .join(', ');
}

/** Functions of one operand: its lines and their width, and what a run asks of its address. */
function describeTensor(operation: Operation, name: string, operand: Operand) {
  const { layout, leading, only, role, type } = operand;
  const [outer, inner] = [0, 1].map((part) =>
    pickShape(operation, operand, (shape) =>
      product(operation, part === 0 ? shape.slice(0, -1) : shape.slice(-1)),
    ),
  );
  const transposed = layout === undefined ? undefined : `q.${snake(layout)} == Layout::column`;
  return {
    name,
    lines: transposed ? `${transposed} ? ${inner} : ${outer}` : outer,
    width: transposed ? `${transposed} ? ${outer} : ${inner}` : inner,
    pitch: leading === undefined ? `width_${name}(q)` : `wide(q.${leading})`,
    bytes: `bytes_of(q.${snake(type)})`,
    needed: only === undefined ? 'true' : `q.${snake(only)} == Switch::yes`,
    written: role !== 'input',
  };
}

/** C++ expression over the choice that decides a shape. */
function pickShape(operation: Operation, { shape }: Operand, print: (shape: Shape) => string): string {
  if (!('by' in shape)) return print(shape);
  const { by, shapes } = shape;
  const kind = operation.choices[by]?.kind ?? 'switch';
  const [[, first] = ['', []], ...others] = Object.entries(shapes);
  if (others.every(([, extents]) => print(extents) === print(first))) return print(first);
  return others.reduce(
    (rest, [value, extents]) =>
      `(q.${snake(by)} == ${types[kind].cpp}::${word(value)} ? ${print(extents)} : ${rest})`,
    print(first),
  );
}

function product(operation: Operation, extents: Shape): string {
  return extents.map((extent) => `(${overSizes(operation, extent, 'q')})`).join(' * ') || 'wide(1)';
}

function sizeChecks({ sizes }: Operation): Check[] {
  const all = Object.entries(sizes);
  return [
    ...all.map(([name, { least = 0 }]) => ({
      holds: `p.${name} >= ${least}`,
      otherwise: `"${name} = " + number(p.${name}) + " must be at least ${least}"`,
    })),
    ...all.flatMap(([name, { multipleOf }]) =>
      multipleOf === undefined
        ? []
        : {
            holds: `p.${name} % p.${multipleOf} == 0`,
            otherwise: `"${name} = " + number(p.${name}) + " is no multiple of ${multipleOf} = " + number(p.${multipleOf})`,
          },
    ),
    ...all.flatMap(([name, { most }]) =>
      most === undefined
        ? []
        : {
            holds: `wide(p.${name}) <= ${overSizes({ sizes }, most, 'p')}`,
            otherwise: `"${name} = " + number(p.${name}) + " exceeds ${most} = " + number(${overSizes({ sizes }, most, 'p')})`,
          },
    ),
  ];
}

function choiceCheck(name: string, choice: OperationChoice): Check[] {
  const own = snake(name);
  if (choice.when !== undefined) return [];
  const numbers = allowedValues(choice).map((value) => indexOf(choice.kind, value));
  const words = allowedValues(choice).map((value) =>
    choice.kind === 'switch' ? String(indexOf(choice.kind, value)) : enumerator(choice.kind, value),
  );
  return [
    {
      holds: numbers.map((value) => `p.${own} == ${value}`).join(' || '),
      otherwise: `"${own} = " + number(p.${own}) + " is none of ${words.join(', ')}"`,
    },
  ];
}

function strideChecks(name: string, { leading, batchStride }: Operand): Check[] {
  const below = (own: string, least: string, what: string): Check => ({
    holds: `wide(q.${own}) >= ${least}`,
    otherwise: `"${own} = " + number(q.${own}) + " is below ${what} = " + number(${least})`,
  });
  const fits: Check = {
    holds: `extent_${name}(q) <= kMostElements`,
    otherwise: `"${name} has too many elements for 64 bits"`,
  };
  return [
    ...(leading ? [below(leading, `width_${name}(q)`, `the width of ${name}`)] : []),
    fits,
    ...(batchStride ? [below(batchStride, `extent_${name}(q)`, `the elements of ${name}`)] : []),
  ];
}

function describeHost(operation: Operation, name: string, { host, type, shape }: Operand) {
  if (host === undefined || 'by' in shape) return [];
  const count = product(operation, shape);
  const index = `q.${snake(type)}`;
  const call =
    host.kind === 'offsets'
      ? `check_offsets(q.host_${name}, ${index}, ${count}, ${overSizes(operation, host.total, 'q')}, "host_${name}", "${host.total}")`
      : `check_indices(q.host_${name}, ${index}, ${count}, ${overSizes(operation, host.below, 'q')}, "host_${name}")`;
  return [{ name, call }];
}

/** An expression over sizes in C++, in integers that cannot overflow. */
function overSizes({ sizes }: Pick<Operation, 'sizes'>, expression: string, struct: string): string {
  return expression.replaceAll(/[A-Za-z_]\w*/g, (name) => {
    if (!Object.hasOwn(sizes, name)) throw new Error(`'${expression}' names '${name}', which is no size`);
    return `wide(${struct}.${name})`;
  });
}

function enumerator(kind: ChoiceKind, value: string): string {
  return types[kind].prefix + word(value).toUpperCase();
}

function indexOf(kind: ChoiceKind, value: string): number {
  return (choiceKinds[kind] as readonly string[]).indexOf(value);
}

/** A value as an enumerator. */
function word(value: string): string {
  return value.replaceAll('-', '_');
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A doc string as a C comment of as many lines as it takes. */
function asComment(doc: string): string[] {
  const lines = wrap(
    `${doc.charAt(0).toUpperCase()}${doc.slice(1)}${doc.endsWith('.') ? '' : '.'}`,
    lineWidth - 5,
  );
  return lines.map(
    (line, index) => `${index === 0 ? '/* ' : ' * '}${line}${index === lines.length - 1 ? ' */' : ''}`,
  );
}

/** Lines of at most `width` characters. */
function wrap(text: string, width = lineWidth): string[] {
  const lines = [''];
  for (const part of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + part.length > width) lines.push(part);
    else lines[lines.length - 1] = line === '' ? part : `${line} ${part}`;
  }
  return lines;
}
