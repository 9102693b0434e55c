import {
  allowedValues,
  type ChoiceKind,
  choiceKinds,
  type Operand,
  type Operation,
  type OperationValues,
} from '../model/operation.ts';
import { didYouMean } from '../util/suggest.ts';

/** References of an operation's signature that lead nowhere, and names that clash. */
export function findOperationProblems(operation: Operation): string[] {
  return [
    ...sizeProblems(operation),
    ...choiceProblems(operation),
    ...Object.entries(operation.operands).flatMap(([name, operand]) =>
      operandProblems(operation, name, operand),
    ),
    ...patternProblems(operation),
    ...productProblems(operation),
    ...clashes(operation),
  ].map((problem) => `operation: ${problem}`);
}

function sizeProblems({ sizes }: Operation): string[] {
  return Object.entries(sizes).flatMap(([name, { multipleOf, most }]) => [
    ...unknownSizes(sizes, multipleOf ?? '', `size '${name}'`),
    ...unknownSizes(sizes, most ?? '', `size '${name}'`),
  ]);
}

function choiceProblems({ sizes, choices }: Operation): string[] {
  return Object.entries(choices).flatMap(([name, choice]) => {
    const known: readonly string[] = choiceKinds[choice.kind];
    const strange = allowedValues(choice).filter((value) => !known.includes(value));
    return [
      ...strange.map(
        (value) => `choice '${name}' allows '${value}'; a ${choice.kind} is one of ${known.join(', ')}`,
      ),
      ...(choice.when !== undefined && choice.kind !== 'switch'
        ? [`choice '${name}' follows from sizes, and only a switch may`]
        : []),
      ...unknownSizes(sizes, choice.when ?? '', `choice '${name}'`),
    ];
  });
}

/** Names and layouts that an operation lacks which says that it computes a product. */
function productProblems({ computes, sizes, operands, scalars }: Operation): string[] {
  if (computes === undefined) return [];
  const missing = (kind: string, names: readonly string[], known: object) =>
    names
      .filter((name) => !Object.hasOwn(known, name))
      .map((name) => `it computes a product, and has no ${kind} '${name}'`);
  const laidOut = Object.keys(operands).filter((name) => operands[name]?.layout !== undefined);
  return [
    ...missing('size', ['m', 'n', 'k'], sizes),
    ...missing('operand', ['a', 'b', 'c'], operands),
    ...missing('scalar', ['alpha', 'beta'], scalars),
    ...laidOut.map((name) => `it computes a product, whose operand '${name}' must be row-major`),
    ...(operands.bias && operands.bias.only !== 'bias'
      ? ["it computes a product, whose operand 'bias' must have only: 'bias'"]
      : []),
  ];
}

function patternProblems({ pattern, sizes }: Operation): string[] {
  return Object.values(pattern?.sizes ?? {}).flatMap((own) => unknownSizes(sizes, own, 'pattern'));
}

function operandProblems(operation: Operation, name: string, operand: Operand): string[] {
  const { type, layout, only, shape, host } = operand;
  const place = `operand '${name}'`;
  const extents = 'by' in shape ? Object.values(shape.shapes).flat() : shape;
  const expressions = [
    ...extents,
    host?.kind === 'offsets' ? host.total : '',
    host?.kind === 'indices' ? host.below : '',
  ];
  return [
    ...mustBe(operation, type, ['type', 'index'], `${place}, type`),
    ...(layout === undefined ? [] : mustBe(operation, layout, ['layout'], `${place}, layout`)),
    ...(only === undefined ? [] : mustBe(operation, only, ['switch'], `${place}, only`)),
    ...('by' in shape ? shapeProblems(operation, shape, place) : []),
    ...expressions.flatMap((text) => unknownSizes(operation.sizes, text, place)),
  ];
}

function shapeProblems(
  { choices }: Operation,
  { by, shapes }: Extract<Operand['shape'], { by: string }>,
  place: string,
): string[] {
  const choice = choices[by];
  if (choice === undefined) return [`${place}: its shape depends on the unknown choice '${by}'`];
  const missing = allowedValues(choice).filter((value) => shapes[value] === undefined);
  return missing.map((value) => `${place} has no shape for ${by} = ${value}`);
}

function mustBe({ choices }: Operation, name: string, kinds: readonly ChoiceKind[], place: string): string[] {
  const kind = choices[name]?.kind;
  if (kind === undefined)
    return [`${place} names the unknown choice '${name}'${didYouMean(name, Object.keys(choices))}`];
  return kinds.includes(kind) ? [] : [`${place}: '${name}' is a ${kind}, not a ${kinds.join(' or ')}`];
}

function unknownSizes(sizes: Operation['sizes'], expression: string, place: string): string[] {
  const names = expression.match(/[A-Za-z_]\w*/g) ?? [];
  return names
    .filter((name) => !Object.hasOwn(sizes, name))
    .map((name) => `${place} reads the unknown size '${name}'${didYouMean(name, Object.keys(sizes))}`);
}

/** Fields of one C struct. */
function clashes({ sizes, choices, operands, hints, scalars }: Operation): string[] {
  const strides = Object.values(operands).flatMap(({ leading, batchStride }) =>
    [leading ?? [], batchStride ?? []].flat(),
  );
  const problem = [...Object.keys(sizes), ...Object.keys(choices), ...strides, ...Object.keys(hints)];
  const run = [...Object.keys(operands), ...Object.keys(scalars)];
  return [problem, run].flatMap((names) =>
    names
      .filter((name, index) => names.indexOf(name) !== index)
      .map((name) => `two of its fields are called '${name}'`),
  );
}

/** Features of a workload that a call of the library does not have. */
export function findFeatureProblems(
  { sizes, features }: Operation,
  values: Readonly<Record<string, number>>,
): string[] {
  const known = [...Object.keys(sizes), ...Object.keys(features)];
  return Object.keys(values)
    .filter((name) => !known.includes(name))
    .map((name) => `gave '${name}', neither a size nor a feature of the operation${didYouMean(name, known)}`);
}

/** Served choices and values that the operation does not have. */
export function findServedProblems({ choices, sizes }: Operation, served: OperationValues): string[] {
  return Object.entries(served).flatMap(([name, values]) => {
    const choice = choices[name];
    if (choice === undefined) {
      if (Object.hasOwn(sizes, name)) return [];
      const known = [...Object.keys(choices), ...Object.keys(sizes)];
      return [`gave '${name}', neither a choice nor a size of the operation${didYouMean(name, known)}`];
    }
    const allowed = allowedValues(choice);
    return values
      .filter((value) => !allowed.includes(String(value)))
      .map((value) => `gave ${name} = ${value}, which is none of ${allowed.join(', ')}`);
  });
}
