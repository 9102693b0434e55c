import type { AnyFamily } from '../model/family.ts';
import type { Measurement } from '../model/measurement.ts';
import type { Selection } from '../model/selection.ts';
import type { Source } from '../model/variant.ts';
import type { FamilyWisdom } from '../model/wisdom.ts';
import type { Workload } from '../model/workload.ts';
import { select } from './policy.ts';
import { holding } from './wisdom.ts';

/**
 * Chooses from what passed the gate: by this run's times, else by wisdom as far as it holds, else by the family's priority.
 * `remark` is told what of the wisdom is used, and what is not and why. `passed`: each variant's source is that of its artifacts.
 */
export function selectPassed(
  family: AnyFamily,
  passed: readonly { readonly artifacts: readonly { readonly source: Source }[] }[],
  measurements: readonly Measurement[],
  options: {
    readonly workloads: readonly Workload[];
    readonly guessed?: readonly Workload[];
    readonly wisdom?: FamilyWisdom | undefined;
    readonly accuracy?: number | undefined;
    readonly remark: (text: string) => void;
  },
): Selection {
  const { workloads, guessed, wisdom, accuracy, remark } = options;
  const sources = passed.flatMap(({ artifacts }) => artifacts[0]?.source ?? []);
  const hashes = new Map(sources.map(({ variant, hash }) => [variant.id, hash]));
  const known = wisdom && holding(wisdom, hashes, workloads);
  const variants = sources.map(({ variant }) => variant);
  const selection = select(family, variants, measurements, { workloads, guessed, accuracy, known });
  for (const { workload, lessAccurate: worse } of selection.choices)
    if (worse)
      remark(`${workload}: ${worse.variant} is less accurate (rank ${worse.accuracy}) and was passed over`);
  if (!selection.timed) for (const text of known?.remarks ?? []) remark(text);
  const { timings, costs } = wisdom ?? {};
  return { ...selection, ...(timings && { timings: [...timings] }), ...(costs && { costs }) };
}
