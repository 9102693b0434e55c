import type { AnyFamily } from '../model/family.ts';
import { askedValue } from '../model/operation.ts';
import type { Takes } from './description.ts';

type Problem = Readonly<Record<string, unknown>>;

/** A family whose cases and workloads are those that an imported kernel takes. */
export function narrowed(family: AnyFamily, takes: Takes): AnyFamily {
  const isTaken = (problem: Problem) =>
    Object.entries(takes).every(([name, allowed]) => {
      const value = askedValue(family.operation, name, problem);
      if (value === undefined) return true; // a field that a problem leaves out has its usual value
      return Array.isArray(allowed)
        ? (allowed as readonly unknown[]).includes(value)
        : Number(value) % allowed.multipleOf === 0;
    });
  return {
    ...family,
    // Cases that the variant's own kernel declines say nothing of this one.
    cases: (point, depth) =>
      family
        .cases(point, depth)
        .filter(
          ({ problem, refuses, alternate }) =>
            refuses === undefined && isTaken(problem) && (alternate === undefined || isTaken(alternate)),
        ),
    applies: (point, workload) => isTaken(workload.problem) && (family.applies?.(point, workload) ?? true),
  };
}
