import { existsSync } from 'node:fs';
import { join } from 'node:path';

const includeLine = /^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]/gm;

/** Names in the `#include` lines of a text, conditions not evaluated. */
export function includeNames(text: string): string[] {
  return [...text.matchAll(includeLine)].map(([, name = '']) => name);
}

/** The path of a header in the first of the folders that has it. */
export function locateHeader(name: string, folders: readonly string[]): string | undefined {
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
