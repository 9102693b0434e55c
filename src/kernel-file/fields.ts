import { UsageError } from '../errors.ts';
import type { ArgumentDescription } from './description.ts';
import { type Item, readItems } from './items.ts';
import { type Parameter, parameterOf } from './signature.ts';
import { matching, splitCommas, type Token, tokenise } from './tokens.ts';

/** One field of a struct that is passed by value, as an argument of its own. */
export interface Part {
  /** Named with the struct: `p.in`. */
  readonly parameter: Parameter;
  readonly given?: ArgumentDescription;
  /** As C++ names it within the struct: `in`, `size[0]`. */
  readonly path: string;
}

interface Field extends Parameter {
  readonly isArray: boolean;
}

/** The fields of a struct of the source, those of its bases and of inner structs too (`v.in`); undefined where it is not found. */
function fieldsOf(type: string, items: readonly Item[], depth = 0): Field[] | undefined {
  const name = type.split('::').at(-1) ?? '';
  const isMeant = ({ kind, names, tokens }: Item) =>
    kind === 'type' && names.includes(name) && tokens.some((one) => one.text === '{');
  const item = items.find(isMeant) ?? ofHeaders.find(isMeant);
  if (!item || depth > deepest) return undefined;
  const { tokens } = item;
  const brace = tokens.findIndex(({ text }) => text === '{');
  return [
    ...basesIn(tokens.slice(0, brace)).flatMap((base) => fieldsOf(base, items, depth + 1) ?? []),
    ...fieldsIn(tokens.slice(brace + 1, matching(tokens, brace)), items, depth),
  ];
}

const deepest = 8;

/** Structs of CUDA's headers whose pointers a description fills: harness/check/include has them. */
const ofHeaders = readItems(
  tokenise(
    ['curandStateMtgp32', 'curandStateMtgp32_t']
      .map(
        (name) =>
          `struct ${name} { unsigned s[1024]; int offset, pIdx; unsigned* k; int precise_double_flag; };`,
      )
      .join('\n'),
  ),
);

/** `s` of `struct t : public s`. */
function basesIn(head: readonly Token[]): string[] {
  const colon = head.findIndex(({ text }) => text === ':');
  if (colon < 0) return [];
  return splitCommas(head.slice(colon + 1)).map(
    (part) => part.findLast(({ kind }) => kind === 'word')?.text ?? '',
  );
}

function fieldsIn(body: readonly Token[], items: readonly Item[], depth: number): Field[] {
  return statementsIn(body).flatMap((statement) => {
    const inner = innerStruct(statement);
    if (inner) return fieldsIn(inner.body, items, depth + 1).map((field) => within(inner.name, field));
    return declarations(statement).flatMap((part, i) => {
      const bracket = part.findIndex(({ text }) => text === '[');
      const isArray = bracket >= 0;
      const field = { ...parameterOf(isArray ? part.slice(0, bracket) : part, i, items, {}), isArray };
      const { type, pointer, element: known } = field;
      const nested = isArray || pointer || known ? undefined : fieldsOf(type, items, depth + 1);
      return nested ? nested.map((one) => within(field.name, one)) : [field];
    });
  });
}

function within(name: string, field: Field): Field {
  return { ...field, name: `${name}.${field.name}` };
}

/** `struct { int* p; } s` within another. */
function innerStruct(statement: readonly Token[]) {
  const open = statement.findIndex(({ text }) => text === '{');
  const last = statement.at(-1);
  if (open < 0 || statement[0]?.text !== 'struct' || last?.kind !== 'word') return undefined;
  return { name: last.text, body: statement.slice(open + 1, matching(statement, open)) };
}

/** Declarations of data, inner structs with their bodies; functions are left out. */
function statementsIn(body: readonly Token[]): Token[][] {
  const statements: Token[][] = [[]];
  for (let i = 0; i < body.length; i++) {
    const token = body[i] as Token;
    const statement = statements.at(-1) as Token[];
    if (token.text === ';') statements.push([]);
    else if (token.text === '{') {
      const close = matching(body, i);
      statement.push(...body.slice(i, close + 1));
      i = close;
      if (body[i + 1]?.text !== ';' && statement[0]?.text !== 'struct') statements.push([]);
    } else if (token.text === ':' && /^(public|private|protected)$/.test(statement.at(-1)?.text ?? '')) {
      statement.length = 0;
    } else statement.push(token);
  }
  return statements.filter(
    (one) =>
      one.length > 1 &&
      (innerStruct(one) !== undefined ||
        !one.some(({ text }) => /^[({]$|^(static|using|typedef|friend)$/.test(text))),
  );
}

/** `int a, b` as `int a` and `int b`. */
function declarations(statement: readonly Token[]): Token[][] {
  const [first = [], ...more] = splitCommas(statement);
  const type = first.slice(
    0,
    first.findLastIndex(({ kind }) => kind === 'word'),
  );
  const plain = type.filter(({ text }) => text !== '*');
  return [first, ...more.map((part) => [...plain, ...part])];
}

/** Whether the source says what a type's fields are. */
export function isKnownStruct(type: string, items: readonly Item[]): boolean {
  return fieldsOf(type, items) !== undefined;
}

/** A struct's fields as arguments; those that nobody describes have their defaults, arrays hold zeros unless `withArrays`. */
export function partsOf(
  parameter: Parameter,
  given: ArgumentDescription | undefined,
  items: readonly Item[],
  where: string,
  withArrays = false,
): Part[] {
  const described = typeof given === 'object' && !Array.isArray(given) ? (given.fields ?? {}) : {};
  const known = fieldsOf(parameter.type, items) ?? [];
  // Of an inner struct the compiler says what it lacks.
  const stranger = Object.keys(described).find(
    (path) =>
      known.length > 0 &&
      !path.includes('.') &&
      !known.some(({ name }) => isPartOf(path, name) || isPartOf(name, path)),
  );
  if (stranger !== undefined)
    throw new UsageError(
      `${where} has no field '${stranger}'; it has: ${known.map(({ name }) => name).join(', ')}`,
    );
  const plain = known
    .filter(({ name, isArray, pointer, element }) => {
      const said = Object.keys(described).some((path) => isPartOf(path, name) || isPartOf(name, path));
      return !said && (pointer ? !isArray : element !== undefined && (withArrays || !isArray));
    })
    .map((field) => partFor(parameter, field.name, field, undefined));
  const said = Object.entries(described).flatMap(([path, value]) => {
    const field = known.find(({ name }) => name === path);
    if (Array.isArray(value) && !(field?.pointer ?? false))
      return value.map((one, i) => partFor(parameter, `${path}[${i}]`, undefined, one));
    return [partFor(parameter, path, field, value)];
  });
  return [...plain, ...said];
}

/** `in[2]` and `in.x` are parts of `in`. */
function isPartOf(path: string, whole: string): boolean {
  return path === whole || (path.startsWith(whole) && /^[.[]/.test(path.slice(whole.length)));
}

/** Type of a number that is no field of a known struct, or one of a type that has no name here, e.g. an enumeration. */
const element = 'f64' as const;

function partFor(
  { name }: Parameter,
  path: string,
  field: Parameter | undefined,
  given: ArgumentDescription | undefined,
): Part {
  const isTensor = typeof given === 'object';
  const unknown = {
    type: '',
    pointer: isTensor,
    reference: false,
    isConst: false,
    lanes: 1,
    ...(!isTensor && { element }),
  };
  const isKnown = field !== undefined && (field.pointer || field.element !== undefined);
  const parameter = { ...(isKnown ? field : unknown), name: `${name}.${path}` };
  return { parameter, path, ...(given !== undefined && { given }) };
}
