import { grouped } from '../util/grouped.ts';
import { dateText, percent, table } from './report.ts';
import type { MutantResult, MutationInfo } from './result.ts';
import { score, tally } from './score.ts';

interface Results {
  readonly info: MutationInfo;
  readonly results: readonly MutantResult[];
}

const head = [
  'family',
  'date and commit',
  'mutants tried, of all',
  'defects',
  'killed at quick',
  'killed at full',
  'survived',
  'argued to be equivalent',
];

/** Table of the scores of several families, one line each and one for all. Shares are of the defects, those of arguments of the mutants tried. */
export function summaryTable(files: readonly Results[]): string {
  const lines = files.map(({ info, results }) => [
    info.family,
    dateText(info),
    ...counts(info.mutants, results),
  ]);
  const mutants = files.reduce((sum, { info }) => sum + info.mutants, 0);
  const all = counts(
    mutants,
    files.flatMap(({ results }) => results),
  );
  return table(head, [...lines, ['**all**', '', ...all]]);
}

function counts(mutants: number, results: readonly MutantResult[]): readonly string[] {
  const found = tally(results);
  const { killed, quick, survived, argued } = found;
  return [
    `${grouped(results.length)} of ${grouped(mutants)}`,
    grouped(killed + survived),
    `${grouped(quick)} (${percent(score(found, 'quick'))})`,
    `${grouped(killed)} (${percent(score(found))})`,
    grouped(survived),
    `${grouped(argued)} (${percent(argued / Math.max(1, results.length))})`,
  ];
}
