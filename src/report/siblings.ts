import { UsageError } from '../errors.ts';
import type { EvidenceWorkload, RunEvidence } from '../model/evidence.ts';
import type { Comparison } from '../model/family.ts';
import { kernelTime, plural } from './format.ts';
import { code, markdownTable } from './markdown.ts';
import { bytesOfL2, type Figure, fastest, type Limit, limitsOf } from './ranking.ts';

/** Least share of a sibling's rate that a workload is to reach. */
export const leastShare = 0.7;

/** The fastest variant on a workload beside that on its sibling, each over all runs. */
export interface Compared {
  readonly id: string;
  readonly sibling: string;
  readonly variant: string;
  /** Seconds. */
  readonly median: number;
  readonly tflops: number;
  /** Tightest limit of the workload, by which the two compare; `tensor` where the GPU's figures are not known. */
  readonly limit: Limit['name'];
  /** Share of the sibling's rate: operations a second, or bytes where a memory is the limit. */
  readonly share: number;
}

export interface Siblings {
  /** The smallest share first. */
  readonly compared: readonly Compared[];
  /** Workloads that have no time, or whose sibling has none, in any of the runs. */
  readonly untimed: readonly string[];
}

/** A workload where its fastest variant was timed. */
interface Timed {
  readonly workload: EvidenceWorkload;
  readonly evidence: RunEvidence;
  readonly first: Figure;
}

/** Workloads beside their siblings. Throws a UsageError where the runs were on different GPUs, whose times do not compare. */
export function siblingsOf(evidences: readonly RunEvidence[], comparisons: readonly Comparison[]): Siblings {
  const gpus = [...new Set(evidences.map(({ environment }) => environment?.gpu?.name ?? 'an unknown GPU'))];
  if (gpus.length > 1)
    throw new UsageError(`times of ${gpus.join(' and ')} do not compare: give runs of one GPU`);
  const timed = fastestTimed(evidences);
  const compared = comparisons.flatMap((comparison) => compare(comparison, timed) ?? []);
  const known = new Set(compared.map(({ id }) => id));
  const wanted = comparisons.filter(({ sibling }) => sibling !== undefined).map(({ id }) => id);
  return {
    compared: compared.toSorted((a, b) => a.share - b.share),
    untimed: wanted.filter((id) => !known.has(id)),
  };
}

/** By workload, the run with the fastest variant. */
function fastestTimed(evidences: readonly RunEvidence[]): ReadonlyMap<string, Timed> {
  const timed = new Map<string, Timed>();
  for (const evidence of evidences) {
    for (const workload of evidence.workloads) {
      const first = fastest(workload)[0];
      const known = timed.get(workload.id);
      if (first && (!known || first.median < known.first.median))
        timed.set(workload.id, { workload, evidence, first });
    }
  }
  return timed;
}

function compare(
  { id, sibling, rate = 1 }: Comparison,
  timed: ReadonlyMap<string, Timed>,
): Compared | undefined {
  const [own, other] = [timed.get(id), timed.get(sibling ?? '')];
  if (sibling === undefined || !own || !other) return undefined;
  const limit = limitsOf(own.workload, own.evidence)[0]?.name ?? 'tensor';
  const { subject: variant, median, tflops } = own.first;
  const share = workOf(own.workload, limit) / median / (workOf(other.workload, limit) / other.first.median);
  return { id, sibling, variant, median, tflops, limit, share: limit === 'tensor' ? share / rate : share };
}

/** Operations, or bytes that cross the memory. */
function workOf(workload: EvidenceWorkload, limit: Limit['name']): number {
  return { tensor: workload.flops, L2: bytesOfL2(workload), DRAM: workload.bytes }[limit];
}

/** Whether all are timed, and reach their share. */
export function enough({ compared, untimed }: Siblings): boolean {
  return untimed.length === 0 && compared.every(({ share }) => share >= leastShare);
}

/** A table of all, the smallest share first, and what it comes to. */
export function siblingsPage({ compared, untimed }: Siblings): string {
  const below = compared.filter(({ share }) => share < leastShare);
  const rows = compared.map((one) => [
    code(one.id),
    code(one.sibling),
    code(one.variant),
    kernelTime(one.median),
    one.tflops.toFixed(1),
    one.limit,
    `${one.share.toFixed(2)}x`,
  ]);
  const titles = ['workload', 'sibling', 'variant', 'time', 'TFLOPS', 'limit', 'share'];
  const counts = `${plural(compared.length, 'workload')} beside siblings: ${below.length} below ${leastShare}x, ${untimed.length} not timed.`;
  return [counts, '', ...markdownTable(titles, rows), ''].join('\n');
}
