import type { AnyFamily } from '../model/family.ts';
import { type OperationValues, servedValues } from '../model/operation.ts';
import type { Variant } from '../model/variant.ts';

/** A variant as far as the emulated library distinguishes it from others. */
interface Kind {
  readonly id: string;
  readonly name: string;
  readonly served: OperationValues;
  readonly deterministic: boolean;
}

/**
 * Ids of the variants that the emulated library holds. It is there to be right, on any CPU, and to compile soon: of variants that
 * come from one template and serve the same values of the operation's choices and sizes, equally deterministic and accurate, it
 * holds the first. Another of them is held, too, unless some fallback that is held serves all of its values: calls that the first
 * one's launch code refuses must find a kernel.
 */
export function emulatedIds(
  family: AnyFamily,
  variants: readonly Variant[],
  fallbacks: readonly string[],
): ReadonlySet<string> {
  const kinds = variants.map((variant) => kindOf(family, variant));
  const firsts = kinds.filter((kind) => kinds.find(({ name }) => name === kind.name) === kind);
  const general = firsts.filter(({ id }) => fallbacks.includes(id));
  const held = kinds.filter(
    (kind) => firsts.includes(kind) || !general.some((fallback) => replaces(fallback, kind)),
  );
  return new Set(held.map(({ id }) => id));
}

function kindOf(family: AnyFamily, { id, parameters, deterministic }: Variant): Kind {
  const served = servedValues(family.operation, family.serves(parameters));
  const accuracy = family.accuracy?.(parameters);
  const name = JSON.stringify([family.template(parameters), served, deterministic, accuracy]);
  return { id, name, served, deterministic };
}

/** Whether a variant of another kind serves all values that one serves. */
function replaces(other: Kind, { name, served, deterministic }: Kind): boolean {
  if (other.name === name || (deterministic && !other.deterministic)) return false;
  const isServed = (choice: string) => {
    const values: readonly unknown[] | undefined = other.served[choice];
    return values === undefined || (served[choice] ?? []).every((value) => values.includes(value));
  };
  // A size that only the other one names is fixed for that one.
  return Object.keys({ ...served, ...other.served }).every(
    (choice) => (served[choice] !== undefined || other.served[choice] === undefined) && isServed(choice),
  );
}
