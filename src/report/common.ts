import type { RunEvidence } from '../model/evidence.ts';

/** Parameters in which variants agree and differ. */
export interface Common {
  /** `tileN = 128`: the same in all of them. */
  readonly same: readonly string[];
  /** `stages: 3 (6), 4 (4)`: values, most frequent first, with how many variants have it. */
  readonly differs: readonly string[];
}

/** Compares variants by the parameters that matter for them. Variants that the evidence does not describe are left out. */
export function inCommon(ids: readonly string[], variants: RunEvidence['variants']): Common {
  const described = ids.flatMap((id) => variants[id] ?? []).map(({ parameters }) => parameters);
  const names = [...new Set(described.flatMap((parameters) => Object.keys(parameters)))];
  const counts = names.map((name) => {
    const values = described.map((parameters) => String(parameters[name] ?? '-'));
    const tally = new Map<string, number>();
    for (const value of values) tally.set(value, (tally.get(value) ?? 0) + 1);
    return { name, tally: [...tally].sort((a, b) => b[1] - a[1]) };
  });
  return {
    same: counts.flatMap(({ name, tally }) => (tally.length === 1 ? [`${name} = ${tally[0]?.[0]}`] : [])),
    differs: counts.flatMap(({ name, tally }) =>
      tally.length === 1
        ? []
        : [`${name}: ${tally.map(([value, count]) => `${value} (${count})`).join(', ')}`],
    ),
  };
}
