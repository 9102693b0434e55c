import { UsageError } from '../errors.ts';
import { type Contents, guess, type PlannedArgument, planTensor } from './arguments.ts';
import type { ArgumentDescription, ValuesDescription } from './description.ts';
import type { Expression, Sizes } from './expression.ts';
import { isKnownStruct, type Part, partsOf } from './fields.ts';
import type { Item } from './items.ts';
import type { Parameter, Signature } from './signature.ts';

/** Whether a pointer, or a reference, is to structs in memory that are described, or drafted, by their fields. */
export function pointsToStructs(
  { pointer, reference, element, type }: Parameter,
  given: ArgumentDescription | undefined,
  items: readonly Item[],
): boolean {
  if (!(pointer || reference) || element !== undefined || given === 0) return false;
  const object = typeof given === 'object' && !Array.isArray(given) ? given : {};
  if (object.type !== undefined || object.role === 'workspace') return false;
  return isKnownStruct(type, items);
}

/**
 * An array of structs in memory: itself, its fields as tensors with an element for each struct, the tensors to which pointers in the
 * structs point, one for all of them, and the number of structs.
 */
export function planStructs(
  parameter: Parameter,
  signature: Signature,
  given: ArgumentDescription | undefined,
  items: readonly Item[],
  sizes: Sizes,
  guesses: string[],
): Contents[] {
  const { name } = parameter;
  const where = `${signature.file}:${signature.line}: argument '${name}' of ${signature.name}`;
  const object = typeof given === 'object' && !Array.isArray(given) ? given : {};
  const all = Object.keys(sizes).join(' * ') || '1';
  const shape = (Array.isArray(given) ? given : object.shape) ?? guess(guesses, name, [all]);
  const role = object.role ?? (parameter.isConst ? 'in' : 'inout');
  if (role === 'workspace') throw new UsageError(`${where}: the role of structs is in, out or inout`);
  const parts = partsOf({ ...parameter, pointer: false }, given, items, where, true);
  const numbers = parts.filter((part) => !part.parameter.pointer);
  const pointers = parts.filter((part) => part.parameter.pointer && part.given !== 0);
  if (role === 'out' && pointers.length > 0)
    throw new UsageError(`${where}: structs with pointers in them are read: their role is in or inout`);
  const fields = numbers.map((part, index) => planField(part, name, index, shape, role, where));
  const targets = pointers.map((part) => planTensor(part.parameter, signature, part.given, sizes, guesses));
  const count = shape.length === 0 ? 1 : shape.map((one) => `(${one})`).join(' * ');
  return [
    {
      ...{ kind: 'structs', name, role, shape, fields: numbers.map(({ path }) => path) },
      pointers: pointers.map(({ path }) => path),
    },
    ...fields,
    ...targets,
    { kind: 'scalar', name: countOf(name), type: 'i64', value: count },
  ];
}

/** Name of the argument that has the number of structs: no name of C++. */
function countOf(name: string): string {
  return `count of ${name}`;
}

function planField(
  { parameter: { name, element, type: written }, given }: Part,
  of: string,
  part: number,
  shape: readonly Expression[],
  role: 'in' | 'out' | 'inout',
  where: string,
): Contents {
  const object = typeof given === 'object' && !Array.isArray(given) ? given : {};
  const type = object.type ?? element;
  if (type === undefined)
    throw new UsageError(
      `${where}: the field '${name}' has the type ${written}, which is not known; say its element type, e.g. { type: f32 }`,
    );
  if (object.strides)
    throw new UsageError(`${where}: the structs say where the field '${name}' lies; it has no strides`);
  if (object.unspecified)
    throw new UsageError(
      `${where}: only elements of a pointer's output may be unspecified, not the field '${name}'`,
    );
  const usual: ValuesDescription = /^[iu]/.test(type) ? { integers: [0, 9] } : 'normal';
  const values =
    typeof given === 'number' || typeof given === 'string'
      ? { integers: [given, given] as [Expression, Expression] }
      : (object.values ?? usual);
  const { tolerance } = object;
  return {
    ...{ kind: 'tensor', name, type, role, shape, values, field: { of, part } },
    ...(tolerance !== undefined && { tolerance }),
  };
}

/** C++ with the layout of each array of structs: bytes of a struct, then of each field where it begins and how many it has. */
export function layoutCode(kernel: string, given: readonly PlannedArgument[]): string {
  return given
    .map((one) => {
      if (one.kind !== 'structs') return '';
      const parts = one.fields.map((path, i) => `const auto p${i} = tw::part_of<S>(${reach(path)});`);
      const list = ['sizeof(S)', ...one.fields.map((_, i) => `p${i}.offset, p${i}.bytes`)].join(', ');
      return (
        `extern "C" const std::size_t* ${layoutName(one.parameter)}() { using S = ${structType(kernel, one)}; ` +
        `${parts.join(' ')} static const std::size_t layout[] = {${list}}; return layout; }\n`
      );
    })
    .join('');
}

/** C++ statements that put addresses into the structs of a `call` before each launch on a `stream`. */
export function pointCode(kernel: string, given: readonly PlannedArgument[]): string {
  const slotOf = (name: string) => given.findIndex((one) => one.name === name);
  return given
    .flatMap((one, slot) => {
      if (one.kind !== 'structs') return [];
      return one.pointers.map(
        (path) =>
          `tw::point<${structType(kernel, one)}>(call, {${slot}, ${slotOf(countOf(one.name))}, ${slotOf(`${one.name}.${path}`)}}, stream, ${reach(path)});`,
      );
    })
    .join(' ');
}

export function layoutName(parameter: number): string {
  return `tw_layout_${parameter}`;
}

function structType(kernel: string, { parameter }: PlannedArgument): string {
  return `std::remove_cv_t<std::remove_pointer_t<tw::ParametersOf<decltype(&${kernel})>::type<${parameter}>>>`;
}

function reach(path: string): string {
  return `[](auto& one) -> auto& { return one.${path}; }`;
}
