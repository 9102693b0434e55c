import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** Tools of compute-sanitizer, each with the verdict that its errors stand for. */
export const sanitizers = {
  memcheck: 'out-of-bounds',
  racecheck: 'race',
  initcheck: 'race',
  synccheck: 'divergence',
} as const;
export type Sanitizer = keyof typeof sanitizers;
export const sanitizerNames = Object.keys(sanitizers) as readonly Sanitizer[];

/** First words of a finding in a log. */
const finding = /^(Error|Invalid|Uninit|Barrier|Warning|Program hit|Misaligned|Address)/;

/**
 * Errors in a log of compute-sanitizer: their number, and the first. A log may hold several summaries, one of them of no errors, and
 * that of a process that was ended holds none: what is listed counts as well.
 */
export function readSanitizerLog(path: string): { readonly errors: number; readonly first: string } {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const lines = text.split('\n').map((line) => line.replace(/^=+ ?/, ''));
  const summaries = [...text.matchAll(/(?:ERROR|RACECHECK) SUMMARY: (\d+)/g)].map(([, count]) =>
    Number(count),
  );
  const listed = lines.filter((line) => finding.test(line));
  return { errors: Math.max(0, ...summaries, listed.length), first: listed[0] ?? `see ${basename(path)}` };
}
