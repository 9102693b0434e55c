import { z } from 'zod';

/**
 * Vocabulary of semantic choices. A choice of an operation is of one of these kinds and may allow fewer of its values; the
 * first allowed value is what a caller gets who says nothing. Every binding translates these words once.
 */
export const choiceKinds = {
  /** Element type. */
  type: ['f16', 'bf16', 'f32'],
  /** Integer type of index arrays. */
  index: ['i32', 'i64'],
  /** Order of a matrix in memory. */
  layout: ['row', 'column'],
  /** Function applied to each element of the result. */
  activation: ['none', 'relu', 'gelu-tanh', 'gelu-erf', 'silu'],
  switch: ['no', 'yes'],
} as const;
export type ChoiceKind = keyof typeof choiceKinds;

const doc = z.string().min(1);
/** Becomes a field of a C struct. */
const field = z.string().regex(/^[a-z][a-z0-9_]*$/, 'must be lower case letters, digits and _');
/** Sizes, whole numbers, `+ - * /`, parentheses and, for a switch, one comparison: C's own syntax and meaning. */
const expression = z.string().regex(/^[\w\s+*/()<>=-]+$/, 'must be an expression over sizes');
/** Extents from the outermost dimension to the innermost. */
const shape = z.array(expression).min(1);

/** A size in elements (or blocks, or products), never negative. */
const sizeSchema = z.strictObject({
  doc,
  /** Value that 0 stands for, e.g. 1 for a batch. */
  otherwise: z.number().int().exactOptional(),
  /** Smallest value; 0 if absent. */
  least: z.number().int().exactOptional(),
  /** Name of another size that must divide this one. */
  multipleOf: z.string().exactOptional(),
  /** Upper bound over other sizes. */
  most: expression.exactOptional(),
});

/**
 * A semantic choice: callers see another result for another value, so a kernel made for one value must never serve another.
 * The opposite of a parameter, which only the clock can tell.
 */
const choiceSchema = z.strictObject({
  kind: z.enum(Object.keys(choiceKinds) as [ChoiceKind, ...ChoiceKind[]]),
  doc,
  /** Allowed values, the default first; absent: all of the kind. */
  values: z.array(z.string()).min(1).exactOptional(),
  /** Switches only: `yes` where this comparison of sizes holds, e.g. `batch > 1`. Such a choice is no field of its own. */
  when: expression.exactOptional(),
});

/** A tensor in device memory. */
const operandSchema = z.strictObject({
  doc,
  role: z.enum(['input', 'output', 'inout']),
  /** Name of the choice, of kind `type` or `index`, that gives the element type. */
  type: z.string(),
  /** Extents; where a choice decides them, by its values. */
  shape: z.union([shape, z.strictObject({ by: z.string(), shapes: z.record(z.string(), shape) })]),
  /** Name of the choice, of kind `layout`, that orders the last two dimensions; row-major if absent. */
  layout: z.string().exactOptional(),
  /** Name of the field with the leading dimension: elements from one row (column) to the next; 0 means packed. */
  leading: field.exactOptional(),
  /** Of an `inout`: name of the scalar without which, at 0, it is written and never read; absent: it is always read. */
  readWith: z.string().exactOptional(),
  /** Name of the switch with which the operand is there at all; absent: always. */
  only: z.string().exactOptional(),
  /** Name of the field with the elements from one product of a batch to the next; 0 means packed. */
  batchStride: field.exactOptional(),
  /** An index array of which a plan may read a host copy, and what this must hold. */
  host: z
    .discriminatedUnion('kind', [
      /** Ascending from 0 to `total`. */
      z.strictObject({ kind: z.literal('offsets'), total: expression, doc }),
      /** Each at least 0 and less than `below`. */
      z.strictObject({ kind: z.literal('indices'), below: expression, doc }),
    ])
    .exactOptional(),
});

/** The signature of an operation: everything that a caller says, and nothing of how it is computed. */
export const operationSchema = z.strictObject({
  /** C identifier: functions are called `tw_<name>_…`. */
  name: field,
  /** One line of mathematics. */
  formula: doc,
  /**
   * The kind of formula, where the engine knows it: then there need be no oracle.hpp, and cuBLASLt is a baseline and a kernel that libraries
   * may choose. `product`: act(alpha * a * b + beta * c + bias), dense, row-major, m x n x k; a bias depends on a switch of its name, and neither this
   * nor the choice `activation` need be there.
   */
  computes: z.enum(['product']).exactOptional(),
  /** Definitions that the formula needs, in sentences. */
  doc,
  /**
   * Descriptor `tw_<name>` of index arrays with host copies and the sizes in their shapes, which callers
   * make once and use in many calls. Operations whose patterns share a name share the descriptor.
   */
  pattern: z
    .strictObject({
      name: field,
      doc,
      /** Sizes that the descriptor has under another name, by that name. */
      sizes: z.record(field, field).exactOptional(),
    })
    .exactOptional(),
  sizes: z.record(field, sizeSchema),
  choices: z.record(z.string().regex(/^[a-z][A-Za-z0-9]*$/), choiceSchema),
  operands: z.record(field, operandSchema),
  /** Factors that each run passes by value, in fp32; `usual`: where a language lets a caller leave it out, 0 if absent. */
  scalars: z.record(field, z.strictObject({ doc, usual: z.number().exactOptional() })),
  /** Promises about later runs that let a plan choose better: integers, 0 for "unknown". */
  hints: z.record(field, z.strictObject({ doc })),
  /** Numbers beside sizes that dispatch compares with tuned workloads; functions of these names in the family's features.hpp. */
  features: z.record(field, z.strictObject({ doc })),
});
export type Operation = Readonly<z.infer<typeof operationSchema>>;
export type Size = Readonly<z.infer<typeof sizeSchema>>;
export type OperationChoice = Readonly<z.infer<typeof choiceSchema>>;
export type Operand = Readonly<z.infer<typeof operandSchema>>;
export type Shape = readonly string[];

/** Values by choice, and of sizes that only some values are served of. */
export type OperationValues = Readonly<Record<string, readonly (string | number)[]>>;

type Choices = Operation['choices'];

/** An operation without the fields that few have. */
type OperationDefinition<C extends Choices> = Omit<Operation, 'hints' | 'features' | 'choices'> &
  Partial<Pick<Operation, 'hints' | 'features'>> & { readonly choices: C };

/** The operation of a definition; it has no hints and no features where none are named. Its choices keep their exact types. */
export function defineOperation<const C extends Choices>(
  definition: OperationDefinition<C>,
): Operation & { readonly choices: C } {
  return { ...definition, hints: definition.hints ?? {}, features: definition.features ?? {} };
}

/** Values of a choice as a type. */
export type ChoiceValue<C extends OperationChoice> = C extends { readonly values: readonly (infer V)[] }
  ? V & string
  : (typeof choiceKinds)[C['kind']][number];

/** Values that a choice allows, the default first. */
export function allowedValues({ kind, values }: OperationChoice): readonly string[] {
  return values ?? choiceKinds[kind];
}

/** Complete operation values of a variant: a choice that `served` leaves out has its default; a size left out is any. */
export function servedValues({ choices }: Operation, served: OperationValues): OperationValues {
  const defaults = Object.entries(choices).map(([name, choice]) => [name, allowedValues(choice).slice(0, 1)]);
  return { ...Object.fromEntries(defaults), ...served };
}

/** Value of a choice or size that a problem asks for: its field of that name, or the default. */
export function askedValue(
  { choices }: Operation,
  name: string,
  problem: Readonly<Record<string, unknown>>,
): unknown {
  const choice = choices[name];
  return problem[name] ?? (choice && allowedValues(choice)[0]);
}

/** Values of all choices that a problem asks for, by choice. */
export function askedValues(
  operation: Operation,
  problem: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  const names = Object.keys(operation.choices);
  return Object.fromEntries(names.map((name) => [name, String(askedValue(operation, name, problem))]));
}

/** Whether a variant that serves these values may run a problem. */
export function mayServe(
  operation: Operation,
  served: OperationValues,
  problem: Readonly<Record<string, unknown>>,
): boolean {
  const asked = (name: string) => askedValue(operation, name, problem);
  const isDefault = (name: string) => name in served || asked(name) === askedValue(operation, name, {});
  return (
    Object.entries(served).every(([name, values]) => (values as readonly unknown[]).includes(asked(name))) &&
    Object.keys(operation.choices).every(isDefault)
  );
}
