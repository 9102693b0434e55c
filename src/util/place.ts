import { readFileSync } from 'node:fs';

/** `path:line` of the first line that matches, in the first of the files that has one. */
export function findLine(files: readonly string[], pattern: RegExp): string | undefined {
  for (const file of files) {
    const index = readFileSync(file, 'utf8')
      .split('\n')
      .findIndex((line) => pattern.test(line));
    if (index >= 0) return `${file}:${index + 1}`;
  }
  return undefined;
}

/** A word as a text or as the name of a field. */
export function wordAt(word: string): RegExp {
  const escaped = word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`['"\`]${escaped}['"\`]|\\b${escaped}\\s*[:(,]`);
}
