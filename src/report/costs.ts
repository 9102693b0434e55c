import type { RunEvidence } from '../model/evidence.ts';
import { type AnyFamily, allWorkloads } from '../model/family.ts';
import { decisiveL2 } from '../model/measurement.ts';
import type { Variant } from '../model/variant.ts';
import { type Costs, wisdomVersion } from '../model/wisdom.ts';
import { fitCosts, type TimedParts } from '../select/fit.ts';
import { commonSubject } from './wisdom.ts';

/** A variant's shortest time on a workload, over all runs, with the parts of the family's cost model. */
export interface CostTime extends TimedParts {
  readonly workload: string;
}

/**
 * Times of variants on the family's workloads as they are today, and on others whose problem the evidence names. Like the timings that
 * libraries ship, they need not hold for today's sources, and those of variants that were dropped early count.
 */
export function costTimes(
  family: AnyFamily,
  evidences: readonly RunEvidence[],
  variantOf: (id: string) => Variant | undefined,
): CostTime[] {
  const shortest = new Map<string, CostTime>();
  const today = new Map(allWorkloads(family).map(({ id, problem }) => [id, problem]));
  for (const { workloads } of evidences)
    for (const { id: workload, problem: then, measurements } of workloads) {
      const problem = today.get(workload) ?? then;
      const l2 = decisiveL2(measurements);
      for (const { subject, kind, l2: state, median: seconds, rejected } of measurements) {
        const variant = kind === 'variant' && state === l2 && !rejected ? variantOf(subject) : undefined;
        if (!variant || !problem || !family.cost) continue;
        const key = `${workload} ${variant.id}`;
        if ((shortest.get(key)?.seconds ?? Number.POSITIVE_INFINITY) <= seconds) continue;
        const { parameters } = variant;
        const parts = family.cost.parts(parameters, { id: workload, problem });
        const groups = family.cost.groups(parameters);
        shortest.set(key, { workload, variant: variant.id, groups, parts, seconds });
      }
    }
  return [...shortest.values()];
}

/** Weights of the family's cost model by runs' times of `variants`. */
export function costsOf(
  family: AnyFamily,
  evidences: readonly RunEvidence[],
  variantOf: (id: string) => Variant | undefined,
): Costs {
  const { arch, environment } = commonSubject(evidences);
  const times = costTimes(family, evidences, variantOf);
  const { weights, factors } = fitCosts(times);
  return {
    version: wisdomVersion,
    family: family.name,
    arch,
    gpu: environment?.gpu?.name ?? 'unknown',
    runs: evidences.map(({ run }) => run),
    times: times.length,
    weights,
    factors,
  };
}
