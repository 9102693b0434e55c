import { type AnyFamily, isCandidate } from '../model/family.ts';
import type { Measurement } from '../model/measurement.ts';
import type { Choice, Selection } from '../model/selection.ts';
import type { Variant } from '../model/variant.ts';
import type { Workload } from '../model/workload.ts';
import { Accuracy } from './accuracy.ts';
import { timedChoice } from './choice.ts';
import { cover } from './cover.ts';
import { compare, type Scores, score } from './score.ts';
import { type Holding, knownChoice } from './wisdom.ts';

export interface SelectOptions {
  /** Allowed slowdown of what is shipped against the best variant of each workload; 0.03 if absent. */
  readonly tolerance?: number;
  /** Workloads to be served; all of the family's if absent. */
  readonly workloads?: readonly Workload[];
  /** Workloads beside them, of kinds of calls that nobody timed: without times they have a variant by priority, if any but fallbacks serve them. */
  readonly guessed?: readonly Workload[] | undefined;
  /** The worst rank of the family's accuracy that may be chosen where there is a better one; 0 if absent. */
  readonly accuracy?: number | undefined;
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
  { tolerance = 0.03, workloads = family.workloads, guessed = [], accuracy, known }: SelectOptions = {},
): Selection {
  const passed = new Set(variants.map((variant) => variant.id));
  const scores = score(measurements.filter((m) => m.kind === 'baseline' || passed.has(m.subject)));
  const timed = scores.some(({ variants }) => variants.size > 0);
  const ranks = new Accuracy(family, variants, accuracy);
  const choices = timed
    ? chooseByTime(scores, workloads, tolerance, ranks)
    : [...workloads, ...worthGuessing(family, variants, guessed)].flatMap((workload) => {
        const ranking = rankByPriority(family, variants, workload);
        const record = known?.records.find((one) => one.workload === workload.id);
        const enough = record && ranks.enough([record.variant, ...ranking]).has(record.variant);
        if (enough) return [{ ...knownChoice(workload, record), ...ranks.note(record.variant, undefined) }];
        const alone =
          ranking.length === 1 && variants.some((one) => one.id === ranking[0] && isGeneral(family, one));
        return chooseFirst(workload, ranking, ranks).map((choice) => (alone ? { ...choice, alone } : choice));
      });
  const served = new Set(choices.map((choice) => choice.workload));
  const fallbacks = chooseFallbacks(family, variants, ranks);
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

/** Whether a variant is there for problems that others refuse, too. */
function isGeneral(family: AnyFamily, { parameters }: Variant): boolean {
  return (family.generality?.(parameters) ?? 0) > 0;
}

/** Workloads that fallbacks alone may serve need no choice of their own. */
function worthGuessing(
  family: AnyFamily,
  variants: readonly Variant[],
  guessed: readonly Workload[],
): Workload[] {
  const special = variants.filter((one) => !isGeneral(family, one));
  return guessed.filter((workload) =>
    special.some(({ parameters }) => isCandidate(family, parameters, workload)),
  );
}

function chooseByTime(
  scores: readonly Scores[],
  workloads: readonly Workload[],
  tolerance: number,
  ranks: Accuracy,
): Choice[] {
  const shipped = cover(scores.map(({ variants }) => withinTolerance(accurate(variants, ranks), tolerance)));
  return workloads.flatMap((workload) => {
    const times = scores.find((one) => one.workload === workload.id);
    if (!times || times.variants.size === 0) return [];
    const variants = accurate(times.variants, ranks);
    const [fastest] = ranked(variants, shipped);
    if (!fastest) return [];
    const { l2, baseline } = times;
    const best = Math.min(...variants.values());
    const rest = { l2, ...(baseline && { baseline }) };
    const [first] = ranked(times.variants, [...times.variants.keys()]);
    const choice = timedChoice(workload, fastest.id, { median: fastest.seconds, best, ...rest });
    return [{ ...choice, ...ranks.note(fastest.id, first) }];
  });
}

function accurate(variants: ReadonlyMap<string, number>, ranks: Accuracy): ReadonlyMap<string, number> {
  const enough = ranks.enough(variants.keys());
  return new Map([...variants].filter(([id]) => enough.has(id)));
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

/** The first of a ranking that is accurate enough. */
function chooseFirst(workload: Workload, ranking: readonly string[], ranks: Accuracy): Choice[] {
  const enough = ranks.enough(ranking);
  const chosen = ranking.find((id) => enough.has(id));
  const [first] = ranking;
  if (chosen === undefined || first === undefined) return [];
  const { id, problem } = workload;
  return [{ workload: id, problem, winner: chosen, variant: chosen, ...ranks.note(chosen, { id: first }) }];
}

/**
 * For each rank of generality, lowest first, the best variant for each workload of the family, timed or not, as the priority has
 * it, since times tell nothing of the problems that it is for; and one for all other operation values that the rank's variants serve.
 */
function chooseFallbacks(family: AnyFamily, variants: readonly Variant[], ranks: Accuracy): string[] {
  const rankOf = ({ parameters }: Variant) => family.generality?.(parameters) ?? 0;
  const general = [...new Set(variants.map(rankOf))].filter((rank) => rank > 0).toSorted((a, b) => a - b);
  return general.flatMap((rank) => {
    const able = variants.filter((variant) => rankOf(variant) === rank);
    const chosen = family.workloads.flatMap((workload) =>
      chooseFirst(workload, rankByPriority(family, able, workload), ranks).map(({ variant }) => variant),
    );
    const rest = unserved(family, able, chosen, ranks);
    return [...new Set([...chosen, ...rest])].toSorted(compare);
  });
}

/** For all operation values that variants serve and the chosen ones do not, the first one by name that is accurate enough. */
function unserved(
  family: AnyFamily,
  able: readonly Variant[],
  chosen: readonly string[],
  ranks: Accuracy,
): string[] {
  const enough = ranks.enough(able.map(({ id }) => id));
  const order = able.filter(({ id }) => enough.has(id)).toSorted((a, b) => compare(a.id, b.id));
  const valuesOf = ({ parameters }: Variant) => JSON.stringify(family.serves(parameters));
  const served = new Set(able.filter(({ id }) => chosen.includes(id)).map(valuesOf));
  return order.flatMap((variant) => {
    const values = valuesOf(variant);
    return !served.has(values) && served.add(values) ? [variant.id] : [];
  });
}

/** Ids of the variants that may run a workload, those of the highest priority first. */
function rankByPriority(family: AnyFamily, variants: readonly Variant[], workload: Workload): string[] {
  return variants
    .filter((variant) => isCandidate(family, variant.parameters, workload))
    .map(({ id, parameters }) => ({ id, priority: family.priority(parameters, workload) }))
    .toSorted((a, b) => b.priority - a.priority || compare(a.id, b.id))
    .map(({ id }) => id);
}
