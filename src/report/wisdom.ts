import { UsageError } from '../errors.ts';
import type { EvidenceWorkload, RunEvidence } from '../model/evidence.ts';
import { type Wisdom, type WisdomRecord, type WisdomRun, wisdomVersion } from '../model/wisdom.ts';
import { baselinesOf, fastest } from './ranking.ts';

/**
 * The winners of runs on one kind of GPU as the file that a family ships. Of a workload that several runs timed, the newest
 * counts: times of two machines, or of two states of the sources, do not compare. Throws a UsageError where the evidence does
 * not say what was timed on what.
 */
export function wisdomOf(evidences: readonly RunEvidence[]): Wisdom {
  const [first] = evidences;
  if (!first) throw new UsageError('there is no evidence to make wisdom of');
  const other = evidences.find(({ family, arch }) => family !== first.family || arch !== first.arch);
  if (other) {
    throw new UsageError(
      `wisdom is of one family and one architecture, not of ${first.family} for ${first.arch} and ${other.family} for ${other.arch}`,
    );
  }
  const oldestFirst = evidences.toSorted((a, b) => Date.parse(a.date) - Date.parse(b.date));
  const all = oldestFirst.flatMap((evidence) =>
    evidence.workloads.flatMap((workload) => recordOf(workload, evidence) ?? []),
  );
  const records = [...new Map(all.map((record) => [record.workload, record])).values()];
  if (records.length === 0) throw new UsageError('nothing was timed in that evidence: there are no winners');
  const used = new Set(records.map(({ run }) => run));
  return {
    version: wisdomVersion,
    family: first.family,
    arch: first.arch,
    runs: evidences.filter(({ run }) => used.has(run)).map(runOf),
    records,
  };
}

/** The fastest variant that was timed with care; undefined where there is none. */
function recordOf(workload: EvidenceWorkload, evidence: RunEvidence): WisdomRecord | undefined {
  const best = fastest(workload).find(({ stoppedEarly }) => !stoppedEarly);
  if (!best) return undefined;
  const { source, parameters } = evidence.variants[best.subject] ?? {};
  if (source === undefined || !parameters) {
    throw new UsageError(
      `run ${evidence.run} does not say which source of ${best.subject} was timed (an older release made it): sweep again`,
    );
  }
  const [baseline] = baselinesOf(workload);
  const { subject: variant, median, mad, tflops, l2 } = best;
  return {
    workload: workload.id,
    variant,
    source,
    run: evidence.run,
    ...{ median, mad, tflops, l2 },
    ...(baseline && { baseline: { name: baseline.subject, median: baseline.median } }),
    parameters,
  };
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
