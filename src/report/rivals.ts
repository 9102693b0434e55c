import type { EvidenceWorkload, RunEvidence } from '../model/evidence.ts';
import { denseSystem, flopsOf, type Rival, type RivalResult } from '../model/rival.ts';

/**
 * Evidence with the best of each rival system as a further baseline of the workloads that it ran too. Files that have our own
 * time beside the others' are left out: their ratios are those of their own process.
 */
export function withRivals(evidence: RunEvidence, rivals: readonly Rival[]): RunEvidence {
  const elsewhere = rivals.filter(({ process }) => process === undefined);
  const results = elsewhere.flatMap((rival) => rival.results).filter(({ correct }) => correct !== false);
  const workloads = evidence.workloads.map((workload) => {
    const own = results.filter((result) => isSame(result, workload.problem ?? {}));
    const systems = [...new Set(own.map(({ system }) => system))];
    const added = systems.map((system) =>
      baselineOf(
        own.filter((one) => one.system === system),
        workload,
      ),
    );
    return { ...workload, measurements: [...added, ...workload.measurements] };
  });
  return { ...evidence, workloads };
}

/** Whether a workload's problem is of the same sizes, types and kind of structure as what a rival ran. */
function isSame(
  { m, n, k, block, density }: RivalResult,
  problem: Readonly<Record<string, unknown>>,
): boolean {
  const pattern = JSON.stringify(problem.pattern) === JSON.stringify({ kind: 'random', density });
  const sizes = Object.entries({ m, n, k, block, dtype: 'f16', out: 'f16' });
  return pattern && sizes.every(([name, value]) => problem[name] === value);
}

/**
 * The rival's matrix has a few blocks more or fewer than ours: its time is scaled to ours, unless it is a dense product,
 * which does not care.
 */
function baselineOf(
  results: readonly RivalResult[],
  { flops }: EvidenceWorkload,
): EvidenceWorkload['measurements'][number] {
  const [best] = results.toSorted((a, b) => a.medianUs - b.medianUs);
  if (!best) throw new Error('a system without results');
  const { system, medianUs, madUs } = best;
  const scale = (system === denseSystem ? 1 : flops / flopsOf(best)) / 1e6;
  const median = Number((medianUs * scale).toPrecision(5));
  return {
    subject: `${system} (other process)`,
    kind: 'baseline',
    l2: 'hot',
    median,
    mad: Number((madUs * scale).toPrecision(3)),
    tflops: Number((flops / median / 1e12).toPrecision(5)),
  };
}
