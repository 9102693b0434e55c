import { UsageError } from '../errors.ts';
import type { ArgumentDescription } from './description.ts';
import type { Item } from './items.ts';
import { type Parameter, parameterOf } from './signature.ts';
import { matching, splitCommas, type Token } from './tokens.ts';

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

/** The fields of a struct of the source, in order; none where it is not found. */
function fieldsOf(type: string, items: readonly Item[]): Field[] {
  const name = type.split('::').at(-1) ?? '';
  const item = items.find(
    ({ kind, names, tokens }) =>
      kind === 'type' && names.includes(name) && tokens.some((one) => one.text === '{'),
  );
  if (!item) return [];
  const { tokens } = item;
  const brace = tokens.findIndex(({ text }) => text === '{');
  return statementsIn(tokens.slice(brace + 1, matching(tokens, brace))).flatMap((statement) =>
    declarations(statement).map((part, i) => {
      const bracket = part.findIndex(({ text }) => text === '[');
      const element = bracket < 0 ? part : part.slice(0, bracket);
      return { ...parameterOf(element, i, items, {}), isArray: bracket >= 0 };
    }),
  );
}

/** Declarations of data; functions, nested types and what they contain are left out. */
function statementsIn(body: readonly Token[]): Token[][] {
  const statements: Token[][] = [[]];
  for (let i = 0; i < body.length; i++) {
    const token = body[i] as Token;
    const statement = statements.at(-1) as Token[];
    if (token.text === ';') statements.push([]);
    else if (token.text === '{') {
      i = matching(body, i);
      statement.push(token);
      if (body[i + 1]?.text !== ';') statements.push([]);
    } else if (token.text === ':' && /^(public|private|protected)$/.test(statement.at(-1)?.text ?? '')) {
      statement.length = 0;
    } else statement.push(token);
  }
  return statements.filter(
    (one) => one.length > 1 && !one.some(({ text }) => /^[({]$|^(static|using|typedef|friend)$/.test(text)),
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

/** A struct's fields as arguments; those that nobody describes have their defaults, arrays and inner structs hold zeros. */
export function partsOf(
  parameter: Parameter,
  given: ArgumentDescription | undefined,
  items: readonly Item[],
  where: string,
): Part[] {
  const described = typeof given === 'object' && !Array.isArray(given) ? (given.fields ?? {}) : {};
  const known = fieldsOf(parameter.type, items);
  // Of an inner struct the compiler says what it lacks.
  const stranger = Object.keys(described).find(
    (path) => known.length > 0 && !path.includes('.') && !known.some(isRootOf(path)),
  );
  if (stranger !== undefined)
    throw new UsageError(
      `${where} has no field '${stranger}'; it has: ${known.map(({ name }) => name).join(', ')}`,
    );
  const plain = known
    .filter(({ name, isArray, pointer, element }) => {
      const said = Object.keys(described).some((path) => isRootOf(path)({ name }));
      return !said && !isArray && (pointer || element !== undefined);
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

function isRootOf(path: string) {
  const [root] = path.split(/[.[]/);
  return ({ name }: { readonly name: string }) => name === root;
}

/** A number that is no field of a known struct. */
const element = 'f64' as const;

function partFor(
  { name }: Parameter,
  path: string,
  field: Parameter | undefined,
  given: ArgumentDescription | undefined,
): Part {
  const isTensor = typeof given === 'object';
  const unknown = { type: '', pointer: isTensor, isConst: false, lanes: 1, ...(!isTensor && { element }) };
  const parameter = { ...(field ?? unknown), name: `${name}.${path}` };
  return { parameter, path, ...(given !== undefined && { given }) };
}
