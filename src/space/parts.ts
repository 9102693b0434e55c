import type { Part, Preset } from '../model/family.ts';

/** The parts that a preset is made of; one that excludes nothing where it narrows nothing. */
export function partsOf({ where = {} }: Preset): readonly Part[] {
  return isList(where) ? where : [where];
}

// Array.isArray alone does not tell a readonly array from a record.
function isList(where: Part | readonly Part[]): where is readonly Part[] {
  return Array.isArray(where);
}
