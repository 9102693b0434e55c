import { UsageError } from '../errors.ts';
import type { Arch } from '../model/arch.ts';
import type { AnyFamily } from '../model/family.ts';
import type { ParameterValue } from '../model/parameter.ts';
import { didYouMean } from '../util/suggest.ts';
import { rulesOf } from './enumerate.ts';
import { idOf, pointOfId } from './id.ts';
import { bind, levelsOf, type Rule, type Values } from './plan.ts';
import { obstacle } from './support.ts';

/** Answer of `gen why` on one constraint. */
export interface ConstraintVerdict {
  readonly constraint: string;
  readonly doc: string;
  /** Undefined where a parameter that it reads was not given. */
  readonly holds: boolean | undefined;
  /** The parameters it reads, with their values where known. */
  readonly reads: Readonly<Record<string, ParameterValue | undefined>>;
}

export interface Explanation {
  readonly point: Readonly<Values>;
  /** Absent where parameters are missing. */
  readonly id?: string;
  readonly verdicts: readonly ConstraintVerdict[];
  /** Parameters that were not given, with the values each may take. */
  readonly missing: readonly { readonly parameter: string; readonly values: readonly ParameterValue[] }[];
  /** Parameters that do not matter at this point: they take their first value, whatever was given. */
  readonly inactive: readonly string[];
  /** True: a variant of the space. False: some constraint rules it out. Undefined: not settled, values are missing. */
  readonly legal: boolean | undefined;
}

/**
 * Says for every constraint whether it holds at a point, given as an id or as `block=64 tileN=128 ...`. Throws a
 * UsageError that lists every unknown parameter and illegal value at once.
 */
export function explain(family: AnyFamily, pointText: string, arch: Arch): Explanation {
  const given = pointText.includes('=') ? parsePoint(family, pointText) : pointOfId(family, pointText.trim());
  const { point, missing, inactive } = complete(family, given);
  const verdicts = verdictsOf(family, point, arch);
  const legal = verdicts.some(({ holds }) => holds === false)
    ? false
    : verdicts.every(({ holds }) => holds) || undefined;
  return {
    point,
    ...(missing.length === 0 && { id: idOf(family, point) }),
    verdicts,
    missing,
    inactive,
    legal,
  };
}

/** Reads `name=value` pairs, separated by blanks or commas. */
function parsePoint(family: AnyFamily, text: string): Values {
  const problems: string[] = [];
  const values: Values = {};
  for (const pair of text.split(/[\s,]+/).filter(Boolean)) {
    const [, name = '', written = ''] = /^([^=]*)=(.*)$/.exec(pair) ?? [];
    const value = readValue(family, pair, name, written, problems);
    if (Object.hasOwn(values, name)) problems.push(`${name} is given twice`);
    if (value !== undefined) values[name] = value;
  }
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  return values;
}

function readValue(family: AnyFamily, pair: string, name: string, written: string, problems: string[]) {
  const names = Object.keys(family.parameters);
  if (!pair.includes('=')) {
    problems.push(`'${pair}' is not of the form name=value`);
    return undefined;
  }
  const parameter = Object.hasOwn(family.parameters, name) ? family.parameters[name] : undefined;
  if (!parameter) {
    problems.push(`unknown parameter '${name}'; there are ${names.join(', ')}${didYouMean(name, names)}`);
    return undefined;
  }
  const value = parameter.values.find((candidate) => spellings(candidate).includes(written));
  if (value === undefined) {
    const hint = didYouMean(written, parameter.values.map(String));
    problems.push(`${name}: ${written} is not allowed; choose from ${parameter.values.join(', ')}${hint}`);
  }
  return value;
}

function spellings(value: ParameterValue): string[] {
  return typeof value === 'boolean' ? [String(value), String(Number(value))] : [String(value)];
}

/** Sets inactive parameters to their first value and lists what is still open. */
function complete(family: AnyFamily, given: Readonly<Values>) {
  const point: Values = {};
  const missing: { parameter: string; values: readonly ParameterValue[] }[] = [];
  const inactive: string[] = [];
  const activations = new Map(family.activations.map((activation) => [activation.parameter, activation]));
  for (const level of levelsOf(family)) {
    const settled = (activations.get(level.name)?.on ?? []).every((name) => point[name] !== undefined);
    const value = given[level.name];
    if (settled && !level.active(point)) {
      inactive.push(level.name);
      point[level.name] = level.values[0] as ParameterValue;
    } else if (value !== undefined) point[level.name] = value;
    else missing.push({ parameter: level.name, values: level.values });
  }
  return { point, missing, inactive };
}

function verdictsOf(family: AnyFamily, point: Readonly<Values>, arch: Arch): ConstraintVerdict[] {
  const docs = new Map(family.constraints.map(({ name, doc }) => [name, doc]));
  return rulesOf(family, undefined, { arch }).map((rule) => {
    const known = rule.on.every((name) => point[name] !== undefined);
    const reason = rule.name === 'not-supported' && known ? obstacle(family, point, arch) : undefined;
    return {
      constraint: rule.name,
      doc: docs.get(rule.name) ?? reason ?? `runs on ${arch.name}`,
      holds: known ? bind(rule)(point) : undefined,
      reads: readsOf(rule, point, docs.has(rule.name)),
    };
  });
}

/** Values that a constraint reads; none for `not-supported`, which takes the whole point. */
function readsOf(rule: Rule, point: Readonly<Values>, declared: boolean): ConstraintVerdict['reads'] {
  return declared ? Object.fromEntries(rule.on.map((name) => [name, point[name]])) : {};
}
