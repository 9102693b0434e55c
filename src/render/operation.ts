import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  allowedValues,
  type ChoiceKind,
  choiceKinds,
  type Operand,
  type Operation,
  type Shape,
} from '../model/operation.ts';
import {
  type CppSignature,
  callFields,
  fieldName,
  overSizes,
  type ProblemField,
  problemFields,
  valueName,
} from '../model/signature.ts';
import { packageRoot } from '../util/package-root.ts';
import { renderText } from './engine.ts';

/** C++ enumerations of the vocabulary, in kit/host/tw/operation.hpp. */
const enumerations: Readonly<Record<ChoiceKind, string>> = {
  type: 'Type',
  index: 'Index',
  layout: 'Layout',
  activation: 'Activation',
  switch: 'Switch',
};

/** The same for what kernels do with an operand. */
const accesses: Readonly<Record<Operand['role'], string>> = {
  input: 'Access::read',
  output: 'Access::write',
  inout: 'Access::update',
};

/** The operation's signature as a C++ header: the `operation.hpp` that the family's headers include. */
export function renderOperation(operation: Operation): string {
  const file = join(packageRoot, 'templates', 'operation', 'operation.hpp.hbs');
  return renderText(readFileSync(file, 'utf8'), cppContext(operation), file);
}

/** The same with the operation's name, as compiling a family needs them. */
export function cppSignature(operation: Operation): CppSignature {
  const { name, computes } = operation;
  return { name, text: renderOperation(operation), ...(computes && { computes }) };
}

function cppContext(operation: Operation) {
  const choices = Object.entries(operation.choices);
  return {
    operation: operation.name,
    formula: operation.formula,
    problem: problemFields(operation).map((field) => `${cppType(field)} ${field.name}`),
    call: callFields(operation).map((field) => `${callType(field)} ${field.name}`),
    tensors: Object.entries(operation.operands).map(([name, operand]) => tensor(operation, name, operand)),
    fields: fieldVisits(operation),
    arguments: namedArguments(operation),
    scalars: Object.entries(operation.scalars).map(([name, { usual = 0 }]) => ({ name, usual })),
    choiceCount: choices.length,
    choices: choices.map(([name, { kind, when }]) => ({
      name: fieldName(name),
      value: when === undefined ? `q.${fieldName(name)}` : `(${overSizes(operation, when, 'q')})`,
      values: choiceKinds[kind].map((value) => JSON.stringify(value)).join(', '),
    })),
  };
}

/** Names of the arguments that kernels have for the sizes of a product. */
const sizeArguments = { m: 'rows', n: 'columns', k: 'depth' } as const;

/** Arguments that a kernel may have under the signature's own names, and sizes. A choice that is not the activation is nothing that kernels compute with. */
function namedArguments(operation: Operation) {
  const constant = problemFields(operation).filter(
    (field) =>
      field.is === 'leading' ||
      field.is === 'batchStride' ||
      (field.is === 'choice' && field.choice.kind === 'activation'),
  );
  const sizes = Object.entries(sizeArguments).filter(([size]) => Object.hasOwn(operation.sizes, size));
  return [
    ...sizes.map(([size, name]) => ({ name, from: `q.${size}`, set: 'kernel.set_size' })),
    ...constant.map(({ name }) => ({ name, from: `q.${name}`, set: 'kernel.set_constant' })),
    ...callFields(operation).map((field) => ({
      ...{ name: field.name, from: `&Call::${field.name}` },
      set: `${field.is === 'operand' ? onlyWith(field.operand) : ''}kernel.set`,
    })),
  ];
}

/** The beginning of a statement about an operand that not every call has. */
function onlyWith({ only }: Operand): string {
  return only === undefined ? '' : `if (q.${fieldName(only)} == Switch::yes) `;
}

/** Calls by which a visitor learns of the fields that a problem sets. */
function fieldVisits({ sizes, choices, operands }: Operation): string[] {
  const allChoices = Object.entries(choices).map(([name, choice], place) => ({ name, place, ...choice }));
  return [
    ...Object.entries(sizes).map(([name, { otherwise }]) =>
      otherwise === undefined ? `size("${name}", q.${name})` : `size("${name}", q.${name}, ${otherwise})`,
    ),
    ...allChoices
      .filter(({ when }) => when === undefined)
      .map(({ name, place, ...choice }) => {
        const [usual = ''] = allowedValues(choice);
        const otherwise = `${enumerations[choice.kind]}::${valueName(usual)}`;
        return `choice("${name}", kChoiceNames[${place}], q.${fieldName(name)}, ${otherwise})`;
      }),
    ...Object.entries(operands).flatMap(([name, { leading, batchStride }]) => [
      ...(leading === undefined ? [] : [`leading("${name}", q.${leading}, width_${name}(q))`]),
      ...(batchStride === undefined ? [] : [`stride("${name}", q.${batchStride}, extent_${name}(q))`]),
    ]),
  ];
}

function cppType(field: ProblemField): string {
  if (field.is === 'choice') return enumerations[field.choice.kind];
  if (field.is === 'host') return 'const void*';
  return field.is === 'hint' ? 'bool' : 'std::int64_t';
}

function callType(field: ReturnType<typeof callFields>[number]): string {
  if (field.is === 'scalar') return 'float';
  return field.operand.role === 'input' ? 'const void*' : 'void*';
}

/** C++ expressions of an operand's lines, their width and the distance between them. */
function tensor(operation: Operation, name: string, operand: Operand) {
  const { layout, leading, role, readWith, type } = operand;
  const extent = (pick: (shape: Shape) => Shape) =>
    overShapes(operation, operand, (shape) => product(operation, pick(shape)));
  const outer = extent((shape) => shape.slice(0, -1));
  const inner = extent((shape) => shape.slice(-1));
  const byLayout = (row: string, column: string) =>
    layout === undefined ? row : `q.${fieldName(layout)} == Layout::column ? ${column} : ${row}`;
  return {
    name,
    lines: byLayout(outer, inner),
    width: byLayout(inner, outer),
    pitch: leading === undefined ? `width_${name}(q)` : `wide(q.${leading})`,
    type: fieldName(type),
    elements: operation.choices[type]?.kind === 'type',
    condition: onlyWith(operand),
    access:
      readWith === undefined ? accesses[role] : `call.${readWith} != 0 ? Access::update : Access::write`,
  };
}

/** An expression of an operand's shape, by the choice that decides it. */
function overShapes({ choices }: Operation, { shape }: Operand, print: (shape: Shape) => string): string {
  if (!('by' in shape)) return print(shape);
  const [first, ...others] = Object.entries(shape.shapes).map(([value, extents]) => ({
    value,
    text: print(extents),
  }));
  const kind = choices[shape.by]?.kind;
  if (first === undefined || kind === undefined) throw new Error('the signature was not validated');
  return others.reduce(
    (rest, { value, text }) =>
      text === rest
        ? rest
        : `(q.${fieldName(shape.by)} == ${enumerations[kind]}::${valueName(value)} ? ${text} : ${rest})`,
    first.text,
  );
}

function product(operation: Operation, extents: Shape): string {
  return extents.map((extent) => `(${overSizes(operation, extent, 'q')})`).join(' * ') || 'wide(1)';
}
