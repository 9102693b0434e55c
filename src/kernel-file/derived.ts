import { UsageError } from '../errors.ts';
import { evaluate, type Sizes } from './expression.ts';

/** Sizes as a description has them: whole numbers, and expressions over the others. */
export type GivenSizes = Readonly<Record<string, number | string>>;

/** Sizes that follow from others: an expression by name. */
export type DerivedSizes = Readonly<Record<string, string>>;

/** The sizes of a set that are expressions. */
export function derivedOf(given: GivenSizes): DerivedSizes {
  return Object.fromEntries(Object.entries(given).filter((one): one is [string, string] => isText(one[1])));
}

const isText = (value: number | string): value is string => typeof value === 'string';

/** Names in an expression that a set has. */
function namesIn(expression: string, sizes: GivenSizes): string[] {
  return [...expression.matchAll(/[A-Za-z_][\w.]*/g)].map(([name]) => name).filter((name) => name in sizes);
}

/**
 * A set with a number for every size, in the order of the description. Throws a UsageError for an expression over what is no
 * size, for one that depends on itself, and for a value that is no positive whole number.
 */
export function resolved(given: GivenSizes): Sizes {
  const sizes = valuesOf(given);
  const odd = Object.entries(derivedOf(given)).find(([name]) => !isSize(sizes[name]));
  if (odd)
    throw new UsageError(
      `size '${odd[0]}': '${odd[1]}' is ${sizes[odd[0]]}${ofSizes(given)}; a size is a positive whole number`,
    );
  return sizes;
}

/** Sizes with other values of the free ones, and what follows from them, which may be no size. */
export function withDerived(free: Sizes, derived: DerivedSizes): Sizes {
  return valuesOf({ ...free, ...derived });
}

export function isSize(value: number | undefined): boolean {
  return value !== undefined && Number.isSafeInteger(value) && value > 0;
}

function ofSizes(given: GivenSizes): string {
  const free = Object.entries(given).filter(([, value]) => !isText(value));
  return free.length === 0 ? '' : ` with ${free.map(([name, value]) => `${name}=${value}`).join(',')}`;
}

function valuesOf(given: GivenSizes): Sizes {
  const known: Record<string, number> = {};
  const resolve = (name: string, asked: readonly string[]): number => {
    const value = given[name] ?? 0;
    if (!isText(value)) return value;
    if (asked.includes(name))
      throw new UsageError(
        `size '${name}': '${value}' depends on '${name}' itself; give one of the sizes a number`,
      );
    const others = namesIn(value, given).map((other) => [other, resolve(other, [...asked, name])] as const);
    try {
      return evaluate(value, Object.fromEntries(others));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const rest = Object.keys(given).filter((other) => other !== name);
      throw new UsageError(
        `size '${name}': ${error.message.replace(/; there are: .*/, '')}; the other sizes are: ${rest.join(', ') || 'none'}`,
      );
    }
  };
  for (const name of Object.keys(given)) known[name] = resolve(name, []);
  return known;
}
