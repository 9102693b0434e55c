import type { Planned } from './plan.ts';
import type { MutantResult } from './result.ts';

/**
 * Whether a result still says something of today's mutants: not if the device code of its variant has changed since, or nobody noted it, nor, where `all` are
 * all mutants of the variants, if it is of none of them. Of variants that nothing is planned of nobody knows.
 */
export function standing(all: readonly Planned[], whole: boolean): (result: MutantResult) => boolean {
  const planned = new Map(all.map((one) => [`${one.path} ${one.mutant.id}`, one]));
  const variants = new Set(all.map(({ source }) => source.variant.id));
  return ({ path, id, variant, code }) => {
    const one = planned.get(`${path} ${id}`);
    if (!one) return !(whole && variants.has(variant));
    return one.source.variant.id !== variant || code === one.code;
  };
}
