import { UsageError } from '../errors.ts';
import type { AnyFamily } from '../model/family.ts';
import type { ParameterValue } from '../model/parameter.ts';
import { sha256 } from '../util/hash.ts';
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

/**
 * `my_op.mma.b64.tn128-7c31`: the family, then label and value of the active parameters, in order of declaration, without
 * the usual ones, then a digest of what differs from the first values.
 */
export function idOf(
  family: AnyFamily,
  point: Readonly<Values>,
  active: readonly Level[] = activeLevels(family, point),
): string {
  const tokens: string[] = [];
  for (const level of active.toReversed()) {
    const token = tokenOf(level, point[level.name]);
    // A token cannot be left out if the next one could be a value of its parameter too: that would change the meaning.
    const ambiguous = tokens[0] !== undefined && level.tokens.includes(tokens[0]);
    if (ambiguous || level.usual(point) !== point[level.name]) tokens.unshift(token);
  }
  return `${[idPrefix(family), ...tokens].join('.')}-${digestOf(point, active)}`;
}

/** Four hexadecimal digits. First values do not count, so that a new parameter leaves ids of before as they are. */
function digestOf(point: Readonly<Values>, active: readonly Level[]): string {
  const said = active.filter(({ name, values }) => point[name] !== values[0]);
  return sha256(said.map(({ name }) => `${name}=${point[name]}`).join()).slice(0, 4);
}

/** C identifier of an id: every character that C does not allow turned into `_`. */
export function symbolOf(id: string): string {
  return id.replaceAll(/[^A-Za-z0-9_]/g, '_');
}

function tokenOf(level: Level, value: ParameterValue | undefined): string {
  const index = level.values.indexOf(value as ParameterValue);
  const token = level.tokens[index];
  if (token === undefined) {
    throw new UsageError(`${level.name}: ${value} is not allowed; choose from ${level.values.join(', ')}`);
  }
  return token;
}

/**
 * The point that an id names, with or without usual values and digest. Reads the id from left to right: what a token means
 * follows from the values before it. The point need not be legal. Throws a UsageError that names the first token that does
 * not fit and what would.
 */
export function pointOfId(family: AnyFamily, id: string): Values {
  const [, said = id, digest] = /^(.*)-([0-9a-f]{4})$/.exec(id) ?? [];
  const [prefix, ...tokens] = said.split('.');
  if (prefix !== idPrefix(family)) {
    throw new UsageError(`'${id}' is not an id of ${family.name}: those begin with '${idPrefix(family)}.'`);
  }
  const values: Values = {};
  let next = 0;
  for (const level of levelsOf(family)) {
    const active = level.active(values);
    const index = active ? level.tokens.indexOf(tokens[next] ?? '') : 0;
    const value = index >= 0 ? level.values[index] : level.usual(values);
    if (value === undefined) throw missing(level, tokens[next], next, id);
    if (active && index >= 0) next++;
    values[level.name] = value;
  }
  if (next < tokens.length) throw leftOver(activeLevels(family, values), tokens, next, id);
  const expected = digestOf(values, activeLevels(family, values));
  if (digest !== undefined && digest !== expected) {
    throw new UsageError(
      `'${id}' is mistyped, or from a version of the family with other default values: its values have the digest ${expected}`,
    );
  }
  return values;
}

/** The point that an id names; undefined where the space no longer has it. */
export function findPoint(family: AnyFamily, id: string): Values | undefined {
  try {
    return pointOfId(family, id);
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

function missing(level: Level, token: string | undefined, position: number, id: string): UsageError {
  const found = token === undefined ? 'the id ends' : `found '${token}'`;
  const hint = token === undefined ? '' : didYouMean(token, level.tokens);
  return new UsageError(
    `'${id}': part ${position + 2} should be the ${level.name} (${level.tokens.join(', ')}), ${found}${hint}`,
  );
}

/** For a token that no parameter takes at its place: those of the parameter with its label, else what is like it. */
function leftOver(
  active: readonly Level[],
  tokens: readonly string[],
  position: number,
  id: string,
): UsageError {
  const token = tokens[position] as string;
  const label = /^[A-Za-z_]+/.exec(token)?.[0];
  const level = active.find(({ tokens: [first] }) => /^([A-Za-z_]+)\d/.exec(first ?? '')?.[1] === label);
  if (level && !level.tokens.includes(token)) return missing(level, token, position, id);
  const all = active.flatMap((one) => one.tokens);
  return new UsageError(
    `'${id}': part ${position + 2} is '${token}', which no parameter takes there${didYouMean(token, all)}`,
  );
}
