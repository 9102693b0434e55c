import type { AnyFamily } from '../model/family.ts';
import { type OperationValues, servedValues } from '../model/operation.ts';
import type { Selection } from '../model/selection.ts';
import type { Variant } from '../model/variant.ts';

/** A variant as far as the emulated library distinguishes it from others. */
interface Kind {
  readonly id: string;
  readonly template: string;
  /** Template, values of the operation, determinism and accuracy. */
  readonly name: string;
  readonly served: OperationValues;
  readonly deterministic: boolean;
  readonly accuracy: number;
}

/**
 * Ids of the variants that the emulated library holds. It is there to be right, on any CPU, and to compile soon: it holds the
 * fewest fallbacks that serve all that the fallbacks serve, of variants chosen for workloads the first of each kind, of those chosen
 * for comparisons, which are hundreds, those with a template or with an operation value on it that no other one shows, and whatever
 * else no fallback that it holds can stand for. The selection's fallbacks begin with the least general; a more general one takes
 * calls that others refuse.
 */
export function emulatedIds(
  family: AnyFamily,
  variants: readonly Variant[],
  { choices, fallbacks }: Pick<Selection, 'choices' | 'fallbacks'>,
): ReadonlySet<string> {
  const kinds = variants.map((variant) => kindOf(family, variant));
  const kindsOf = (ids: readonly string[]) => ids.flatMap((id) => kinds.find((kind) => kind.id === id) ?? []);
  const ordered = kindsOf(fallbacks);
  const general = ordered.filter((kind, i) => !ordered.slice(i + 1).some((later) => replaces(later, kind)));
  const compared = new Set((family.comparisons ?? []).map(({ id }) => id));
  const chosenFor = (wanted: boolean) =>
    kindsOf(
      choices.filter(({ workload }) => compared.has(workload) === wanted).map(({ variant }) => variant),
    );
  const chosen = chosenFor(false);
  const firsts = chosen.filter((kind) => chosen.find(({ name }) => name === kind.name) === kind);
  const others = withNews([...general, ...firsts], chosenFor(true));
  const alone = kinds.filter((kind) => !general.some((other) => replaces(other, kind)));
  return new Set([...general, ...firsts, ...others, ...alone].map(({ id }) => id));
}

function kindOf(family: AnyFamily, { id, parameters, deterministic }: Variant): Kind {
  const served = servedValues(family.operation, family.serves(parameters));
  const accuracy = family.accuracy?.(parameters) ?? 0;
  const template = family.template(parameters);
  const name = JSON.stringify([template, served, deterministic, accuracy]);
  return { id, template, name, served, deterministic, accuracy };
}

/** Of the others, in their order, those that serve on their template a value of a choice that none before them serves there. */
function withNews(held: readonly Kind[], others: readonly Kind[]): Kind[] {
  const valuesOf = ({ template, served }: Kind) =>
    Object.entries(served).flatMap(([choice, values]) =>
      values.map((value) => `${template} ${choice} ${value}`),
    );
  const seen = new Set(held.flatMap(valuesOf));
  return others.filter((kind) => {
    const news = valuesOf(kind).filter((value) => !seen.has(value));
    for (const value of news) seen.add(value);
    return news.length > 0;
  });
}

/** Whether a variant serves all values that another one serves, and is as deterministic and as accurate. */
function replaces(other: Kind, { served, deterministic, accuracy }: Kind): boolean {
  if ((deterministic && !other.deterministic) || other.accuracy > accuracy) return false;
  const isServed = (choice: string) => {
    const values: readonly unknown[] | undefined = other.served[choice];
    return values === undefined || (served[choice] ?? []).every((value) => values.includes(value));
  };
  // A size that only the other one names is fixed for that one.
  return Object.keys({ ...served, ...other.served }).every(
    (choice) => (served[choice] !== undefined || other.served[choice] === undefined) && isServed(choice),
  );
}
