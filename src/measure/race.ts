import type { Measurement } from '../model/measurement.ts';

/** Variants worth careful timing: those within `keep` times the fastest, at most `finalists` of them. */
export function finalists(
  heats: readonly Measurement[],
  { finalists, keep }: { readonly finalists: number; readonly keep: number },
): ReadonlySet<string> {
  const plausible = heats.filter(({ kind, rejected }) => kind === 'variant' && rejected === undefined);
  const ranked = plausible.sort((a, b) => a.median - b.median);
  const limit = keep * (ranked[0]?.median ?? 0);
  return new Set(
    ranked.slice(0, finalists).flatMap(({ subject, median }) => (median <= limit ? [subject] : [])),
  );
}
