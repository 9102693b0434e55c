import { type AnyFamily, isCandidate } from '../model/family.ts';
import type { Measurement } from '../model/measurement.ts';
import type { Choice, Selection } from '../model/selection.ts';
import type { Variant } from '../model/variant.ts';
import type { Workload } from '../model/workload.ts';
import { timedChoice } from './choice.ts';
import { cover } from './cover.ts';
import { compare, type Scores, score } from './score.ts';
import { type Holding, knownChoice } from './wisdom.ts';

export interface SelectOptions {
  /** Allowed slowdown of what is shipped against the best variant of each workload; 0.03 if absent. */
  readonly tolerance?: number;
  /** What is to be served; all of the family's workloads if absent. */
  readonly workloads?: readonly Workload[];
  /** Times of earlier runs, for where there are none. */
  readonly known?: Pick<Holding, 'records' | 'runs'> | undefined;
}

/**
 * Chooses what the library ships. `variants` are those that passed the gate; measurements of anything else are ignored.
 * With times: the fewest variants that serve every measured workload within `tolerance` of its best. Without: for each
 * workload the variant that `known`, wisdom of earlier runs, names, else the one that the family's priority ranks first.
 */
export function select(
  family: AnyFamily,
  variants: readonly Variant[],
  measurements: readonly Measurement[],
  { tolerance = 0.03, workloads = family.workloads, known }: SelectOptions = {},
): Selection {
  const passed = new Set(variants.map((variant) => variant.id));
  const scores = score(measurements.filter((m) => m.kind === 'baseline' || passed.has(m.subject)));
  const timed = scores.some(({ variants }) => variants.size > 0);
  const choices = timed
    ? chooseByTime(scores, workloads, tolerance)
    : workloads.flatMap((workload) => {
        const record = known?.records.find((one) => one.workload === workload.id);
        return record ? [knownChoice(workload, record)] : chooseByPriority(family, variants, workload);
      });
  const served = new Set(choices.map((choice) => choice.workload));
  const fallbacks = chooseFallbacks(
    family,
    variants,
    workloads.filter(({ id }) => served.has(id)),
  );
  return {
    family: family.name,
    timed,
    ...(!timed && known && known.records.length > 0 && { wisdom: [...known.runs] }),
    variants: [...new Set([...choices.map((choice) => choice.variant).toSorted(compare), ...fallbacks])],
    fallbacks,
    choices,
    unserved: workloads.map(({ id }) => id).filter((id) => !served.has(id)),
    tolerance,
  };
}

function chooseByTime(
  scores: readonly Scores[],
  workloads: readonly Workload[],
  tolerance: number,
): Choice[] {
  const shipped = cover(scores.map(({ variants }) => withinTolerance(variants, tolerance)));
  return workloads.flatMap((workload) => {
    const times = scores.find((one) => one.workload === workload.id);
    const [fastest] = times ? ranked(times.variants, shipped) : [];
    if (!times || !fastest) return [];
    const { l2, baseline } = times;
    const best = Math.min(...times.variants.values());
    const rest = { l2, ...(baseline && { baseline }) };
    return [timedChoice(workload, fastest.id, { median: fastest.seconds, best, ...rest })];
  });
}

/** Slowdown against the best, of every variant that is slow by at most `tolerance`. */
function withinTolerance(variants: ReadonlyMap<string, number>, tolerance: number): Map<string, number> {
  const best = Math.min(...variants.values());
  const slowdowns = [...variants].map(([id, seconds]) => [id, seconds / best] as const);
  return new Map(slowdowns.filter(([, slowdown]) => slowdown <= 1 + tolerance));
}

function ranked(variants: ReadonlyMap<string, number>, shipped: readonly string[]) {
  return [...variants]
    .map(([id, seconds]) => ({ id, seconds }))
    .filter(({ id }) => shipped.includes(id))
    .toSorted((a, b) => a.seconds - b.seconds || compare(a.id, b.id));
}

function chooseByPriority(family: AnyFamily, variants: readonly Variant[], workload: Workload): Choice[] {
  const first = firstByPriority(family, variants, workload);
  return first ? [{ workload: workload.id, problem: workload.problem, winner: first, variant: first }] : [];
}

/**
 * For each rank of generality, lowest first, the best variant for each workload, as the priority has it: times tell nothing
 * of the problems that it is for.
 */
function chooseFallbacks(
  family: AnyFamily,
  variants: readonly Variant[],
  workloads: readonly Workload[],
): string[] {
  const rankOf = ({ parameters }: Variant) => family.generality?.(parameters) ?? 0;
  const ranks = [...new Set(variants.map(rankOf))].filter((rank) => rank > 0).toSorted((a, b) => a - b);
  return ranks.flatMap((rank) => {
    const general = variants.filter((variant) => rankOf(variant) === rank);
    const chosen = workloads.flatMap((workload) => firstByPriority(family, general, workload) ?? []);
    return [...new Set(chosen)].toSorted(compare);
  });
}

function firstByPriority(
  family: AnyFamily,
  variants: readonly Variant[],
  workload: Workload,
): string | undefined {
  const [first] = variants
    .filter((variant) => isCandidate(family, variant.parameters, workload))
    .map(({ id, parameters }) => ({ id, priority: family.priority(parameters, workload) }))
    .toSorted((a, b) => b.priority - a.priority || compare(a.id, b.id));
  return first?.id;
}
