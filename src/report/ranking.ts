import type { EvidenceWorkload, RunEvidence } from '../model/evidence.ts';
import { decisiveL2 } from '../model/measurement.ts';

/** Number of fastest variants of a workload that are shown and compared. */
export const topCount = 10;

export type Figure = EvidenceWorkload['measurements'][number];

interface Times {
  readonly measurements: readonly Figure[];
}

/** Variants with a figure that counts: those timed with care, fastest first, then those that fell out early. */
export function fastest(workload: Times): Figure[] {
  return ranked(workload, 'variant');
}

/** Libraries with a figure, fastest first. */
export function baselinesOf(workload: Times): Figure[] {
  return ranked(workload, 'baseline');
}

function ranked(workload: Times, wanted: Figure['kind']): Figure[] {
  const state = decisiveL2(workload.measurements);
  return workload.measurements
    .filter(({ kind, l2, rejected }) => kind === wanted && l2 === state && rejected === undefined)
    .toSorted(
      (a, b) => Number(a.stoppedEarly ?? false) - Number(b.stoppedEarly ?? false) || a.median - b.median,
    );
}

/** A subject's figure on a workload with cold L2. */
export function coldOf({ measurements }: Times, subject: string): Figure | undefined {
  return measurements.find((one) => one.subject === subject && one.l2 === 'cold');
}

/** The least time that a limit of the machine allows, seconds. `tensor`: products, of f32 that is not rounded on CUDA cores. */
export interface Limit {
  readonly name: 'tensor' | 'L2' | 'DRAM';
  readonly seconds: number;
}

/** Bytes that multiprocessors fetch from the L2 cache or store there: at least each operand once. */
export function bytesOfL2({ bytes, l2Bytes = 0 }: EvidenceWorkload): number {
  return Math.max(bytes, l2Bytes);
}

type Gpu = NonNullable<NonNullable<RunEvidence['environment']>['gpu']>;

/** Peak TFLOPS of a workload's arithmetic at the highest clock; 0 if not known. */
export function peakOf({ arithmetic = 'f16' }: EvidenceWorkload, { peaks, peakTflops }: Gpu): number {
  return peaks?.[arithmetic] ?? peakTflops;
}

/**
 * Limits of a workload, tightest first. DRAM is not one if the operands fit into a hot L2. Empty if the GPU's figures
 * are not known.
 */
export function limitsOf(workload: EvidenceWorkload, { environment }: RunEvidence): Limit[] {
  const gpu = environment?.gpu;
  if (!gpu) return [];
  const { flops, bytes } = workload;
  const inL2 = decisiveL2(workload.measurements) === 'hot' && bytes <= gpu.l2Bytes;
  const limits: Limit[] = [
    { name: 'tensor', seconds: flops / (peakOf(workload, gpu) * 1e12) },
    { name: 'L2', seconds: bytesOfL2(workload) / gpu.l2Bandwidth },
    { name: 'DRAM', seconds: inL2 ? 0 : bytes / gpu.bandwidth },
  ];
  return limits
    .filter(({ seconds }) => seconds > 0 && Number.isFinite(seconds))
    .sort((a, b) => b.seconds - a.seconds);
}

/** An improvement of the best figure: each is better than all before it. */
export interface Step {
  /** Number of the variant, from 1, in the order in which they were tried. */
  readonly trial: number;
  readonly tflops: number;
  /** Seconds of timing after which the figure was known. */
  readonly elapsed?: number;
}

export function bestSoFar(workload: Times): Step[] {
  const steps: Step[] = [];
  const variants = fastest(workload);
  const best = variants[0]?.tflops ?? 0; // a brief figure may be higher by chance
  for (const { trial, tflops, elapsed } of variants.toSorted((a, b) => (a.trial ?? 0) - (b.trial ?? 0))) {
    if (trial === undefined || tflops <= (steps.at(-1)?.tflops ?? 0) || tflops > best) continue;
    steps.push({ trial, tflops, ...(elapsed !== undefined && { elapsed }) });
  }
  return steps;
}

/** The first variant that came within `share` of the best. */
export function reached(steps: readonly Step[], share: number): Step | undefined {
  const best = steps.at(-1)?.tflops ?? 0;
  return steps.find(({ tflops }) => tflops >= share * best);
}
