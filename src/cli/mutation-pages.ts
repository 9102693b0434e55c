import { writeFileSync } from 'node:fs';
import { putBetweenMarks } from '../mutate/document.ts';
import { mutationPage } from '../mutate/report.ts';
import { ResultsFile } from '../mutate/results-file.ts';
import { inPlaceOrder, resultsTable } from '../mutate/results-table.ts';
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

/** Pages of stored results of `gen mutate`, one file for each family. The same files always give the same bytes. */
export function mutationPages(paths: readonly string[], { markdown, table }: MutationPages): number {
  const files = paths.map((path) => ResultsFile.open(path));
  for (const { info, results } of files) {
    const page = mutationPage(info, inPlaceOrder(results));
    if (markdown !== undefined) putBetweenMarks(markdown, info.family, page);
    else if (table === undefined) print(page);
  }
  if (table !== undefined) onDisk(`write ${table}`, () => writeFileSync(table, resultsTable(files)));
  return exitCode.done;
}
