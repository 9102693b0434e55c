import type { EvidenceEffect, EvidenceMeasurement } from '../model/evidence.ts';
import type { ParameterValue } from '../model/parameter.ts';
import { median } from '../util/stats.ts';
import type { Case } from './headline.ts';
import { code, markdownTable, section } from './markdown.ts';
import { fastest } from './ranking.ts';

type Point = Readonly<Record<string, ParameterValue>>;

/** A variant's figure with its point of the space. */
interface Sample {
  readonly seconds: number;
  /** Of a short heat only. */
  readonly brief: boolean;
  /** Parameters that matter for it. */
  readonly active: Point;
  /** All parameters. */
  readonly point: Point;
}

/**
 * Effects of each parameter on a workload's times, largest first. Parameters that had one value are left
 * out. `active`: a variant's parameters that matter; `point`: all of them, the others with the value that they take then.
 */
export function effectsOf(
  measurements: readonly EvidenceMeasurement[],
  active: (variant: string) => Point,
  point: (variant: string) => Point,
): EvidenceEffect[] {
  const samples = fastest({ measurements }).map(
    ({ subject, median, stoppedEarly }): Sample => ({
      seconds: median,
      brief: stoppedEarly ?? false,
      active: active(subject),
      point: point(subject),
    }),
  );
  const [best] = samples;
  if (!best) return [];
  return Object.keys(best.active)
    .map((parameter) => effectOf(parameter, best, samples))
    .filter(({ values }) => values.length > 1)
    .sort((a, b) => costOf(b) - costOf(a));
}

function effectOf(parameter: string, best: Sample, samples: readonly Sample[]): EvidenceEffect {
  const own = best.active[parameter] as ParameterValue;
  const able = samples.filter(({ active }) => parameter in active);
  const tally = new Map<ParameterValue, Sample[]>();
  for (const sample of able) {
    const value = sample.active[parameter] as ParameterValue;
    tally.set(value, [...(tally.get(value) ?? []), sample]);
  }
  const partners = new Map(
    able.filter(({ active }) => active[parameter] === own).map((one) => [keyOf(one, parameter), one]),
  );
  const values = [...tally].map(([value, those]) => {
    const ratios = those.flatMap((one) => {
      const partner = value === own ? undefined : partners.get(keyOf(one, parameter));
      return partner ? [one.seconds / partner.seconds] : [];
    });
    const loss = Math.max(0, (those[0]?.seconds ?? 0) / best.seconds - 1); // a brief figure may be better by chance
    return {
      value,
      variants: those.length,
      loss: rounded(loss),
      ...(ratios.length > 0 && { pairs: ratios.length, ratio: rounded(median(ratios)) }),
    };
  });
  return { parameter, best: own, values: values.sort((a, b) => a.loss - b.loss) };
}

/** All other parameters, and whether it was timed briefly: equal for variants that may be compared. */
function keyOf({ point, brief }: Sample, parameter: string): string {
  return JSON.stringify([brief, { ...point, [parameter]: null }]);
}

function rounded(value: number): number {
  return Math.round(1e4 * value) / 1e4;
}

/** Slowdown of the worst value, all other parameters free. */
function costOf({ values }: EvidenceEffect): number {
  return Math.max(...values.map(({ loss }) => loss));
}

/** Gain by parameter: a line per parameter for all cases, and the figures behind it per case, folded. */
export function effectsSection(cases: readonly Case[]): string[] {
  const known = cases.filter(({ workload }) => (workload.effects ?? []).length > 0);
  if (known.length === 0) return [];
  return [
    ...section('## Effect of each parameter', overview(known), legend),
    ...known.flatMap(({ name, workload }) => [
      `<details><summary>${name}</summary>`,
      '',
      ...details(workload.effects ?? []),
      '',
      '</details>',
      '',
    ]),
  ];
}

const legend = [
  'Each cell: the best value, and the slowdown of the best variant with the worst value instead, all other parameters free.',
  'Folded below, per case:',
  '',
  '- best with it: the same slowdown for every value',
  '- alone: time with the value / time with the best value, as a median, and the number of pairs. A pair differs in this parameter alone and was timed equally long; without pairs there is no figure',
];

function overview(cases: readonly Case[]): string[] {
  const worth = new Map<string, number>();
  for (const effect of cases.flatMap(({ workload }) => workload.effects ?? []))
    worth.set(effect.parameter, Math.max(worth.get(effect.parameter) ?? 0, costOf(effect)));
  const parameters = [...worth].toSorted((a, b) => b[1] - a[1]).map(([name]) => name);
  const rows = parameters.map((parameter) => [
    code(parameter),
    ...cases.map(({ workload }) => {
      const effect = workload.effects?.find((one) => one.parameter === parameter);
      return effect ? `${effect.best}, ${percent(costOf(effect))}` : '-';
    }),
  ]);
  return markdownTable(['parameter', ...cases.map(({ name }) => name)], rows);
}

function details(effects: readonly EvidenceEffect[]): string[] {
  const rows = effects.flatMap(({ parameter, best, values }) =>
    values.map(({ value, variants, loss, pairs, ratio }) => [
      code(parameter),
      `${value}${value === best ? ' (best)' : ''}`,
      String(variants),
      percent(loss),
      ratio === undefined ? '-' : `${ratio.toFixed(3)}x (${pairs})`,
    ]),
  );
  return markdownTable(['parameter', 'value', 'variants', 'best with it', 'alone'], rows);
}

function percent(share: number): string {
  return share < 5e-4 ? '0 %' : `+${(100 * share).toFixed(1)} %`;
}
