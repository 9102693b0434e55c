import type { EvidenceWorkload, RunEvidence } from '../model/evidence.ts';
import type { Comparison } from '../model/family.ts';
import { kernelTime, plural } from './format.ts';
import { code, markdownTable } from './markdown.ts';
import { bytesOfL2, fastest, type Limit, limitsOf } from './ranking.ts';

/** Least share of a sibling's rate that a workload is to reach. */
export const leastShare = 0.7;

/** The fastest variant on a workload beside that on its sibling, timed in the same run. */
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

/** Workloads beside their siblings; of several runs that timed both, the one with the best share. */
export function siblingsOf(evidences: readonly RunEvidence[], comparisons: readonly Comparison[]): Siblings {
  const best = new Map<string, Compared>();
  for (const evidence of evidences) {
    const timed = new Map(evidence.workloads.map((workload) => [workload.id, workload]));
    for (const comparison of comparisons) {
      const one = compare(comparison, timed, evidence);
      if (one && one.share > (best.get(one.id)?.share ?? 0)) best.set(one.id, one);
    }
  }
  const wanted = comparisons.filter(({ sibling }) => sibling !== undefined).map(({ id }) => id);
  return {
    compared: [...best.values()].toSorted((a, b) => a.share - b.share),
    untimed: wanted.filter((id) => !best.has(id)),
  };
}

function compare(
  { id, sibling, rate = 1 }: Comparison,
  timed: ReadonlyMap<string, EvidenceWorkload>,
  evidence: RunEvidence,
): Compared | undefined {
  const [own, other] = [timed.get(id), timed.get(sibling ?? '')];
  const first = own && fastest(own)[0];
  const beside = other && fastest(other)[0];
  if (sibling === undefined || !first || !beside) return undefined;
  const limit = limitsOf(own, evidence)[0]?.name ?? 'tensor';
  const { subject: variant, median, tflops } = first;
  const share = workOf(own, limit) / median / (workOf(other, limit) / beside.median);
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
