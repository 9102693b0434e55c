import type { AnyFamily } from './family.ts';
import type { Point } from './parameter.ts';
import type { Costs } from './wisdom.ts';
import type { Workload } from './workload.ts';

/** Weights of the parts of a variant's time: those of the smallest group that has some, times its own factor. Nothing where none has. */
export function weightsOf(
  { cost }: AnyFamily,
  { weights, factors }: Costs,
  { id, parameters }: { readonly id: string; readonly parameters: Point },
): readonly number[] | undefined {
  const group = cost?.groups(parameters).findLast((name) => weights[name] !== undefined);
  const factor = factors[id] ?? 1;
  return group === undefined ? undefined : weights[group]?.map((weight) => weight * factor);
}

/** Seconds that the model expects of a call; at nominal rates without weights. */
export function costOf(weights: readonly number[], parts: readonly number[]): number {
  return parts.reduce((sum, part, index) => sum + part * (weights[index] ?? 1), 0);
}

/** The same of a variant on a workload. */
export function expectedSeconds(
  family: AnyFamily,
  costs: Costs,
  variant: { readonly id: string; readonly parameters: Point },
  workload: Workload,
): number {
  const parts = family.cost?.parts(variant.parameters, workload) ?? [];
  return costOf(weightsOf(family, costs, variant) ?? [], parts);
}
