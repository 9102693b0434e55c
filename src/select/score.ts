import { decisiveL2, type Measurement } from '../model/measurement.ts';

/** Times of one workload, all taken with the L2 cache in the same state. */
export interface Scores {
  readonly workload: string;
  readonly l2: 'hot' | 'cold';
  /** Seconds by variant id. */
  readonly variants: ReadonlyMap<string, number>;
  readonly baseline?: { readonly name: string; readonly median: number };
}

/**
 * Medians per workload, in order of first appearance. Rejected figures never count, and those of a short heat only where
 * nothing was timed with care: the few samples of a heat tell who is worth it, not by how much.
 */
export function score(measurements: readonly Measurement[]): Scores[] {
  const valid = measurements.filter((m) => m.rejected === undefined && m.median > 0);
  return [...new Set(valid.map((m) => m.workload))].map((workload) => {
    const here = valid.filter((m) => m.workload === workload);
    const l2 = decisiveL2(here);
    const counted = here.filter((m) => m.l2 === l2);
    const baseline = best(counted.filter((m) => m.kind === 'baseline'));
    return {
      workload,
      l2,
      variants: fastest(careful(counted.filter((m) => m.kind === 'variant'))),
      ...(baseline && { baseline: { name: baseline.subject, median: baseline.median } }),
    };
  });
}

function careful(measurements: readonly Measurement[]): readonly Measurement[] {
  const finalists = measurements.filter(({ stoppedEarly }) => !stoppedEarly);
  return finalists.length > 0 ? finalists : measurements;
}

/** A variant measured twice keeps its better median. */
function fastest(measurements: readonly Measurement[]): Map<string, number> {
  const medians = new Map<string, number>();
  for (const { subject, median } of measurements)
    medians.set(subject, Math.min(median, medians.get(subject) ?? Number.POSITIVE_INFINITY));
  return medians;
}

function best(measurements: readonly Measurement[]): Measurement | undefined {
  return measurements.toSorted((a, b) => a.median - b.median || compare(a.subject, b.subject))[0];
}

/** Orders texts by code unit, the same on every machine. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
