import type { Choice } from '../model/selection.ts';
import type { FamilyWisdom, WisdomRecord, WisdomRun } from '../model/wisdom.ts';
import type { Workload } from '../model/workload.ts';
import { timedChoice } from './choice.ts';

/** Records of a wisdom that hold for a run, with remarks on the rest. */
export interface Holding {
  readonly records: readonly WisdomRecord[];
  readonly runs: readonly WisdomRun[];
  /** A sentence each on what is used, what must not be used and why, and how much the run cannot use. */
  readonly remarks: readonly string[];
}

/**
 * Part of wisdom that a run may use: records of its workloads whose variant passed its gate and is rendered as it was when
 * timed. `sources`: hash of the source of each variant that passed, by id.
 */
export function holding(
  wisdom: FamilyWisdom,
  sources: ReadonlyMap<string, string>,
  workloads: readonly Workload[],
): Holding {
  const asked = wisdom.records.filter((record) => workloads.some(({ id }) => id === record.workload));
  const fated = (fate: Fate) => asked.filter((record) => fateOf(record, wisdom, sources) === fate);
  const records = fated('used');
  const used = new Set(records.map(({ run }) => run));
  const runs = wisdom.runs.filter(({ id }) => used.has(id));
  const place = `wisdom of ${wisdom.family} for ${wisdom.arch}`;
  const absent = fated('absent').length;
  return {
    records,
    runs,
    remarks: [
      ...[...new Set(runs.map(({ gpu }) => gpu))].map(
        (gpu) =>
          `${place}: ${followed(
            runs.filter((run) => run.gpu === gpu),
            records,
          )}`,
      ),
      ...fated('gone').map(
        ({ workload, variant }) => `${place}, ${workload}: the space no longer has ${variant}`,
      ),
      ...fated('stale').map(
        ({ workload, variant, run }) =>
          `${place}, ${workload}: not used, the source of ${variant} has changed since ${run} timed it`,
      ),
      ...(absent > 0
        ? [
            `${place}: no tuned winner for ${absent} of ${asked.length} workloads among the variants that passed; they are ranked by the family's heuristic (the whole preset shipped has all winners)`,
          ]
        : []),
    ],
  };
}

/** `9 choices follow times of H200, 2026-11-21 to 2026-11-23, 4 runs`: of runs on one model of GPU. */
function followed(runs: readonly WisdomRun[], records: readonly WisdomRecord[]): string {
  const ids = runs.map(({ id }) => id);
  const count = records.filter(({ run }) => ids.includes(run)).length;
  const days = [...new Set(runs.map(({ date }) => date.slice(0, 10)))].toSorted();
  const span = days.length > 1 ? `${days[0]} to ${days.at(-1)}` : days[0];
  const named = ids.length > 1 ? `${ids.length} runs` : ids[0];
  return `${count} ${count === 1 ? 'choice follows' : 'choices follow'} times of ${runs[0]?.gpu}, ${span}, ${named}`;
}

/** Use of a record; `absent`: its variant is not among those that passed here. */
type Fate = 'used' | 'gone' | 'absent' | 'stale';

function fateOf(
  { variant, source }: WisdomRecord,
  { gone }: FamilyWisdom,
  sources: ReadonlyMap<string, string>,
): Fate {
  if (gone.includes(variant)) return 'gone';
  if (!sources.has(variant)) return 'absent';
  return sources.get(variant) === source ? 'used' : 'stale';
}

/** The choice that a record stands for. */
export function knownChoice(workload: Workload, record: WisdomRecord): Choice {
  const { variant, median, best = median, l2, run, baseline } = record;
  const times = { median, best, l2, ...(baseline && { baseline }) };
  return { ...timedChoice(workload, variant, times), measured: run };
}
