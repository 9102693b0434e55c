import { Document, isCollection, isMap, isScalar, visit } from 'yaml';
import { type PlannedArgument, plainName } from './arguments.ts';
import type { Drafted } from './check.ts';
import type { Expression } from './expression.ts';
import type { Plan } from './plan.ts';
import type { ElementType } from './signature.ts';
import type { PlannedSymbol } from './symbols.ts';
import type { PlannedMap } from './tensor-map.ts';

/** First descriptions of kernels, to put beside their source and correct; guesses are marked, and comments say what is open. */
export function draftText(all: readonly Drafted[]): string {
  return all
    .map((one) => {
      if ('refusal' in one) return commentsOn([`${one.kernel} is not described: ${one.refusal}`]);
      const text = draft(one) + commentsOn(one.open);
      return all.length > 1 ? listed(text) : text;
    })
    .join('');
}

function listed(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ').replace(/^ {2}/, '- ');
}

/** Comments of YAML; the text of a C comment around an example would end the one that the description stands in. */
function commentsOn(messages: readonly string[]): string {
  return messages
    .map((one) => one.replace(/say it above the kernel: \/\* tilewright (.*) \*\//s, 'say it here: $1'))
    .map((one) => `# ${one.replaceAll('*/', '* /').replaceAll('\n', '\n# ')}\n`)
    .join('');
}

function draft(plan: Plan): string {
  const { shared, deterministic } = plan;
  const given = plan.arguments.filter((one) => !isSize(one));
  const isSized = plan.sizes.some((sizes) => Object.keys(sizes).length > 0);
  const document = new Document({
    kernel: plan.kernel,
    ...(isSized && { sizes: plan.sizes.length === 1 ? plan.sizes[0] : plan.sizes }),
    ...(given.length > 0 && { arguments: argumentsOf(given) }),
    ...(plan.symbols.length > 0 && {
      symbols: Object.fromEntries(plan.symbols.map((one) => [one.name, symbolValues(one)])),
    }),
    ...(plan.grid.length > 0 && { grid: short(plan.grid) }),
    ...(plan.block.length > 0 && { block: short(plan.block) }),
    ...((shared !== 0 || plan.guesses.includes('shared')) && { shared: simple(shared) }),
    ...(!deterministic && { deterministic }),
  });
  visit(document, {
    Pair(_, { key, value }) {
      const name = isScalar(key) ? String(key.value) : '';
      if (isCollection(value)) value.flow = !(isMap(value) && name === 'arguments');
      if (plan.guesses.includes(name) && (isCollection(value) || isScalar(value))) value.comment = ' a guess';
    },
  });
  return document.toString({ lineWidth: 0 });
}

function argumentsOf(given: readonly PlannedArgument[]): Record<string, unknown> {
  const parameters = [...new Set(given.map(({ parameter }) => parameter))];
  return Object.fromEntries(
    parameters.map((index) => {
      const own = given.filter(({ parameter }) => parameter === index);
      const [first = given[0] as PlannedArgument] = own;
      if (first.kind === 'structs') return [first.name, structWords(first, own)];
      const fields = own.map((one) => [one.path, described(one)] as const);
      return first.path === undefined
        ? [first.name, described(first)]
        : [first.name.split('.')[0], { fields: Object.fromEntries(fields) }];
    }),
  );
}

type Structs = Extract<PlannedArgument, { kind: 'structs' }>;

function structWords({ name, shape, role, fields, pointers }: Structs, own: readonly PlannedArgument[]) {
  const words = [...fields, ...pointers].flatMap((path) => {
    const field = own.find((one) => one.name === `${name}.${path}`);
    if (field?.kind !== 'tensor') return [];
    return [[path, field.field ? { values: field.values } : described(field)] as const];
  });
  return { shape, role, fields: Object.fromEntries(words) };
}

/** A scalar that is a size goes without saying. */
function isSize(argument: PlannedArgument): boolean {
  return argument.kind === 'scalar' && argument.value === plainName(argument);
}

function described(argument: PlannedArgument): unknown {
  if (argument.kind === 'scalar') return argument.value;
  if (argument.kind === 'function') return argument.value ?? 0;
  if (argument.kind === 'map') return { tensor: argument.tensor, ...mapWords(argument.map) };
  if (argument.kind === 'structs') return { shape: argument.shape };
  if (argument.kind === 'workspace') {
    const { shape, values } = argument;
    return { role: 'workspace', shape, ...(values && { values }) };
  }
  const { role, values, map, type: element } = argument;
  const { shape, type } = shapeWords(argument, element);
  if (map) {
    const { type: mapped, ...words } = mapWords(map);
    return { type: mapped, ...words, ...(role !== 'in' && { role }), ...(values !== 'normal' && { values }) };
  }
  if (!type && role !== 'inout' && (role === 'out' || values === 'normal')) return shape;
  return { ...type, shape, ...(role === 'inout' && { role }), ...(values !== 'normal' && { values }) };
}

/** A shape in vectors where a pointer is to `float4`, or in floats and their type where these are counted. */
function shapeWords(
  { shape, lanes }: { readonly shape: readonly Expression[]; readonly lanes?: number },
  type: ElementType,
) {
  if (lanes === undefined) return { shape };
  return shape.at(-1) === lanes ? { shape: shape.slice(0, -1) } : { shape, type: { type } };
}

function mapWords({ type, shape, box, strides, swizzle }: PlannedMap) {
  return {
    type,
    shape: shape.map(simple),
    box: box.map(simple),
    ...(strides && { strides }),
    ...(swizzle !== 'none' && { swizzle }),
  };
}

function symbolValues({ values, type }: PlannedSymbol): unknown {
  const given = typeof values === 'object' && 'all' in values ? values.all : values;
  return type === undefined ? given : { values: given, type };
}

function short(dimensions: readonly Expression[]): unknown {
  const plain = dimensions.map(simple);
  return plain.length === 1 ? plain[0] : plain;
}

/** A number as one, and an expression without parentheses around all of it. */
function simple(expression: Expression): Expression {
  const inside = /^\((.*)\)$/.exec(String(expression))?.[1];
  if (inside !== undefined && isBalanced(inside)) return simple(inside);
  return /^\d+$/.test(String(expression)) ? Number(expression) : expression;
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const letter of text) {
    if (letter === '(') depth++;
    if (letter === ')' && --depth < 0) return false;
  }
  return depth === 0;
}
