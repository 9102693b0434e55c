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
  /** The value that ids leave out, if there is one; by the value of the family's first parameter. */
  readonly usual: (values: Readonly<Values>) => ParameterValue | undefined;
  /** Says whether the parameter matters, by parameters declared before it. Absent: always. */
  readonly activation?: Rule;
  /** The same as a function of the values so far. */
  readonly active: (values: Readonly<Values>) => boolean;
}

const known = new WeakMap<AnyFamily, readonly Level[]>();

/** The family's parameters as levels of a depth-first search; computed once per family. */
export function levelsOf(family: AnyFamily): readonly Level[] {
  const levels = known.get(family) ?? makeLevels(family);
  known.set(family, levels);
  return levels;
}

function makeLevels(family: AnyFamily): Level[] {
  const [first] = Object.keys(family.parameters);
  return Object.entries(family.parameters).map(([name, { label, values, usual }]) => {
    const usualOf = (point: Readonly<Values>) =>
      name === first ? undefined : usual ? usual[String(point[first as string])] : values[0];
    const found = family.activations.find(({ parameter }) => parameter === name);
    const tokens = values.map((value) => tokenOf(label, value));
    if (!found) return { name, values, tokens, usual: usualOf, active: () => true };
    const holds = found.active as Rule['holds'];
    const activation: Rule = { name: `activation of ${name}`, on: found.on, holds };
    return { name, values, tokens, usual: usualOf, activation, active: bind(activation) };
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
  const refuse = refusing(names, reader);
  return () => {
    const view = Object.create(refuse) as Values;
    for (const name of names) {
      Object.defineProperty(view, name, { value: 0, writable: true, enumerable: true, configurable: true });
    }
    return view;
  };
}

/**
 * One object that shows the given names of the values last handed over, and throws when any other is read. What is not read
 * is not copied: a walk asks millions of times. `note` is told each name that is read.
 */
export function viewer(
  names: readonly string[],
  reader: string,
  note?: (name: string) => void,
): (values: Readonly<Values>) => Readonly<Values> {
  let shown: Readonly<Values> = {};
  const view = Object.create(refusing(names, reader)) as Readonly<Values>;
  for (const name of names) {
    Object.defineProperty(view, name, {
      enumerable: true,
      get: note
        ? () => {
            note(name);
            return shown[name];
          }
        : () => shown[name],
      // A changed value is in a copy of the reader's own from then on.
      set: (value: ParameterValue) => {
        shown = { ...shown, [name]: value };
      },
    });
  }
  return (values) => {
    if (values !== view) shown = values;
    return view;
  };
}

function refusing(names: readonly string[], reader: string): object {
  return new Proxy(Object.create(null) as object, {
    get(_, name) {
      if (typeof name === 'symbol' || name === 'toJSON') return undefined;
      throw new UsageError(
        `${reader} reads '${name}', which is not among what it may: ${names.join(', ')}${didYouMean(name, names)}`,
      );
    },
  });
}

/** `rule.holds` behind a guard: it sees the values that it declared to read, and no others. */
export function bind(rule: Rule): (values: Readonly<Values>) => boolean {
  const { on, holds } = rule;
  const sees = viewer(on, rule.name);
  return (values) => holds(sees(values));
}
