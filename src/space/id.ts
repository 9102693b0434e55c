import { UsageError } from '../errors.ts';
import type { AnyFamily } from '../model/family.ts';
import type { ParameterValue } from '../model/parameter.ts';
import { didYouMean } from '../util/suggest.ts';
import { type Level, levelsOf, type Values } from './plan.ts';

/** Start of every id of a family: its name as a C identifier, e.g. `my_op`. */
function idPrefix(family: AnyFamily): string {
  return family.name.replaceAll('-', '_');
}

/** The levels whose parameter matters at a point. */
export function activeLevels(family: AnyFamily, point: Readonly<Values>): readonly Level[] {
  return levelsOf(family).filter((level) => level.active(point));
}

/** The values of the parameters that matter at a point. */
export function activeValues(family: AnyFamily, point: Readonly<Values>): Values {
  const names = activeLevels(family, point).map(({ name }) => name);
  return Object.fromEntries(names.map((name) => [name, point[name] as ParameterValue]));
}

/** `my_op.mma.b64.tn128`: the family, then label and value of every active parameter, in order of declaration. */
export function idOf(
  family: AnyFamily,
  point: Readonly<Values>,
  active: readonly Level[] = activeLevels(family, point),
): string {
  let id = idPrefix(family);
  for (const level of active) id += `.${tokenOf(level, point[level.name])}`;
  return id;
}

/** C identifier of an id: every character that C does not allow turned into `_`. */
export function symbolOf(id: string): string {
  return id.replaceAll(/[^A-Za-z0-9_]/g, '_');
}

function tokenOf(level: Level, value: ParameterValue | undefined): string {
  const index = level.values.indexOf(value as ParameterValue);
  const token = level.tokens[index];
  if (token === undefined) {
    throw new UsageError(`${level.name} is ${value}, but it takes ${level.values.join(', ')}`);
  }
  return token;
}

/**
 * The point that an id names. Reads the id from left to right: what a token means follows from the values before it.
 * The point need not be legal. Throws a UsageError that names the first token that does not fit and what would.
 */
export function pointOfId(family: AnyFamily, id: string): Values {
  const [prefix, ...tokens] = id.split('.');
  if (prefix !== idPrefix(family)) {
    throw new UsageError(`'${id}' is not an id of ${family.name}: those begin with '${idPrefix(family)}.'`);
  }
  const values: Values = {};
  let next = 0;
  for (const level of levelsOf(family)) {
    const active = level.active(values);
    const index = active ? readToken(level, tokens[next], next, id) : 0;
    if (active) next++;
    values[level.name] = level.values[index] as ParameterValue;
  }
  if (next < tokens.length) {
    throw new UsageError(`'${id}' has too much at its end: '${tokens.slice(next).join('.')}'`);
  }
  return values;
}

function readToken(level: Level, token: string | undefined, position: number, id: string): number {
  const index = token === undefined ? -1 : level.tokens.indexOf(token);
  if (index >= 0) return index;
  const found = token === undefined ? 'the id ends' : `found '${token}'`;
  const hint = token === undefined ? '' : didYouMean(token, level.tokens);
  throw new UsageError(
    `'${id}': part ${position + 2} should be the ${level.name} (${level.tokens.join(', ')}), ${found}${hint}`,
  );
}
