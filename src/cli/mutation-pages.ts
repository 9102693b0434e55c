import { writeFileSync } from 'node:fs';
import { putBetweenMarks } from '../mutate/document.ts';
import { mutationPage } from '../mutate/report.ts';
import { ResultsFile } from '../mutate/results-file.ts';
import { inPlaceOrder, resultsTable } from '../mutate/results-table.ts';
import { summaryTable } from '../mutate/summary.ts';
import { onDisk } from '../util/disk.ts';
import { exitCode } from './exit.ts';
import { print } from './output.ts';

/** Files that `gen report --mutants` writes. */
export interface MutationPages {
  /** Document with a place for each family; absent: the pages go to stdout. */
  readonly markdown?: string;
  /** One line for each mutant, separated by tabs. */
  readonly table?: string;
}

/** Place in a document of the table of all families. */
const allFamilies = 'all';

/**
 * Pages of stored results of `gen mutate`, one file for each family, and a table of them where there are several. The same files
 * always give the same bytes.
 */
export function mutationPages(paths: readonly string[], { markdown, table }: MutationPages): number {
  const files = paths.map((path) => ResultsFile.open(path));
  if (markdown !== undefined && files.length > 1) putBetweenMarks(markdown, allFamilies, summaryTable(files));
  for (const { info, results } of files) {
    const page = mutationPage(info, inPlaceOrder(results));
    if (markdown !== undefined) putBetweenMarks(markdown, info.family, page);
    else if (table === undefined) print(page);
  }
  if (table !== undefined) onDisk(`write ${table}`, () => writeFileSync(table, resultsTable(files)));
  return exitCode.done;
}
