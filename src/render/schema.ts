import { defaultArch } from '../arch/index.ts';
import type { AnyFamily } from '../model/family.ts';
import type { ParameterValue } from '../model/parameter.ts';
import type { Variant } from '../model/variant.ts';

/** A name that templates may use, and what is known of it. */
export interface Name {
  /** Legal values of a parameter; absent for everything else. */
  readonly values?: readonly ParameterValue[];
  /** Derived, but only for some of the variants that use the template. */
  readonly partial?: boolean;
}

export type Names = ReadonlyMap<string, Name>;

/** The names that a template may use, given (a fair sample of) the variants that are rendered from it. */
export function namesFor(family: AnyFamily, variants: readonly Variant[]): Names {
  const names = new Map<string, Name>(['symbol', 'id', 'family', 'summary'].map((name) => [name, {}]));
  for (const [name, { values }] of Object.entries(family.parameters)) names.set(name, { values });
  const derived = new Set(variants.flatMap((variant) => Object.keys(variant.derived)));
  for (const name of derived) {
    names.set(name, { partial: !variants.every((variant) => Object.hasOwn(variant.derived, name)) });
  }
  return names;
}

/**
 * For every derived name, the parameters that move it: those of which another value, all else equal, gives another
 * result. Judged at the given variants' points, so a dependence that none of them shows is missed.
 */
export function influences(
  family: AnyFamily,
  variants: readonly Variant[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const movers = new Map<string, Set<string>>();
  for (const { parameters, derived } of variants) {
    for (const [parameter, { values }] of Object.entries(family.parameters)) {
      for (const value of values) {
        const other = tryDerive(family, { ...parameters, [parameter]: value });
        for (const name of Object.keys(derived)) {
          if (other === undefined || other[name] === derived[name]) continue;
          movers.set(name, (movers.get(name) ?? new Set()).add(parameter));
        }
      }
    }
  }
  return movers;
}

/** The point may be illegal, and a family may throw for such. What moves what is the same for every architecture. */
function tryDerive(family: AnyFamily, point: Readonly<Record<string, ParameterValue>>) {
  try {
    return family.derive(point, defaultArch);
  } catch {
    return undefined;
  }
}
