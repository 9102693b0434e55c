import type { RunEvidence } from '../model/evidence.ts';
import { decisiveL2 } from '../model/measurement.ts';
import { type Timing, type Timings, wisdomVersion } from '../model/wisdom.ts';
import type { Workload } from '../model/workload.ts';

/** A run's times on its workloads: every correct variant, also those dropped early. */
export function timingsOf(
  { run, workloads }: RunEvidence,
  featuresOf: (workload: Workload) => Readonly<Record<string, number>>,
): Timing[] {
  return workloads.flatMap(({ id, problem, measurements }) => {
    const l2 = decisiveL2(measurements);
    const valid = measurements.filter(
      (one) => one.kind === 'variant' && one.l2 === l2 && one.rejected === undefined,
    );
    const times = valid.map(({ subject, median }) => [subject, microseconds(median)] as const);
    if (!problem || times.length === 0) return [];
    const features = featuresOf({ id, problem });
    return [{ name: id, features: { ...features }, source: run, times: Object.fromEntries(times) }];
  });
}

function microseconds(seconds: number): number {
  return Number((seconds * 1e6).toPrecision(4));
}

/** Timings with newer ones in the place of those of the same name. */
export function addTimings(
  { family, arch, timings = [] }: Pick<Timings, 'family' | 'arch'> & Partial<Timings>,
  newer: readonly Timing[],
): Timings {
  const all = [...new Map([...timings, ...newer].map((one) => [one.name, one])).values()];
  return { version: wisdomVersion, family, arch, timings: all };
}
