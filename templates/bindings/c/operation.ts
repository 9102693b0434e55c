import {
  allowedValues,
  type ChoiceKind,
  type Operand,
  type Operation,
  type OperationChoice,
} from '../../../src/model/operation.ts';
import {
  callFields,
  fieldName,
  numberOf,
  overSizes,
  type ProblemField,
  problemFields,
  valueName,
  wrapped,
} from '../../../src/model/signature.ts';

/** A condition on a call, and the message for one that violates it: both C++ expressions. */
interface Check {
  readonly holds: string;
  readonly otherwise: string;
}

export const cTypes: Readonly<Record<ChoiceKind, { readonly type: string; readonly prefix: string }>> = {
  type: { type: 'tw_type', prefix: 'TW_TYPE_' },
  index: { type: 'tw_index', prefix: 'TW_INDEX_' },
  layout: { type: 'tw_layout', prefix: 'TW_LAYOUT_' },
  activation: { type: 'tw_activation', prefix: 'TW_ACTIVATION_' },
  switch: { type: 'int32_t', prefix: '' },
};

/** Columns of a comment in a rendered header. */
const lineWidth = 106;

/** Variables of the templates of an operation's C header and C functions. */
export function operationContext(operation: Operation) {
  const { name, formula, doc, sizes, choices, features } = operation;
  const operands = Object.entries(operation.operands);
  return {
    operation: name,
    guard: name.toUpperCase(),
    formula,
    doc: wrapped(doc, lineWidth),
    problem: problemFields(operation).map((field) => ({
      name: field.name,
      c: `${cType(field)} ${field.name}`,
      comment: commentLines(`${field.doc}${allowedText(field)}`),
      value: completed(field),
    })),
    call: callFields(operation).map((field) => ({
      name: field.name,
      c: `${field.is === 'scalar' ? 'float' : pointer(field.operand)} ${field.name}`,
      comment: commentLines(field.doc),
    })),
    sizes: Object.keys(sizes),
    features: Object.keys(features),
    product: operation.computes === 'product',
    checks: [...sizeChecks(operation), ...Object.entries(choices).flatMap((entry) => choiceCheck(...entry))],
    completeChecks: operands.flatMap((entry) => strideChecks(...entry)),
    indexArrays: operands
      .filter(([, { host }]) => host !== undefined)
      .map(([operand, { type }]) => ({ name: operand, bytes: `bytes_of(q.${fieldName(type)})` })),
    indexNames: operands.flatMap(([operand, { host }]) => (host === undefined ? [] : [operand])).join(' or '),
    hosts: operands.flatMap((entry) => hostCheck(operation, ...entry)),
    empty: operands
      .filter(([, { role }]) => role !== 'input')
      .map(([operand]) => `lines_${operand}(q) * width_${operand}(q) == 0`)
      .join(' && '),
    pointers: operands.map(([operand, { only, type }]) => ({
      name: operand,
      needed: only === undefined ? 'true' : `q.${fieldName(only)} == Switch::yes`,
      bytes: `bytes_of(q.${fieldName(type)})`,
    })),
  };
}

function cType(field: ProblemField): string {
  if (field.is === 'choice') return cTypes[field.choice.kind].type;
  if (field.is === 'host') return 'const void*';
  return field.is === 'hint' ? 'int32_t' : 'int64_t';
}

function pointer({ role }: Operand): string {
  return role === 'input' ? 'const void*' : 'void*';
}

/** `: TW_LAYOUT_ROW or TW_LAYOUT_COLUMN`, for a choice. */
function allowedText(field: ProblemField): string {
  return field.is === 'choice' ? `: ${enumerators(field.choice).join(', ')}` : '';
}

function enumerators(choice: OperationChoice): readonly string[] {
  const { prefix } = cTypes[choice.kind];
  return allowedValues(choice).map((value) =>
    choice.kind === 'switch' ? String(numberOf(choice.kind, value)) : prefix + valueName(value).toUpperCase(),
  );
}

/** C++ expression of a member of the complete problem `q`, from the caller's struct `p`. */
function completed(field: ProblemField): string {
  const own = `p.${field.name}`;
  const packed = (extent: string) => `static_cast<std::int64_t>(${own} ? wide(${own}) : ${extent}(q))`;
  switch (field.is) {
    case 'choice':
      return `static_cast<decltype(q.${field.name})>(${own})`;
    case 'leading':
      return packed(`width_${field.operand}`);
    case 'batchStride':
      return packed(`extent_${field.operand}`);
    case 'hint':
      return `${own} != 0`;
    case 'size':
      return field.size.otherwise === undefined ? own : `${own} ? ${own} : ${field.size.otherwise}`;
    case 'host':
      return own;
  }
}

export function sizeChecks({ sizes }: Pick<Operation, 'sizes'>): Check[] {
  const all = Object.entries(sizes);
  return [
    ...all.map(([name, { least = 0 }]) => ({
      holds: `p.${name} >= ${least}`,
      otherwise: `"${name} = " + number(p.${name}) + "${least === 0 ? ' must not be negative' : ` must be at least ${least}`}"`,
    })),
    ...all.flatMap(([name, { multipleOf: other }]) =>
      other === undefined
        ? []
        : {
            holds: `p.${name} % p.${other} == 0`,
            otherwise: `"${name} = " + number(p.${name}) + " is no multiple of ${other} = " + number(p.${other})`,
          },
    ),
    ...all.flatMap(([name, { most }]) => (most === undefined ? [] : mostCheck({ sizes }, name, most))),
  ];
}

function mostCheck(operation: Pick<Operation, 'sizes'>, name: string, most: string): Check {
  const limit = overSizes(operation, most, 'p');
  return {
    holds: `wide(p.${name}) <= ${limit}`,
    otherwise: `"${name} = " + number(p.${name}) + " exceeds ${most} = " + number(${limit})`,
  };
}

export function choiceCheck(name: string, choice: OperationChoice): Check[] {
  if (choice.when !== undefined) return [];
  const own = `p.${fieldName(name)}`;
  const numbers = allowedValues(choice).map((value) => numberOf(choice.kind, value));
  return [
    {
      holds: numbers.map((number) => `${own} == ${number}`).join(' || '),
      otherwise: `"${fieldName(name)} = " + number(${own}) + " is none of ${enumerators(choice).join(', ')}"`,
    },
  ];
}

function strideChecks(name: string, { leading, batchStride }: Operand): Check[] {
  const notBelow = (own: string, least: string, what: string): Check => ({
    holds: `wide(q.${own}) >= ${least}`,
    otherwise: `"${own} = " + number(q.${own}) + " is below ${what} = " + number(${least})`,
  });
  return [
    ...(leading ? [notBelow(leading, `width_${name}(q)`, `the width of ${name}`)] : []),
    {
      holds: `extent_${name}(q) <= library::kMostElements`,
      otherwise: `"${name} has too many elements to count"`,
    },
    ...(batchStride
      ? [
          notBelow(batchStride, `extent_${name}(q)`, `the elements of ${name}`),
          allProducts(name, batchStride),
        ]
      : []),
  ];
}

/** Bounds the elements from the first product's to the last one's. */
function allProducts(name: string, batchStride: string): Check {
  return {
    holds: `(wide(q.batch) - 1) * q.${batchStride} + extent_${name}(q) <= library::kMostElements`,
    otherwise: `"${batchStride} = " + number(q.${batchStride}) + " is too large: ${name} has too many elements to count in " + number(q.batch) + " products"`,
  };
}

/** A call of one of the functions in problem_checks.hpp. */
function hostCheck(operation: Operation, name: string, { host, type, shape }: Operand): string[] {
  if (host === undefined || 'by' in shape) return [];
  const common = `q.host_${name}, q.${fieldName(type)}, extent_${name}(q)`;
  return host.kind === 'offsets'
    ? [`check_offsets(${common}, ${overSizes(operation, host.total, 'q')}, "host_${name}", "${host.total}")`]
    : [`check_indices(${common}, ${overSizes(operation, host.below, 'q')}, "host_${name}")`];
}

/** A doc string as a C comment of as many lines as it takes. */
export function commentLines(doc: string): string[] {
  const text = `${doc.charAt(0).toUpperCase()}${doc.slice(1)}${doc.endsWith('.') ? '' : '.'}`;
  const lines = wrapped(text, lineWidth - 5);
  return lines.map((line, index) => {
    const end = index === lines.length - 1 ? ' */' : '';
    return `${index === 0 ? '/* ' : ' * '}${line}${end}`;
  });
}
