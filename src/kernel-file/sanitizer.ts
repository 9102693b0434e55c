import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** Tools of compute-sanitizer, each with the verdict that its errors stand for. */
export const sanitizers = {
  memcheck: 'out-of-bounds',
  racecheck: 'race',
  initcheck: 'race',
  synccheck: 'race',
} as const;
export type Sanitizer = keyof typeof sanitizers;
export const sanitizerNames = Object.keys(sanitizers) as readonly Sanitizer[];

/** Errors in a log of compute-sanitizer: their number, and the first. */
export function readSanitizerLog(path: string): { readonly errors: number; readonly first: string } {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const lines = text.split('\n').map((line) => line.replace(/^=+ ?/, ''));
  const errors = Number(/(?:ERROR SUMMARY: |RACECHECK SUMMARY: )(\d+)/.exec(text)?.[1] ?? 0);
  const first = lines.find((line) =>
    /^(Error|Invalid|Uninit|Barrier|Warning|Program hit|Misaligned|Address)/.test(line),
  );
  return { errors, first: first ?? `see ${basename(path)}` };
}
