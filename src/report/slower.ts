import type { Rival } from '../model/rival.ts';
import { comparedCases, isSlower, ofSameProblem } from './compared.ts';
import type { Case } from './headline.ts';
import { markdownTable, section } from './markdown.ts';
import { baselinesOf, fastest } from './ranking.ts';

/** Cases in which our best loses to another system by more than the spread of both times, worst first. */
export function slowerSection(cases: readonly Case[], rivals: readonly Rival[]): string[] {
  const inSweeps = cases.flatMap(({ name, workload }) => {
    const [own] = fastest(workload);
    const others = baselinesOf(workload);
    return own ? [{ name, own, others: others.map((one) => ({ ...one, system: one.subject })) }] : [];
  });
  const inProcess = comparedCases(rivals).map((one) => ({
    name: `${one.name}, same process`,
    own: { median: one.own.medianUs, mad: one.own.madUs },
    others: ofSameProblem(one).map(({ system, medianUs, madUs }) => ({
      system,
      median: medianUs,
      mad: madUs,
    })),
  }));
  const compared = [...inSweeps, ...inProcess].filter(({ others }) => others.length > 0);
  if (compared.length === 0) return [];
  const rows = compared
    .flatMap(({ name, own, others }) =>
      others
        .filter((other) => isSlower(own, other))
        .map(({ system, median }) => ({ name, system, factor: own.median / median })),
    )
    .sort((a, b) => b.factor - a.factor)
    .map(({ name, system, factor }) => [name, system, `${factor.toFixed(2)}x`]);
  const rule = 'by more than twice the sum of both median absolute deviations';
  const words =
    rows.length === 0
      ? `In none of ${compared.length} cases is another system faster than our best ${rule}.`
      : `In these of ${compared.length} cases another system is faster than our best ${rule}:`;
  return section(
    '## Cases in which another system is faster',
    [words],
    markdownTable(['case', 'system', 'our time / its time'], rows),
  );
}
