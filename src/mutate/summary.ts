import { grouped } from '../util/grouped.ts';
import { dateText, percent, table } from './report.ts';
import type { MutantResult, MutationInfo } from './result.ts';
import { score, tally } from './score.ts';

interface Results {
  readonly info: MutationInfo;
  readonly results: readonly MutantResult[];
}

/** Table of the scores of several families, one line each and one for all. Shares are of the defects, those of arguments of the mutants tried. */
export function summaryTable(files: readonly Results[]): string {
  const together = files.flatMap(({ results }) => results);
  const full = together.some(({ depth }) => depth === 'full');
  const lines = files.map(({ info, results }) => [
    info.family,
    dateText(info),
    ...counts(info.mutants, results, full),
  ]);
  const mutants = files.reduce((sum, { info }) => sum + info.mutants, 0);
  return table(head(full), [...lines, ['**all**', '', ...counts(mutants, together, full)]]);
}

function head(full: boolean): readonly string[] {
  return [
    'family',
    'date and commit',
    'mutants tried, of all',
    'defects',
    'killed at quick',
    ...(full ? ['killed at full'] : []),
    'survived',
    'argued to be equivalent',
  ];
}

function counts(mutants: number, results: readonly MutantResult[], full: boolean): readonly string[] {
  const found = tally(results);
  const { killed, quick, survived, argued } = found;
  return [
    `${grouped(results.length)} of ${grouped(mutants)}`,
    grouped(killed + survived),
    `${grouped(quick)} (${percent(score(found, 'quick'))})`,
    ...(full ? [`${grouped(killed)} (${percent(score(found))})`] : []),
    grouped(survived),
    `${grouped(argued)} (${percent(argued / Math.max(1, results.length))})`,
  ];
}
