import type { MutantResult, MutationInfo } from './result.ts';

/** Results by path, operator, file, line and id: an order that does not depend on which was tried first. */
export function inPlaceOrder(results: readonly MutantResult[]): MutantResult[] {
  const key = ({ path, operator, file, line, id }: MutantResult) =>
    [path, operator, file, `${line}`.padStart(6, '0'), id].join('\t');
  return results.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

const columns = ['family', 'path', 'id', 'operator', 'place', 'outcome', 'depth', 'verdict', 'tier', 'case']
  .concat(['in another variant', 'GPU', 'GPU verdict'])
  .join('\t');

interface Results {
  readonly info: Pick<MutationInfo, 'family'>;
  readonly results: readonly MutantResult[];
}

/** One line for each mutant, separated by tabs, behind a line with the names of the columns. */
export function resultsTable(files: readonly Results[]): string {
  const lines = files.flatMap(({ info, results }) =>
    inPlaceOrder(results).map(({ path, id, operator, file, line, ...one }) =>
      [
        info.family,
        path,
        id,
        operator,
        `${file}:${line}`,
        one.undecided === undefined ? one.outcome : 'undecided',
      ]
        .concat([one.depth ?? '', one.verdict ?? '', `${one.tier ?? ''}`, one.case ?? '', one.killedIn ?? ''])
        .concat([one.gpu?.outcome ?? '', one.gpu?.verdict ?? ''])
        .join('\t'),
    ),
  );
  return [columns, ...lines, ''].join('\n');
}
