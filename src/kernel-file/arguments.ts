import { UsageError } from '../errors.ts';
import type {
  ArgumentDescription,
  Description,
  ToleranceDescription,
  ValuesDescription,
} from './description.ts';
import { described, fieldsExample } from './examples.ts';
import type { Expression, Sizes } from './expression.ts';
import { isKnownStruct, partsOf } from './fields.ts';
import type { Item } from './items.ts';
import { isReadFirst } from './reads.ts';
import {
  type ElementType,
  isFunctionPointer,
  isTexture,
  type Parameter,
  type Signature,
} from './signature.ts';
import { stridesOf } from './strides.ts';
import { isTensorMap, type PlannedMap, planMap } from './tensor-map.ts';
import { judgementOf } from './tolerance.ts';

/** One argument of the kernel, in full; a struct that is passed by value has several, one for each field. */
export type PlannedArgument = {
  /** Index of the kernel's parameter. */
  readonly parameter: number;
  /** Of a struct: the field, as C++ names it. */
  readonly path?: string;
} & Contents;

export type Contents =
  | {
      readonly kind: 'tensor';
      readonly name: string;
      readonly type: ElementType;
      readonly role: 'in' | 'out' | 'inout';
      readonly shape: readonly Expression[];
      /** Elements from one index to the next, for every dimension; absent: dense. */
      readonly strides?: readonly Expression[];
      readonly values: ValuesDescription;
      /** Nobody says what it holds. */
      readonly unknownValues?: boolean;
      readonly tolerance?: ToleranceDescription;
      /** Elements that the reference leaves as they are may hold anything. */
      readonly unspecified?: true;
      /** The kernel gets a tensor map of it in the place of its address. */
      readonly map?: PlannedMap;
      /** Elements of a `float4` or another vector of CUDA's, of which the pointer is one. */
      readonly lanes?: number;
      /** A field of structs in memory: of which argument, and the number of the field among theirs. */
      readonly field?: { readonly of: string; readonly part: number };
    }
  | {
      /** An array of structs; its fields are tensors behind it. */
      readonly kind: 'structs';
      readonly name: string;
      readonly role: 'in' | 'out' | 'inout';
      readonly shape: readonly Expression[];
      /** Fields that hold numbers, and that hold addresses, as C++ names them. */
      readonly fields: readonly string[];
      readonly pointers: readonly string[];
    }
  | {
      /** A tensor map of another argument's tensor. */
      readonly kind: 'map';
      readonly name: string;
      readonly tensor: string;
      readonly map: PlannedMap;
    }
  | {
      /** Scratch memory. */
      readonly kind: 'workspace';
      readonly name: string;
      readonly type: ElementType;
      readonly shape: readonly Expression[];
      /** Contents before each launch; absent: nothing that may be read. */
      readonly values?: ValuesDescription;
    }
  | {
      readonly kind: 'scalar';
      readonly name: string;
      readonly type: ElementType;
      readonly value: Expression;
    }
  | {
      readonly kind: 'function';
      readonly name: string;
      /** A function of the source; absent: a null pointer. */
      readonly value?: string;
    };

/** Elements of pointers, as far as host code says. */
export type Counts = Readonly<Record<string, Expression>>;

/** Elements and contents of a kernel's pointers, as far as host code and the kernel itself tell them. */
export interface Hints {
  readonly counts: Counts;
  /** Sizes that are the length of a row: `W` of `p[y * W + x]`. */
  readonly rows: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, ValuesDescription>>;
  /** Threads of a block. */
  readonly threads: number;
}

const noHints: Hints = { counts: {}, rows: {}, values: {}, threads: 1 };

/** Notes that a value is a guess. */
export function guess<T>(guesses: string[], what: string, value: T): T {
  guesses.push(what);
  return value;
}

/** A parameter of a type that is no number and no pointer. */
export function isStruct({ pointer, element }: Parameter): boolean {
  return !pointer && element === undefined;
}

/** `n` of a field `p.n`. */
export function plainName({ name }: { readonly name: string }): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

/** A parameter as an argument, a struct as one for each field. */
export function planParameter(
  parameter: Parameter,
  signature: Signature,
  description: Description,
  items: readonly Item[],
  sizes: Sizes,
  guesses: string[],
  hints = noHints,
): (Contents & { readonly path?: string })[] {
  const given = description.arguments?.[parameter.name];
  if (isTensorMap(parameter)) return [planMap(parameter, signature, given, items, sizes)];
  const object = typeof given === 'object' && !Array.isArray(given) ? given : {};
  const hasFields = isStruct(parameter) || (!parameter.pointer && object.fields !== undefined); // int2 is both
  if (!hasFields || object.type !== undefined)
    return [planTensor(parameter, signature, given, sizes, guesses, hints)];
  const where = `${signature.file}:${signature.line}: argument '${parameter.name}' of ${signature.name}`;
  if (isFunctionPointer(parameter.type, items)) return [planFunction(parameter.name, given, items, where)];
  // Whole numbers that nobody gives a value stay 0.
  const parts = partsOf(parameter, given, items, where).filter(
    ({ parameter: field, given: value }) =>
      value !== undefined || field.pointer || plainName(field) in sizes || !/^[iu]/.test(field.element ?? ''),
  );
  if (parts.length === 0 && given === undefined && !isKnownStruct(parameter.type, items))
    throw new UsageError(
      `${where} has the type ${parameter.type}, whose fields are not known; say them in the description, e.g. arguments: { ${parameter.name}: { fields: { n: N, in: { type: f32, shape: [N] } } } }`,
    );
  return parts.map((part) => ({
    ...planTensor(part.parameter, signature, part.given, sizes, guesses),
    path: part.path,
  }));
}

function planFunction(
  name: string,
  given: ArgumentDescription | undefined,
  items: readonly Item[],
  where: string,
): Contents {
  if (given === 0) return { kind: 'function', name };
  const known = items.filter(({ kind, body, marks }) => kind === 'function' && body && marks.has('device'));
  const names = known.map((item) => item.names.at(-1) ?? '');
  if (typeof given === 'string' && names.includes(given)) return { kind: 'function', name, value: given };
  throw new UsageError(
    `${where} is a pointer to a function: name one, e.g. arguments: { ${name}: ${names[0] ?? 'f'} } (there are: ${names.join(', ') || 'none'}), or 0`,
  );
}

/** A pointer as a tensor, a workspace or a null pointer; a number as a scalar. */
export function planTensor(
  parameter: Parameter,
  signature: Signature,
  given: ArgumentDescription | undefined,
  sizes: Sizes,
  guesses: string[],
  hints = noHints,
): Contents {
  const { name } = parameter;
  const object = typeof given === 'object' && !Array.isArray(given) ? given : {};
  const type = object.type ?? parameter.element;
  const where = `${signature.file}:${signature.line}: argument '${name}' of ${signature.name}`;
  if (parameter.pointer && object.fields !== undefined)
    throw new UsageError(
      `${where} has the type ${parameter.type}*, whose fields are not known: the files that were found do not declare it`,
    );
  if (type === undefined)
    throw new UsageError(
      `${where} has the type ${parameter.type}${parameter.pointer && !isTexture(parameter) ? '*' : ''}, whose elements are not known; say their type in the description, e.g. arguments: { ${described(name, `{ type: ${/short|16/.test(parameter.type) ? 'u16' : 'f32'}, shape: [N] }`)} }`,
    );
  if (!parameter.pointer) {
    const value = Array.isArray(given) ? undefined : typeof given === 'object' ? given.value : given;
    if (parameter.lanes > 1 && value === undefined)
      throw new UsageError(
        `${where} has the type ${parameter.type}: give its fields, e.g. arguments: { ${fieldsExample(parameter)} }`,
      );
    return { kind: 'scalar', name, type, value: value ?? scalarDefault(name, type, sizes, where, guesses) };
  }
  if (given === 0) return { kind: 'scalar', name, type: 'i64', value: 0 }; // a null pointer
  if (typeof given === 'number' || typeof given === 'string')
    throw new UsageError(`${where} is a pointer: give its shape, e.g. ${described(name, '[N]')}`);
  const own = Array.isArray(given) ? given : object.shape;
  const count = hints.counts[name];
  const full = own
    ? withLanes(own, object.type ? 1 : parameter.lanes)
    : count === undefined
      ? withLanes(guess(guesses, name, allElements(sizes, hints, name, where)), parameter.lanes)
      : [count];
  const lying = stridesOf(object, parameter, where);
  if (object.role === 'workspace')
    return { kind: 'workspace', name, type, shape: full, ...(object.values && { values: object.values }) };
  // A guess among several sizes, or without any, may be too large: not every element need be written then.
  const isLoose =
    guesses.includes(name) && (Object.keys(sizes).length !== 1 || hints.rows[name] !== undefined);
  const role =
    object.role ??
    (parameter.isConst ? 'in' : isLoose || isReadFirst(signature, plainName(parameter)) ? 'inout' : 'out');
  const known = object.values ?? hintedValues(hints, name, role, type);
  return {
    kind: 'tensor',
    name,
    type,
    role,
    ...{ shape: full, ...lying },
    values: known ?? usualValues(type),
    ...(known === undefined && { unknownValues: true }),
    ...(!object.type && parameter.lanes > 1 && { lanes: parameter.lanes }),
    ...judgementOf(object, role, where),
  };
}

const mostElements = 1 << 24;

/**
 * As many elements as all sizes allow, in rows where their length is known, a square where it is the only size; one for each
 * thread of a block where there are no sizes.
 */
function allElements(
  sizes: Sizes,
  { rows, threads }: Hints,
  name: string,
  where: string,
): readonly Expression[] {
  if (Object.values(sizes).reduce((a, b) => a * b, 1) > mostElements)
    throw new UsageError(
      `${where}: how many elements it has is not known, and the product of all sizes is too many; say it above the kernel: /* tilewright arguments: { ${described(name, '[256]')} } */`,
    );
  const row = rows[name];
  const others = Object.keys(sizes).filter((one) => one !== row);
  if (row === undefined && others.length === 0) return [threads];
  if (others.length === 0) return [row ?? threads, row ?? 1];
  return [others.join(' * '), ...(row === undefined ? [] : [row])];
}

/** Floats that are only read have been filled since the host code cleared them: zeros would hide most errors. */
function hintedValues(
  { values }: Hints,
  name: string,
  role: 'in' | 'out' | 'inout',
  type: ElementType,
): ValuesDescription | undefined {
  const isFilledSince = role === 'in' && values[name] === 'zeros' && !/^[iu]/.test(type);
  return isFilledSince ? undefined : values[name];
}

function usualValues(type: ElementType): ValuesDescription {
  return /^[iu]/.test(type) ? { integers: [0, 9] } : 'normal';
}

/** The shape of a `float4*` in floats, which counts of host code are in. */
function withLanes(shape: readonly Expression[], lanes: number): readonly Expression[] {
  return lanes > 1 ? [...shape, lanes] : shape;
}

function scalarDefault(
  name: string,
  type: ElementType,
  sizes: Sizes,
  where: string,
  guesses: string[],
): Expression {
  if (plainName({ name }) in sizes) return plainName({ name });
  if (/^f|^bf/.test(type)) return guess(guesses, name, /eps/i.test(name) ? 1e-5 : 0.5);
  if (/8$/.test(type)) return guess(guesses, name, 1); // a flag or a character
  throw new UsageError(
    `${where} has no value: give it one under sizes or arguments (sizes are: ${Object.keys(sizes).join(', ') || 'none'})`,
  );
}
