import type { Source, Variant } from '../model/variant.ts';
import { hashOf } from '../util/hash.ts';
import { type Header, headersOf, wordsOf } from './headers.ts';
import { launchMutants, type Mutant, mutantsOf } from './mutant.ts';

/** A mutant of a variant. */
export interface Planned {
  readonly source: Source;
  readonly path: string;
  readonly mutant: Mutant;
  /** The header that changes; absent: the source itself, or its launch. */
  readonly header?: Header;
}

/** All mutants of rendered sources and of the headers in `folders` that they include. Equal ones of one path are planned once. */
export function planMutants(sources: readonly Source[], folders: readonly string[]): Planned[] {
  const planned = new Map<string, Planned>();
  for (const source of sources) {
    const path = source.variant.template.replace(/\.cu\.hbs$/, '');
    const add = (mutant: Mutant, header?: Header) => {
      const key = `${path} ${mutant.id}`;
      if (!planned.has(key)) planned.set(key, { source, path, mutant, ...(header && { header }) });
    };
    for (const mutant of mutantsOf({ file: `${path}.cu`, text: source.text })) add(mutant);
    for (const mutant of launchMutants({ ...source.variant.parameters, ...source.variant.derived }))
      add(mutant);
    const reachedFrom = wordsOf(source.text);
    for (const header of headersOf(source.text, folders))
      for (const mutant of mutantsOf({ ...header, reachedFrom })) add(mutant, header);
  }
  return [...planned.values()];
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
