import {
  allowedValues,
  type ChoiceKind,
  choiceKinds,
  type Operand,
  type Operation,
  type OperationChoice,
  type Shape,
} from '../../../src/model/operation.ts';
import {
  type CallField,
  callFields,
  fieldName,
  overSizes,
  type ProblemField,
  patternParts,
  problemFields,
  sizeInPattern,
  valueName,
  wrapped,
} from '../../../src/model/signature.ts';

/** Numbers of `tw_status` in tilewright.h, in order; the layout test compares them. */
export const statuses = [
  'SUCCESS',
  'INVALID_ARGUMENT',
  'NOT_SUPPORTED',
  'NO_DEVICE',
  'WORKSPACE_TOO_SMALL',
  'LAUNCH_FAILED',
  'OUT_OF_MEMORY',
  'INTERNAL',
].map((name, number) => ({ name, number }));

interface Words {
  readonly doc: string;
  /** In C, and in tilewright-sys. */
  readonly type: string;
  readonly prefix: string;
  /** In the safe crate. */
  readonly enumeration: string;
}

const words: Readonly<Record<Exclude<ChoiceKind, 'switch'>, Words>> = {
  type: { doc: 'Element type.', type: 'tw_type', prefix: 'TW_TYPE_', enumeration: 'Type' },
  index: { doc: 'Type of an index array.', type: 'tw_index', prefix: 'TW_INDEX_', enumeration: 'Index' },
  layout: {
    doc: 'Order of a matrix in memory: rows one after the other, or columns.',
    type: 'tw_layout',
    prefix: 'TW_LAYOUT_',
    enumeration: 'Layout',
  },
  activation: {
    doc: 'Function applied to each element of a result.',
    type: 'tw_activation',
    prefix: 'TW_ACTIVATION_',
    enumeration: 'Activation',
  },
};

/** Semantic choices that are enumerations in C. */
export const vocabulary = Object.entries(words).map(([kind, word]) => {
  const values = choiceKinds[kind as keyof typeof words].map((value, number) => ({
    constant: word.prefix + valueName(value).toUpperCase(),
    variant: pascalCase(value),
    text: value,
    number,
    first: number === 0,
  }));
  return { ...word, ffi: 'c_uint', values, constants: values.map(({ constant }) => constant).join(', ') };
});

function pascalCase(value: string): string {
  return value.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Variables of the templates of an operation's modules. */
export function operationContext(operation: Operation, has: (file: string) => boolean) {
  const fields = problemFields(operation);
  const hosts = fields.filter((field) => field.is === 'host');
  return {
    operation: operation.name,
    module: identifier(operation.name),
    own: has(`tilewright/src/${operation.name}/own.rs`),
    pattern: operation.pattern?.name ?? '',
    patternType: operation.pattern ? patternType(operation.pattern.name) : '',
    patternParameter: operation.pattern ? `pattern: &${patternType(operation.pattern.name)}, ` : '',
    patternName: operation.pattern ? 'pattern, ' : '',
    patternRaw: operation.pattern ? 'pattern.raw(), ' : '',
    patternFields: operation.pattern ? partFields(operation) : [],
    patternArgument: operation.pattern ? `const tw_${operation.pattern.name}*, ` : '',
    formula: operation.formula,
    doc: markdown(operation.doc),
    problem: fields.map(problemRow),
    call: callFields(operation).map((field) => callRow(operation, field)),
    // Lifetime of the host copies.
    life: hosts.length > 0 ? "<'a>" : '',
    anonymous: hosts.length > 0 ? "<'_>" : '',
    hosts: hosts.map(({ name, operand }) => ({
      field: identifier(name),
      operand: identifier(operand),
      label: operand,
      meaning: meaningOf(operation, operand),
    })),
    completed: Object.entries(operation.sizes).flatMap(([name, { otherwise }]) =>
      otherwise === undefined ? [] : [{ name: identifier(name), otherwise }],
    ),
    tensors: Object.entries(operation.operands).map(([name, operand]) => ({
      ...tensorRow(operation, name, operand),
      inPattern: operation.pattern !== undefined && patternParts(operation).operands.includes(name),
    })),
  };
}

/** Type of a pattern's descriptor. */
export function patternType(name: string): string {
  return `${pascalCase(name.replaceAll('_', '-'))}Pattern`;
}

/** Fields of the problem that a pattern has, and its own names of them. */
function partFields(operation: Operation) {
  const { sizes, choices } = patternParts(operation);
  return [
    ...sizes.map((size) => ({
      name: identifier(size),
      theirs: identifier(sizeInPattern(operation, size)),
    })),
    ...choices.map((choice) => ({ name: member(choice), theirs: member(choice) })),
  ];
}

function problemRow(field: ProblemField) {
  const name = identifier(field.name);
  return {
    name,
    cName: field.name,
    doc: docLines(field.doc),
    ffi: ffiType(field),
    rust: problemType(field),
    otherwise: defaultValue(field),
    raw: rawValue(field, `self.${name}`),
  };
}

function callRow({ scalars }: Operation, field: CallField) {
  const name = identifier(field.name);
  return {
    name,
    cName: field.name,
    doc: docLines(field.doc),
    ffi: ffiCallType(field),
    rust: field.is === 'scalar' ? 'f32' : sliceType(field.operand),
    otherwise: field.is === 'scalar' ? `${scalars[field.name]?.usual ?? 0}_f32` : 'Default::default()',
    raw: field.is === 'scalar' ? `self.${name}` : `self.${name}.address`,
  };
}

function sliceType({ role }: Operand): string {
  return role === 'input' ? "Slice<'a>" : "SliceMut<'a>";
}

function problemType(field: ProblemField): string {
  if (field.is === 'host') return "Option<Indices<'a>>";
  if (field.is === 'hint') return 'bool';
  if (field.is !== 'choice') return 'i64';
  return field.choice.kind === 'switch' ? 'bool' : words[field.choice.kind].enumeration;
}

function defaultValue(field: ProblemField): string {
  if (field.is === 'host') return 'None';
  if (field.is === 'hint') return 'false';
  return field.is === 'choice' ? choiceValue(field.choice, allowedValues(field.choice)[0] ?? '') : '0';
}

function choiceValue({ kind }: OperationChoice, value: string): string {
  return kind === 'switch' ? String(value === 'yes') : `${words[kind].enumeration}::${pascalCase(value)}`;
}

function rawValue(field: ProblemField, own: string): string {
  if (field.is === 'host') return `${own}.map_or(null(), Indices::address)`;
  if (field.is === 'hint') return `i32::from(${own})`;
  if (field.is !== 'choice') return own;
  return field.choice.kind === 'switch' ? `i32::from(${own})` : `${own}.number()`;
}

/** Rust expressions of what an operand has in memory; `q` is the complete problem. */
function tensorRow(operation: Operation, name: string, operand: Operand) {
  const { layout, leading, batchStride, only, type } = operand;
  const extent = (pick: (shape: Shape) => Shape) =>
    overShapes(operation, operand, (shape) => product(operation, pick(shape)));
  const outer = extent((shape) => shape.slice(0, -1));
  const inner = extent((shape) => shape.slice(-1));
  const byLayout = (row: string, column: string) =>
    layout === undefined ? row : `if q.${member(layout)} == Layout::Column { ${column} } else { ${row} }`;
  const stride = batchStride === undefined ? '' : `wide(q.${identifier(batchStride)}).or(lines * pitch)`;
  return {
    name: identifier(name),
    label: name,
    lines: byLayout(outer, inner),
    width: byLayout(inner, outer),
    pitch: leading === undefined ? 'width' : `wide(q.${identifier(leading)}).or(width)`,
    all: stride === '' ? 'one' : `touched(${batchOf(operation)}, one, ${stride})`,
    type: member(type),
    present: only === undefined ? 'Some(wanted)' : `q.${member(only)}.then_some(wanted)`,
  };
}

/** Rust expression of what an index array's elements may be; `q` is the complete problem. */
function meaningOf(operation: Operation, name: string): string {
  const host = operation.operands[name]?.host;
  if (host === undefined) throw new Error('the signature was not validated');
  return host.kind === 'offsets'
    ? `Meaning::Offsets(wide(1) * (${overSizes(operation, host.total, 'q')}))`
    : `Meaning::Below(wide(1) * (${overSizes(operation, host.below, 'q')}))`;
}

/** The size that counts the products of a call: the one whose zero stands for one. */
function batchOf({ sizes }: Operation): string {
  const found = Object.entries(sizes).find(([, { otherwise }]) => otherwise === 1);
  return found === undefined ? 'wide(1)' : `wide(q.${identifier(found[0])})`;
}

function overShapes({ choices }: Operation, { shape }: Operand, print: (shape: Shape) => string): string {
  if (!('by' in shape)) return print(shape);
  const { by, shapes } = shape;
  const choice = choices[by];
  const [first, ...others] = Object.entries(shapes).map(
    ([value, extents]) => [value, print(extents)] as const,
  );
  if (first === undefined || choice === undefined) throw new Error('the signature was not validated');
  return others.reduce(
    (rest, [value, text]) =>
      `if q.${member(by)} == ${choiceValue(choice, value)} { ${text} } else { ${rest} }`,
    first[1],
  );
}

export function product(operation: Pick<Operation, 'sizes'>, extents: Shape): string {
  return ['wide(1)', ...extents.map((extent) => `(${overSizes(operation, extent, 'q')})`)].join(' * ');
}

/** A choice as a member of the problem. */
export function member(choice: string): string {
  return identifier(fieldName(choice));
}

export function ffiType(field: ProblemField): string {
  if (field.is === 'host') return '*const c_void';
  if (field.is === 'hint') return 'i32';
  if (field.is !== 'choice') return 'i64';
  return field.choice.kind === 'switch' ? 'i32' : words[field.choice.kind].type;
}

function ffiCallType(field: CallField): string {
  if (field.is === 'scalar') return 'f32';
  return field.operand.role === 'input' ? '*const c_void' : '*mut c_void';
}

/** Keywords that a signature may well use as names. */
const keywords = new Set(
  'as break const crate else enum fn for if impl in let loop match mod move mut pub ref return self static struct super trait type unsafe use where while yield'.split(
    ' ',
  ),
);

export function identifier(name: string): string {
  return keywords.has(name) ? `r#${name}` : name;
}

/** Columns of a doc comment. */
const lineWidth = 116;

/** A doc string as the lines of a Rust comment. */
export function docLines(doc: string): string[] {
  return markdown(`${doc.charAt(0).toUpperCase()}${doc.slice(1)}${doc.endsWith('.') ? '' : '.'}`);
}

/** Lines of Markdown: shapes in brackets are no links. */
function markdown(text: string): string[] {
  const shapes = /\[[^\]]*\](?:\[[^\]]*\])*/g;
  return wrapped(
    text.replaceAll(shapes, (shape) => `\`${shape}\``),
    lineWidth,
  );
}
