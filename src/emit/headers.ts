import { readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { UsageError } from '../errors.ts';

/**
 * Headers of a folder that texts of it include, directly or not, as paths in that folder. A header is looked for beside the
 * includer, then in the folder; what is found in neither is not the folder's own. Conditions are not evaluated.
 */
export function ownHeaders(folder: string, texts: readonly string[]): string[] {
  const seen = new Set<string>();
  const visit = (text: string, includer: string) => {
    for (const [, name = ''] of text.matchAll(/^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]/gm)) {
      const found = [join(dirname(includer), name), name].find((path) => isFile(join(folder, path)));
      if (found === undefined) continue;
      const path = relative(folder, join(folder, found));
      if (path.startsWith('..')) throw strayHeader(join(folder, includer), name, folder);
      if (seen.has(path)) continue;
      seen.add(path);
      visit(readFileSync(join(folder, path), 'utf8'), path);
    }
  };
  for (const text of texts) visit(text, '.');
  return [...seen].toSorted();
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function strayHeader(includer: string, name: string, folder: string): UsageError {
  return new UsageError(
    `${includer} includes "${name}", which lies outside of ${folder}: the library takes along what is in that folder; move the header there`,
  );
}
