import type { Arithmetic } from '../model/arch.ts';
import type { JournalRecord, Summary } from '../model/event.ts';
import {
  type EvidenceMeasurement,
  type EvidenceWorkload,
  evidenceVersion,
  type RunEvidence,
} from '../model/evidence.ts';
import type { Measurement } from '../model/measurement.ts';
import type { ParameterValue } from '../model/parameter.ts';
import type { Selection } from '../model/selection.ts';
import type { VerdictName } from '../model/verdict.ts';
import type { Workload } from '../model/workload.ts';
import type { RunInfo } from '../store/run.ts';
import { effectsOf } from './effects.ts';
import { gateOf } from './gate.ts';
import { fastest, topCount } from './ranking.ts';
import { cubinsOf, lastVerdicts, recordsOf } from './records.ts';

/** A family's facts about its variants and workloads, as far as evidence needs them. */
export interface FamilyFacts {
  readonly workloads: readonly Workload[];
  /** Name of the template that a variant is rendered from. */
  readonly path: (variant: string) => string;
  /** Parameters that matter for a variant. */
  readonly parameters: (variant: string) => Readonly<Record<string, ParameterValue>>;
  /** All parameters of a variant. */
  readonly point: (variant: string) => Readonly<Record<string, ParameterValue>>;
  readonly arithmetic?: (workload: Workload) => Arithmetic;
  readonly l2Bytes?: (workload: Workload, flops: number) => number;
}

/** Contents of a run's folder. */
export interface RunFiles {
  readonly info: RunInfo;
  readonly records: readonly JournalRecord[];
  /** Of the last part that ended; only where the journal has none. */
  readonly summary?: Summary;
  readonly selection?: Selection;
}

/** Gathers a run's evidence. Pure: the same folder gives the same file. */
export function evidenceOf(files: RunFiles, facts: FamilyFacts): RunEvidence {
  const { info, records, selection } = files;
  const environment = records.findLast((one) => one.event === 'environment');
  const { event: _, commit, ...place } = environment ?? { event: undefined };
  const workloads = workloadIds(records).map((id) => workloadOf(id, records, facts));
  return {
    version: evidenceVersion,
    run: info.id,
    date: info.started,
    command: info.command,
    ...(commit !== undefined && { commit }),
    family: info.family,
    arch: info.arch,
    ...info.space,
    depth: info.depth,
    ...('host' in place && { environment: place }),
    ...outcomeOf(files),
    variants: variantsOf(workloads, records, facts),
    workloads,
    ...(selection && { selection }),
  };
}

type Outcome = Pick<
  RunEvidence,
  'funnel' | 'rejected' | 'verdicts' | 'gate' | 'failures' | 'seconds' | 'variantsPerMinute'
>;

function outcomeOf({ records, summary }: RunFiles): Outcome {
  const last = [...lastVerdicts(records).values()];
  const failed = last.filter(({ verdict }) => verdict !== 'passed');
  const ended = recordsOf(records, 'summary');
  const seconds = addUp((ended.length > 0 || !summary ? ended : [summary]).map((part) => part.seconds));
  const space = records.findLast((one) => one.event === 'space');
  const { points = 0, legal = 0 } = space ?? summary?.funnel ?? {};
  const of = (names: readonly string[]) => new Set(names).size;
  const rendered = records.flatMap((one) => ('variant' in one ? [one.variant] : []));
  const timed = recordsOf(records, 'measurement').filter(
    ({ kind, rejected }) => kind === 'variant' && rejected === undefined,
  );
  return {
    funnel: {
      ...{ points, legal, rendered: of(rendered), passed: last.length - failed.length },
      compiled: cubinsOf(records).size,
      timed: of(timed.map(({ subject }) => subject)),
    },
    rejected: space?.rejected ?? {},
    verdicts: countBy(last.map(({ verdict }) => verdict)),
    gate: gateOf(records),
    failures: failed.map(({ variant, device, verdict, evidence }) => ({
      ...{ variant, device, verdict },
      ...(evidence.case !== undefined && { case: evidence.case }),
      message: evidence.message,
    })),
    seconds,
    ...(seconds.total && { variantsPerMinute: Math.round((600 * last.length) / seconds.total) / 10 }),
  };
}

function countBy(words: readonly VerdictName[]): Partial<Record<VerdictName, number>> {
  const counts: Partial<Record<VerdictName, number>> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

function addUp(parts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const [stage, seconds] of parts.flatMap((part) => Object.entries(part)))
    sum[stage] = Math.round(1000 * ((sum[stage] ?? 0) + seconds)) / 1000;
  return sum;
}

function workloadIds(records: readonly JournalRecord[]): string[] {
  return [...new Set(recordsOf(records, 'measurement').map(({ workload }) => workload))];
}

function workloadOf(id: string, records: readonly JournalRecord[], facts: FamilyFacts): EvidenceWorkload {
  const checks = latest(recordsOf(records, 'check').filter(({ workload }) => workload === id));
  const measured = latest(recordsOf(records, 'measurement').filter(({ workload }) => workload === id));
  // Checks are kept in the order in which the subjects were tried, measurements are not.
  const tried = checks.filter(({ kind }) => kind === 'variant').map(({ subject }) => subject);
  const trials = new Map(tried.map((subject, index) => [subject, index + 1]));
  const order = (one: Measurement) => 2 * (trials.get(one.subject) ?? 0) + (one.l2 === 'cold' ? 1 : 0);
  const measurements = measured
    .toSorted((a, b) => order(a) - order(b))
    .map((one) => ({ ...shorten(one), ...trialOf(trials.get(one.subject)) }));
  const { flops = 0, bytes = 0 } = measured[0] ?? {};
  const workload = facts.workloads.find((one) => one.id === id);
  return {
    id,
    ...(workload && { problem: workload.problem }),
    ...{ flops, bytes },
    ...(workload && facts.arithmetic && { arithmetic: facts.arithmetic(workload) }),
    ...(workload && facts.l2Bytes && { l2Bytes: facts.l2Bytes(workload, flops) }),
    paths: pathsOf(measurements, facts),
    tried: tried.length,
    measurements,
    untimed: checks
      .filter(({ verdict }) => verdict !== 'passed')
      .map(({ subject, verdict, evidence }) => ({ subject, verdict, message: evidence.message })),
    effects: effectsOf(measurements, facts.parameters, facts.point),
  };
}

function trialOf(trial: number | undefined): { trial?: number } {
  return trial === undefined ? {} : { trial };
}

/** The last record of each subject and L2 state: what an interrupted run did again counts once. */
function latest<T extends { readonly subject: string; readonly l2?: string }>(records: readonly T[]): T[] {
  return [...new Map(records.map((one) => [`${one.subject} ${one.l2}`, one])).values()];
}

/** Variants always run from a graph. Samples of heats are dropped: there are three of them, and their median says it all. */
function shorten(measurement: Measurement): EvidenceMeasurement {
  const {
    subject,
    kind,
    l2,
    samples,
    median,
    mad,
    tflops,
    meanSmClock,
    graph,
    rejected,
    stoppedEarly,
    elapsed,
  } = measurement;
  return {
    ...{
      subject,
      kind,
      l2,
      median: significant(median, 5),
      mad: significant(mad, 3),
      tflops: significant(tflops, 5),
    },
    ...(meanSmClock && { meanSmClock: Math.round(meanSmClock) }),
    ...(graph !== undefined && kind === 'baseline' && { graph }),
    ...(rejected !== undefined && { rejected }),
    ...(stoppedEarly && { stoppedEarly }),
    ...(elapsed !== undefined && { elapsed }),
    ...(!stoppedEarly && { samples: samples.map((sample) => significant(sample, 5)) }),
  };
}

function significant(value: number, digits: number): number {
  return Number(value.toPrecision(digits));
}

function pathsOf(measurements: EvidenceWorkload['measurements'], facts: FamilyFacts): Record<string, string> {
  const paths: Record<string, string> = {};
  for (const { subject } of fastest({ measurements })) paths[facts.path(subject)] ??= subject;
  return paths;
}

function variantsOf(
  workloads: readonly EvidenceWorkload[],
  records: readonly JournalRecord[],
  facts: FamilyFacts,
): RunEvidence['variants'] {
  const built = cubinsOf(records);
  const shown = workloads.flatMap((workload) => [
    ...fastest(workload)
      .slice(0, topCount)
      .map(({ subject }) => subject),
    ...Object.values(workload.paths),
  ]);
  const describe = (id: string) => {
    const { registers, source } = built.get(id) ?? {};
    const known = { ...(registers !== undefined && { registers }), ...(source !== undefined && { source }) };
    return [id, { ...known, parameters: { ...facts.parameters(id) } }] as const;
  };
  return Object.fromEntries([...new Set(shown)].map(describe));
}
