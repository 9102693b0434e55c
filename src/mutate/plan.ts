import type { Source, Variant } from '../model/variant.ts';
import { hashOf } from '../util/hash.ts';
import { type Header, headersOf, reachedFrom } from './headers.ts';
import { launchMutants, type Mutant, mutantsOf } from './mutant.ts';
import { farApart } from './sample.ts';

/** A mutant of a variant. */
export interface Planned {
  readonly source: Source;
  readonly path: string;
  readonly mutant: Mutant;
  /** Digest of the device code that the source reaches: a result of other code says nothing of this. */
  readonly code: string;
  /** The header that changes; absent: the source itself, or its launch. */
  readonly header?: Header;
  /** Sources of the same path that have the same lines. */
  readonly others: readonly Source[];
}

/** In so many other variants a mutant is tried of which nothing is seen in the first. */
const mostOthers = 5;

/** All mutants of rendered sources and of the headers in `folders` that they include. Equal ones of one path are planned once. */
export function planMutants(sources: readonly Source[], folders: readonly string[]): Planned[] {
  const planned = new Map<string, Planned & { readonly others: Source[] }>();
  for (const source of sources) {
    const path = source.variant.template.replace(/\.cu\.hbs$/, '');
    const headers = headersOf(source.text, folders);
    const { words, digest: code } = reachedFrom(source.text, headers);
    const add = (mutant: Mutant, header?: Header) => {
      const key = `${path} ${mutant.id}`;
      const known = planned.get(key);
      if (!known) planned.set(key, { source, path, mutant, code, ...(header && { header }), others: [] });
      else if (known.source !== source) known.others.push(source);
    };
    for (const mutant of mutantsOf({ file: `${path}.cu`, text: source.text })) add(mutant);
    for (const mutant of launchMutants({ ...source.variant.parameters, ...source.variant.derived }))
      add(mutant);
    for (const header of headers)
      for (const mutant of mutantsOf({ ...header, reachedFrom: words })) add(mutant, header);
  }
  return [...planned.values()];
}

/** The same mutant of a few other variants of the path, those that are most unlike it. */
export function elsewhere({ others, ...one }: Planned): Planned[] {
  return farApart(one.source, others, mostOthers, differences).flatMap((source) => {
    const { mutant, header } = one;
    const moved = { ...one, source, others: [] };
    if (header || mutant.launch) return [moved];
    const same = mutantsOf({ file: mutant.file, text: source.text }).find(({ id }) => id === mutant.id);
    return same ? [{ ...moved, mutant: same }] : [];
  });
}

/** The mutated text, or the variant with another number for its launch; the source as it is where a header changes. */
export function mutatedSource({ source, mutant, header }: Planned): Source {
  const { text, launch } = mutant;
  if (launch) {
    const variant: Variant = { ...source.variant, derived: { ...source.variant.derived, ...launch } };
    const parameters = Object.fromEntries(
      Object.entries(variant.parameters).map(([name, value]) => [name, launch[name] ?? value]),
    );
    return { ...source, variant: { ...variant, parameters } };
  }
  if (text === undefined || header) return source;
  return { ...source, text, hash: hashOf(text) };
}

/** Number of parameters that differ. */
function differences(one: Source, other: Source): number {
  const mine = one.variant.parameters;
  return Object.entries(other.variant.parameters).filter(([name, value]) => mine[name] !== value).length;
}
