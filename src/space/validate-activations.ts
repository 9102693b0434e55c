import type { AnyFamily } from '../model/family.ts';
import { findCycle } from '../util/cycle.ts';
import { didYouMean } from '../util/suggest.ts';

/**
 * Faults in a family's activations. Parameters get their values in the order of declaration, so whether one
 * matters can only depend on those before it; what breaks that is a cycle or a matter of order, and said so.
 */
export function findActivationProblems(family: AnyFamily): string[] {
  const names = Object.keys(family.parameters);
  const problems: string[] = [];
  const reads = new Map<string, readonly string[]>();
  for (const { parameter, on } of family.activations) {
    if (reads.has(parameter))
      problems.push(`parameter '${parameter}' has two activations: join their conditions`);
    reads.set(parameter, on);
    for (const name of [parameter, ...on].filter((candidate) => !names.includes(candidate))) {
      problems.push(`an activation names unknown parameter '${name}'${didYouMean(name, names)}`);
    }
  }
  const cycle = findCycle(reads);
  if (cycle) return [...problems, `activations form a cycle: ${cycle.join(' -> ')}`];
  return [...problems, ...orderProblems(reads, names)];
}

function orderProblems(reads: ReadonlyMap<string, readonly string[]>, names: readonly string[]): string[] {
  return [...reads].flatMap(([parameter, on]) =>
    on
      .filter((read) => names.indexOf(read) > names.indexOf(parameter))
      .map(
        (read) =>
          `activation of '${parameter}' reads '${read}', which is declared after it: move '${read}' up`,
      ),
  );
}
