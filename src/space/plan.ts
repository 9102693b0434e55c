import { UsageError } from '../errors.ts';
import type { AnyFamily } from '../model/family.ts';
import type { ParameterValue } from '../model/parameter.ts';
import { didYouMean } from '../util/suggest.ts';

/** Values of some or all parameters, by name. */
export type Values = Record<string, ParameterValue>;

/** A named yes/no question about the parameters listed in `on`. */
export interface Rule {
  readonly name: string;
  readonly on: readonly string[];
  readonly holds: (values: Readonly<Values>) => boolean;
}

/** One parameter in the order of declaration, with what is decided once it has a value. */
export interface Level {
  readonly name: string;
  readonly values: readonly ParameterValue[];
  /** `label + value` of every value, as written in ids. */
  readonly tokens: readonly string[];
  /** Whether the parameter matters, given the values of the parameters before it. */
  readonly active: (values: Readonly<Values>) => boolean;
  /** Indices of the levels that `active` reads; all smaller than this level's. */
  readonly activeReads: readonly number[];
}

const known = new WeakMap<AnyFamily, readonly Level[]>();

/** The family's parameters as levels of a depth-first search; computed once per family. */
export function levelsOf(family: AnyFamily): readonly Level[] {
  const levels = known.get(family) ?? makeLevels(family);
  known.set(family, levels);
  return levels;
}

function makeLevels(family: AnyFamily): Level[] {
  const names = Object.keys(family.parameters);
  return Object.entries(family.parameters).map(([name, { label, values }]) => {
    const activation = family.activations.find(({ parameter }) => parameter === name);
    return {
      name,
      values,
      tokens: values.map((value) => tokenOf(label, value)),
      active: activation
        ? bind({
            name: `activation of ${name}`,
            on: activation.on,
            holds: activation.active as Rule['holds'],
          })
        : () => true,
      activeReads: (activation?.on ?? []).map((read) => names.indexOf(read)),
    };
  });
}

/** A value as ids spell it: booleans are 1 and 0. */
function tokenOf(label: string, value: ParameterValue): string {
  return label + (typeof value === 'boolean' ? Number(value) : value);
}

/**
 * Makes objects with the given names that throw when any other is read. A family's functions are handed such objects, so
 * that one which reads a parameter it did not declare fails loudly instead of computing with `undefined`.
 */
export function guard(names: readonly string[], reader: string): () => Values {
  const refuse = new Proxy(Object.create(null) as object, {
    get(_, name) {
      if (typeof name === 'symbol' || name === 'toJSON') return undefined;
      throw new UsageError(
        `${reader} reads '${name}', which is not among what it may: ${names.join(', ')}${didYouMean(name, names)}`,
      );
    },
  });
  return () => {
    const view = Object.create(refuse) as Values;
    for (const name of names) {
      Object.defineProperty(view, name, { value: 0, writable: true, enumerable: true, configurable: true });
    }
    return view;
  };
}

/** `rule.holds` behind a guard: it sees copies of the values that it declared to read, and no others. */
export function bind(rule: Rule): (values: Readonly<Values>) => boolean {
  const { on, holds } = rule;
  const view = guard(on, rule.name)();
  return (values) => {
    for (const name of on) view[name] = values[name] as ParameterValue;
    return holds(view);
  };
}
