import type { AnyFamily } from './family.ts';
import type { Workload } from './workload.ts';

/** Numbers that dispatch compares between a call and a workload: the family's own, or the sizes that the problem names. */
export function featuresOf(
  { features, operation }: AnyFamily,
  workload: Workload,
): Readonly<Record<string, number>> {
  if (features) return features(workload);
  const sizes = Object.keys(operation.sizes).map((name) => [name, workload.problem[name]] as const);
  return Object.fromEntries(sizes.filter((size): size is [string, number] => typeof size[1] === 'number'));
}
