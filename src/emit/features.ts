import type { AnyFamily } from '../model/family.ts';
import type { Workload } from '../model/workload.ts';

type Features = Readonly<Record<string, number | string>>;

/**
 * What dispatch may know of a workload. A family may say so itself; otherwise it is every number and text of the problem,
 * those of nested objects (a pattern's density, say) under their own name.
 */
export function featuresOf(family: AnyFamily, workload: Workload): Features {
  return family.features?.(workload) ?? flatten(workload.problem);
}

function flatten(problem: Readonly<Record<string, unknown>>): Features {
  const entries = Object.entries(problem).flatMap(([name, value]): [string, number | string][] => {
    if (typeof value === 'number' || typeof value === 'string') return [[name, value]];
    return isRecord(value) ? Object.entries(flatten(value)) : [];
  });
  return Object.fromEntries(entries);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
