import { UsageError } from '../errors.ts';
import type { EvidenceWorkload, RunEvidence } from '../model/evidence.ts';
import { type Wisdom, type WisdomRecord, type WisdomRun, wisdomVersion } from '../model/wisdom.ts';
import { cover } from '../select/cover.ts';
import { baselinesOf, fastest } from './ranking.ts';

/** Whether a source is what the family renders today for a variant, or has its machine code. */
export type Holds = (variant: string, source: string) => boolean;

/** Slowdown against the best that a record of a comparison may have, where that spares the library a kernel. */
export const comparisonTolerance = 0.1;

/**
 * The winners of runs as the file that a family ships: of each workload the fastest valid measurement over all runs, of equal
 * ones the newest. Valid is what was timed with care, of a source that holds, on a machine and with an L2 as in the newest
 * run of which a time is valid: others do not compare. Where no time of a workload is of a source that holds, the newest run gives
 * the record, which is of no use until a sweep. Of `comparisons`, by their ids, there are many: their records name the fewest
 * variants, beside those winners, that are within `comparisonTolerance` of the best on each, and none that does not hold.
 * Throws a UsageError where the evidence does not say what was timed on what.
 */
export function wisdomOf(
  evidences: readonly RunEvidence[],
  holds: Holds,
  comparisons: ReadonlySet<string> = new Set(),
): Wisdom {
  const { family, arch } = commonSubject(evidences);
  const own = [...timedWorkloads(evidences, holds)].filter(([id]) => !comparisons.has(id));
  const winners = own.map(([, timed]) => bestOf(comparable(timed)).record);
  const shipped = new Set(winners.map(({ variant }) => variant));
  const records = [...winners, ...fewest(compared(evidences, holds, comparisons), shipped)];
  if (records.length === 0) throw new UsageError('nothing was timed in that evidence: there are no winners');
  const used = new Set(records.map(({ run }) => run));
  return {
    version: wisdomVersion,
    family,
    arch,
    runs: evidences.filter(({ run }) => used.has(run)).map(runOf),
    records,
  };
}

/** The evidence without the times of variants whose launches overlap: in a row of their own they take less than a call. */
export function withoutOverlapping(
  evidence: RunEvidence,
  overlaps: (variant: string) => boolean,
): RunEvidence {
  const workloads = evidence.workloads.map((workload) => ({
    ...workload,
    measurements: workload.measurements.filter(
      ({ subject, kind }) => kind !== 'variant' || !overlaps(subject),
    ),
  }));
  return { ...evidence, workloads };
}

/** A sentence for each workload of which some runs do not count, since they were on another machine or with another L2. */
export function leftOut(evidences: readonly RunEvidence[], holds: Holds): string[] {
  return [...timedWorkloads(evidences, holds)].flatMap(([workload, timed]) => {
    const kept = comparable(timed);
    const others = timed.filter((one) => !kept.includes(one)).map(({ record }) => record.run);
    if (others.length === 0) return [];
    return `${workload}: ${kept[0].conditions} counts, as in the newest run; not counted: ${others.join(', ')}`;
  });
}

/** The first; it has the family and the architecture of all. Throws a UsageError where these differ. */
export function commonSubject(evidences: readonly RunEvidence[]): RunEvidence {
  const [first] = evidences;
  if (!first) throw new UsageError('there is no evidence to make wisdom of');
  const other = evidences.find(({ family, arch }) => family !== first.family || arch !== first.arch);
  if (!other) return first;
  throw new UsageError(
    `wisdom is of one family and one architecture, not of ${first.family} for ${first.arch} and ${other.family} for ${other.arch}`,
  );
}

/** Variants of a run on a workload. */
interface Timed {
  /** The fastest. */
  readonly record: WisdomRecord;
  /** Of all, fastest first. */
  readonly records: readonly WisdomRecord[];
  /** Machine and L2, as text: times under the same ones compare. */
  readonly conditions: string;
}

/** Those of one workload, of the newest run first. */
type TimedRuns = readonly [Timed, ...Timed[]];

/** By workload, in the order of the oldest run that timed it: runs with a source that holds, else the newest alone. */
function timedWorkloads(evidences: readonly RunEvidence[], holds: Holds): ReadonlyMap<string, TimedRuns> {
  const newest = [...timedBy(evidences, () => true)].map(([id, [first]]) => [id, [first]] as const);
  return new Map<string, TimedRuns>([...newest, ...timedBy(evidences, holds)]);
}

function timedBy(evidences: readonly RunEvidence[], holds: Holds): Map<string, TimedRuns> {
  const oldestFirst = evidences.toSorted((a, b) => Date.parse(a.date) - Date.parse(b.date));
  const timed = new Map<string, TimedRuns>();
  for (const evidence of oldestFirst) {
    for (const workload of evidence.workloads) {
      const records = recordsOf(workload, evidence, holds);
      const [record] = records;
      if (!record) continue;
      const one = { record, records, conditions: conditionsOf(evidence, record) };
      timed.set(workload.id, [one, ...(timed.get(workload.id) ?? [])]);
    }
  }
  return timed;
}

function conditionsOf(evidence: RunEvidence, { l2 }: WisdomRecord): string {
  const { gpu, driver, runtime, nvcc = 'unknown' } = runOf(evidence);
  return `${gpu} (driver ${driver}, CUDA ${runtime}, nvcc ${nvcc}, ${l2} L2)`;
}

function comparable([newest, ...others]: TimedRuns): TimedRuns {
  return [newest, ...others.filter(({ conditions }) => conditions === newest.conditions)];
}

function bestOf(newestFirst: TimedRuns): Timed {
  return newestFirst.reduce((best, one) => (one.record.median < best.record.median ? one : best));
}

/** Each variant's best record over runs. */
function byVariant(newestFirst: TimedRuns): ReadonlyMap<string, WisdomRecord> {
  const slowestFirst = newestFirst.flatMap(({ records }) => records).toSorted((a, b) => b.median - a.median);
  return new Map(slowestFirst.map((record) => [record.variant, record]));
}

/**
 * For each comparison the records that hold and are within the tolerance of the best. A time of a source that holds no longer tells
 * nothing of today's; but it is a reason not to choose what was far slower beside it.
 */
function compared(
  evidences: readonly RunEvidence[],
  holds: Holds,
  comparisons: ReadonlySet<string>,
): WisdomRecord[][] {
  const everything = timedBy(evidences, () => true);
  return [...timedBy(evidences, holds)].flatMap(([id, timed]) => {
    if (!comparisons.has(id)) return [];
    const held = byVariant(comparable(timed));
    const all = new Map([...byVariant(comparable(everything.get(id) ?? timed)), ...held]);
    const best = Math.min(...[...all.values()].map(({ median }) => median));
    const near = [...held.values()].filter(({ median }) => median <= best * (1 + comparisonTolerance));
    return near.length > 0 ? [near.map((one) => (one.median > best ? { ...one, best } : one))] : [];
  });
}

/** A record for each workload: of variants in `shipped` where one is able, else of the fewest others. */
function fewest(able: readonly WisdomRecord[][], shipped: ReadonlySet<string>): WisdomRecord[] {
  const open = able.filter((records) => !records.some(({ variant }) => shipped.has(variant)));
  const slowdown = ({ variant, median, best = median }: WisdomRecord) => [variant, median / best] as const;
  const library = new Set([...shipped, ...cover(open.map((records) => new Map(records.map(slowdown))))]);
  return able.flatMap((records) => {
    const fastestFirst = records.toSorted((a, b) => a.median - b.median);
    return fastestFirst.find(({ variant }) => library.has(variant)) ?? [];
  });
}

/** Variants that were timed with care and whose source holds, fastest first. */
function recordsOf(workload: EvidenceWorkload, { run, variants }: RunEvidence, holds: Holds): WisdomRecord[] {
  const careful = fastest(workload).filter(({ stoppedEarly }) => !stoppedEarly);
  const [first] = careful;
  if (first && variants[first.subject]?.source === undefined) {
    throw new UsageError(
      `run ${run} does not say which source of ${first.subject} was timed (an older release made it): sweep again`,
    );
  }
  const [baseline] = baselinesOf(workload);
  return careful.flatMap(({ subject: variant, median, mad, tflops, l2 }) => {
    const { source, parameters } = variants[variant] ?? {}; // of slow ones a run need not say it
    if (source === undefined || !parameters || !holds(variant, source)) return [];
    const times = { run, median, mad, tflops, l2 };
    const library = baseline && { baseline: { name: baseline.subject, median: baseline.median } };
    return [{ workload: workload.id, variant, source, ...times, ...library, parameters }];
  });
}

function runOf({ run, date, command, commit, environment }: RunEvidence): WisdomRun {
  const gpu = environment?.gpu;
  if (!gpu) throw new UsageError(`run ${run} does not say which GPU it was on: sweep again`);
  return {
    ...{ id: run, date, command },
    ...(commit !== undefined && { commit }),
    ...{ gpu: gpu.name, driver: gpu.driver, runtime: gpu.runtime },
    ...(environment.nvcc !== undefined && { nvcc: environment.nvcc }),
  };
}
