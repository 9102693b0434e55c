import type { Choice } from '../model/selection.ts';
import type { FamilyWisdom, WisdomRecord, WisdomRun } from '../model/wisdom.ts';
import type { Workload } from '../model/workload.ts';
import { timedChoice } from './choice.ts';

/** What of a wisdom holds for a run, and why the rest does not. */
export interface Holding {
  readonly records: readonly WisdomRecord[];
  readonly runs: readonly WisdomRun[];
  /** What is used, what must not be used and why, and how much the run cannot use: a sentence each. */
  readonly remarks: readonly string[];
}

/**
 * What a run may take from wisdom: records of its workloads whose variant passed its gate and is rendered as it was when it was
 * timed. `sources`: hash of the source of each variant that passed, by id.
 */
export function holding(
  wisdom: FamilyWisdom,
  sources: ReadonlyMap<string, string>,
  workloads: readonly Workload[],
): Holding {
  const asked = wisdom.records.filter((record) => workloads.some(({ id }) => id === record.workload));
  const place = `wisdom of ${wisdom.family} for ${wisdom.arch}`;
  const gone = asked.filter(({ variant }) => wisdom.gone.includes(variant));
  const here = asked.filter((record) => !gone.includes(record));
  const absent = here.filter(({ variant }) => !sources.has(variant));
  const stale = here.filter(({ variant, source }) => (sources.get(variant) ?? source) !== source);
  const records = here.filter((record) => !absent.includes(record) && !stale.includes(record));
  const used = new Set(records.map(({ run }) => run));
  return {
    records,
    runs: wisdom.runs.filter(({ id }) => used.has(id)),
    remarks: [
      ...wisdom.runs.flatMap(({ id, gpu, date }) => {
        const count = records.filter(({ run }) => run === id).length;
        return count > 0
          ? [`${place}: ${count} choices follow times of ${gpu}, ${date.slice(0, 10)}, ${id}`]
          : [];
      }),
      ...gone.map(({ workload, variant }) => `${place}, ${workload}: the space no longer has ${variant}`),
      ...stale.map(
        ({ workload, variant, run }) =>
          `${place}, ${workload}: not used, the source of ${variant} is no longer what was timed in ${run}`,
      ),
      ...(absent.length > 0
        ? [
            `${place}: the winners of ${absent.length} of ${asked.length} workloads are not among what passed here; the family's ranking decides there (the preset shipped has all winners)`,
          ]
        : []),
    ],
  };
}

/** The choice that a record stands for. */
export function knownChoice(workload: Workload, record: WisdomRecord): Choice {
  const { variant, median, l2, run, baseline } = record;
  const times = { median, best: median, l2, ...(baseline && { baseline }) };
  return { ...timedChoice(workload, variant, times), measured: run };
}
