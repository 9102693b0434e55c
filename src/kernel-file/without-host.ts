import { resolve } from 'node:path';
import type { Item } from './items.ts';
import { reachable } from './rewrite.ts';
import type { ReadSource } from './source.ts';

type Source = Pick<ReadSource, 'path' | 'text' | 'items'>;

/**
 * The user's file with empty lines in the place of what the named ones do not need, host code above all; preprocessor directives
 * stay, and so do lines that hold a part of something that is needed.
 */
export function withoutHost({ path, text, items }: Source, roots: readonly string[]): string {
  const kept = reachable(items, roots);
  const isOwn = ({ tokens: [first] }: Item) => first !== undefined && resolve(first.file) === resolve(path);
  const own = items.filter((item) => item.kind !== 'system' && isOwn(item));
  const needed = new Set(own.filter((item) => kept.has(item)).flatMap(linesOf));
  const left = new Set(own.filter((item) => !kept.has(item)).flatMap(linesOf));
  const lines = text.split('\n');
  return lines
    .map((line, i) => (left.has(i + 1) && !needed.has(i + 1) && !isDirective(lines, i) ? '' : line))
    .join('\n');
}

/** Numbers of the lines from the first token of a declaration to its last, and a semicolon's behind it. */
function linesOf({ tokens }: Item): number[] {
  const [first] = tokens;
  const last = tokens.at(-1);
  if (!first || !last) return [];
  return Array.from({ length: last.line - first.line + 1 }, (_, i) => first.line + i);
}

/** A directive, or a line that continues one. */
function isDirective(lines: readonly string[], at: number): boolean {
  if (/^\s*#/.test(lines[at] ?? '')) return true;
  return at > 0 && /\\\r?$/.test(lines[at - 1] ?? '') && isDirective(lines, at - 1);
}
