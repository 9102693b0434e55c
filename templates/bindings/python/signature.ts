import { allowedValues, choiceKinds, type Operand, type Operation } from '../../../src/model/operation.ts';
import {
  callFields,
  fieldName,
  type ProblemField,
  patternSignature,
  problemFields,
  wrapped,
} from '../../../src/model/signature.ts';

/** Columns of a rendered module. */
const lineWidth = 116;

/** A parameter of the rendered function that is passed by its name. */
interface Keyword {
  readonly name: string;
  readonly type: string;
  readonly value: string;
  readonly doc: string;
}

/** Variables of the template of an operation's Python module. */
export function signatureContext(operation: Operation) {
  const { name, formula, scalars } = operation;
  const required = Object.entries(operation.sizes).filter(([, { otherwise }]) => otherwise === undefined);
  const operands = Object.entries(operation.operands);
  const positional = operands.filter(([, operand]) => isPositional(operand));
  const inputs = positional.map(([operand, { doc }]) => ({ name: operand, doc }));
  const keywords = keywordsOf(operation);
  const fields = keywords.filter(({ name: one }) => !(one in operation.operands || one in scalars));
  const isSize = ({ name: one }: Keyword) => one in operation.sizes;
  const fromArrays = keywords.filter(({ name: one }) => one in operation.operands);
  return {
    operation: name,
    formula,
    doc: wrapped(operation.doc, lineWidth - 4),
    problem: problemFields(operation).map((field) => ({
      name: field.name,
      type: problemType(field),
      comment: wrapped(field.doc, lineWidth - 10),
    })),
    call: callFields(operation).map((field) => ({
      name: field.name,
      type: field.is === 'scalar' ? 'c_float' : 'c_void_p',
      comment: wrapped(field.doc, lineWidth - 10),
    })),
    pattern: operation.pattern === undefined ? false : patternContext(operation, operation.pattern),
    className: `${name.replaceAll(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())}Plan`,
    indexNames: list(operands.flatMap(([operand, { host }]) => (host ? [quoted(operand)] : []))),
    sizeNames: list(required.map(([size]) => quoted(size))),
    scalarNames: list(Object.keys(scalars).map(quoted)),
    choices: ownChoices(operation).map(([choice, one]) => ({
      name: fieldName(choice),
      kind: tuple(choiceKinds[one.kind].map(quoted)),
      allowed: tuple(allowedValues(one).map(quoted)),
    })),
    tensors: operands.map(([operand, one]) => tensorRow(operation, operand, one)),
    positional: inputs,
    keywords,
    arguments: documented([...inputs, ...keywords]),
    result: operands.find(([, { role }]) => role !== 'input')?.[1].doc.split(';')[0],
    arrayKeywords: fromArrays,
    scalarKeywords: keywords.filter(({ name: one }) => one in scalars),
    fieldKeywords: fields,
    sizeKeywords: fields.filter(isSize),
    planArguments: documented([...inputs, ...fromArrays, ...fields]),
    passedChoices: passed(fields.filter((field) => !isSize(field))),
    passedSizes: passed(fields.filter(isSize)),
    passedArrays: passed(operands.map(([one]) => ({ name: one }))),
    passedFields: passed(fields),
    passedScalars: passed(Object.keys(scalars).map((one) => ({ name: one }))),
  };
}

/** The C struct that describes a sparse pattern: its members, in order. */
function patternContext(operation: Operation, { name, doc, sizes = {} }: NonNullable<Operation['pattern']>) {
  const { choices, operands, ...parts } = patternSignature(operation);
  const arrays = Object.keys(operands);
  const renamed = Object.entries(sizes).map(([theirs, own]) => `${quoted(theirs)}: ${quoted(own)}`);
  return {
    name,
    doc,
    renamed: `{${renamed.join(', ')}}`,
    fields: [
      ...Object.keys(parts.sizes).map((size) => ({ name: size, type: 'c_int64' })),
      ...Object.keys(choices).map((choice) => ({ name: fieldName(choice), type: 'c_int32' })),
      ...[...arrays, ...arrays.map((array) => `host_${array}`)].map((array) => ({
        name: array,
        type: 'c_void_p',
      })),
    ],
  };
}

function isPositional({ role, only }: Operand): boolean {
  return role === 'input' && only === undefined;
}

function ownChoices({ choices }: Operation) {
  return Object.entries(choices).filter(([, { when }]) => when === undefined);
}

function problemType(field: ProblemField): string {
  if (field.is === 'host') return 'c_void_p';
  return field.is === 'choice' || field.is === 'hint' ? 'c_int32' : 'c_int64';
}

/** Optional operands, sizes, the choices that no array decides, scalars, host copies and hints. */
function keywordsOf(operation: Operation): Keyword[] {
  const { operands, sizes, scalars } = operation;
  const optional = Object.entries(operands).filter(([, one]) => !isPositional(one));
  return [
    ...optional.map(([name, { doc }]) => ({ name, type: 'Array | None', value: 'None', doc })),
    ...choiceKeywords(operation),
    ...Object.entries(scalars).map(([name, { doc }], index) => ({
      ...{ name, type: 'float', doc },
      value: index === 0 ? '1.0' : '0.0',
    })),
    ...Object.entries(sizes).map(([name, { doc }]) => ({ name, type: 'int | None', value: 'None', doc })),
    ...problemFields(operation).flatMap(({ name, is, doc }) => {
      return is === 'hint' ? [{ name, type: 'bool', value: 'False', doc }] : [];
    }),
  ];
}

/** A choice that a required array or the presence of one decides is none of the caller's; what an optional one decides may be said. */
function choiceKeywords(operation: Operation): Keyword[] {
  const operands = Object.values(operation.operands);
  const required = operands.filter(isPositional).flatMap(({ type, layout }) => [type, layout]);
  const decided = [...required, ...operands.map(({ only }) => only)];
  const written = operands.flatMap(({ type, layout }) => [type, layout]);
  return ownChoices(operation)
    .filter(([name]) => !decided.includes(name))
    .map(([name, choice]) => {
      const own = { name: fieldName(name), doc: `${choice.doc}: ${allowedValues(choice).join(', ')}` };
      if (written.includes(name)) return { ...own, type: 'str | None', value: 'None' };
      const [first = ''] = allowedValues(choice);
      return choice.kind === 'switch'
        ? { ...own, doc: choice.doc, type: 'bool', value: first === 'yes' ? 'True' : 'False' }
        : { ...own, type: 'str', value: quoted(first) };
    });
}

function tensorRow({ sizes }: Operation, name: string, operand: Operand) {
  const { role, type, shape, layout, leading, only, batchStride } = operand;
  const shapes = 'by' in shape ? shape.shapes : { '': shape };
  const rows = Object.entries(shapes).map(
    ([value, extents]) => `${quoted(value)}: ${tuple(extents.map((one) => extent(one, Object.keys(sizes))))}`,
  );
  const rest = {
    by: 'by' in shape ? fieldName(shape.by) : undefined,
    layout: layout && fieldName(layout),
    leading,
    only: only && fieldName(only),
    batch_stride: batchStride,
  };
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  return {
    ...{ name, role, type: fieldName(type) },
    shapes: `{${rows.join(', ')}}`,
    rest: given.map(([key, value]) => `, ${key}=${quoted(String(value))}`).join(''),
  };
}

/** A size by name, or an expression over sizes as a function: C's division is that of whole numbers. */
function extent(expression: string, sizes: readonly string[]): string {
  if (sizes.includes(expression)) return quoted(expression);
  return `lambda q: ${expression.replaceAll('/', '//').replaceAll(/[A-Za-z_]\w*/g, (name) => `q["${name}"]`)}`;
}

/** Items of a dict from names to the variables of these names. */
function passed(named: readonly { readonly name: string }[]): string {
  return named.map(({ name }) => `${quoted(name)}: ${name}`).join(', ');
}

function documented(named: readonly { readonly name: string; readonly doc: string }[]): string[] {
  return named.flatMap(({ name, doc }) => hanging(`${name}: ${doc.replace(/\.$/, '')}.`));
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

function tuple(items: readonly string[]): string {
  return `(${list(items)})`;
}

/** The inside of a tuple: one of a single item ends in a comma. */
function list(items: readonly string[]): string {
  return items.length === 1 ? `${items[0]},` : items.join(', ');
}

function hanging(text: string): string[] {
  return wrapped(text, lineWidth - 12).map((line, index) => (index === 0 ? line : `    ${line}`));
}
