import type { AnyFamily } from '../model/family.ts';
import { askedValue } from '../model/operation.ts';
import type { Takes } from './description.ts';

type Problem = Readonly<Record<string, unknown>>;

/** A family whose cases and workloads are those that an imported kernel takes. */
export function narrowed(family: AnyFamily, takes: Takes): AnyFamily {
  const isAllowed = (name: string, value: unknown) => {
    const allowed = takes[name];
    // A field that a problem leaves out has its usual value.
    if (allowed === undefined || value === undefined) return true;
    return Array.isArray(allowed)
      ? (allowed as readonly unknown[]).includes(value)
      : Number(value) % allowed.multipleOf === 0;
  };
  const isTaken = (problem: Problem) =>
    Object.keys(takes).every((name) => isAllowed(name, askedValue(family.operation, name, problem)));
  return {
    ...family,
    serves: (point) =>
      Object.fromEntries(
        Object.entries(family.serves(point)).map(([name, values]) => [
          name,
          values.filter((value) => isAllowed(name, value)),
        ]),
      ),
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
