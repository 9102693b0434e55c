import type { Measurement } from '../model/measurement.ts';

/**
 * Variants worth careful timing, at most `finalists`: in turns the next by time and the next by clock cycles, of those within
 * `keep` times the best.
 *
 * By time alone, a variant wins that was lucky with the clock of its short heat: one took 410 us at 1.77 GHz where others had
 * 1.55, and 482 us at 1.49 GHz beside them (H200, blocks of 32 at 8192, …cl2.wd0.cs64… in docs/results/h200-hopper.json and
 * h200-best.json as of cc4502d). By cycles alone, one would be lost that draws less power than others and so runs at a higher
 * clock.
 */
export function finalists(
  heats: readonly Measurement[],
  { finalists, keep }: { readonly finalists: number; readonly keep: number },
): ReadonlySet<string> {
  const plausible = heats.filter(({ kind, rejected }) => kind === 'variant' && rejected === undefined);
  const byTime = within(keep, plausible, ({ median }) => median);
  const byCycles = within(keep, plausible, ({ median, meanSmClock }) => median * (meanSmClock || 1));
  const longest = Math.max(byTime.length, byCycles.length);
  const inTurns = Array.from({ length: longest }, (_, i) => [byTime[i], byCycles[i]]).flat();
  const names = new Set(inTurns.flatMap((one) => one?.subject ?? []));
  return new Set([...names].slice(0, finalists));
}

/** Those that cost at most `keep` times the least, in this order. */
function within(
  keep: number,
  measurements: readonly Measurement[],
  cost: (measurement: Measurement) => number,
): Measurement[] {
  const limit = keep * Math.min(...measurements.map(cost));
  return measurements.filter((one) => cost(one) <= limit).sort((a, b) => cost(a) - cost(b));
}
