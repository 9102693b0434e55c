import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { UsageError } from '../errors.ts';
import { type Judged, nameOf } from './junit.ts';
import { placesIn } from './places.ts';

/** A finding that is known: what was said, without numbers, and the lines it was said of, as they stood. */
const findingSchema = z.strictObject({
  file: z.string(),
  kernel: z.string(),
  verdict: z.string(),
  message: z.string(),
  lines: z.array(z.string()),
});
export type Finding = Readonly<z.infer<typeof findingSchema>>;

const baselineSchema = z.strictObject({ schema: z.literal(1), findings: z.array(findingSchema) });

/** The findings of a baseline file; undefined where there is none yet. */
export function readBaseline(path: string): readonly Finding[] | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return baselineSchema.parse(JSON.parse(readFileSync(path, 'utf8'))).findings;
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new UsageError(`${path} is no baseline of validate: ${why}; delete it to record a new one`);
  }
}

export function baselineText(findings: readonly Finding[]): string {
  return `${JSON.stringify({ schema: 1, findings }, null, 2)}\n`;
}

/** A kernel's findings to record; none if it passed or was not checked. Lines move without becoming new findings. */
export function findingsOf(one: Judged, file: string): readonly Finding[] {
  if (!('verdict' in one) || one.verdict.verdict === 'passed') return [];
  const { verdict, evidence } = one.verdict;
  const seen = z.array(z.object({ kind: z.string(), message: z.string() })).safeParse(evidence.findings);
  const messages = seen.success
    ? seen.data.map(({ kind, message }) => `${kind}: ${message}`)
    : [evidence.message];
  const findings = messages.map((message) => ({
    ...{ file, kernel: nameOf(one), verdict, message: withoutNumbers(message) },
    lines: placesIn(message, file).map(({ uri, line }) => lineAt(uri, line)),
  }));
  return [...new Map(findings.map((finding) => [keyOf(finding), finding])).values()];
}

function withoutNumbers(message: string): string {
  return message.replaceAll(/0x[\da-f]+|-?\d+(\.\d+)?(e[-+]?\d+)?/g, 'N');
}

function lineAt(path: string, line: number): string {
  const full = resolve(path);
  return existsSync(full) ? (readFileSync(full, 'utf8').split('\n')[line - 1]?.trim() ?? '') : '';
}

export function keyOf({ file, kernel, verdict, message, lines }: Finding): string {
  return JSON.stringify([file, kernel, verdict, message, lines]);
}

/** Whether all that was found in a kernel is in the baseline. */
export function isKnown(one: Judged, file: string, baseline: readonly Finding[]): boolean {
  const findings = findingsOf(one, file);
  const known = new Set(baseline.map(keyOf));
  return findings.length > 0 && findings.every((finding) => known.has(keyOf(finding)));
}

/** Recorded findings of this file that are there no more, of the kernels that were checked. */
export function staleFindings(
  all: readonly Judged[],
  file: string,
  baseline: readonly Finding[],
): readonly Finding[] {
  const checked = new Set(all.filter((one) => 'verdict' in one).map(nameOf));
  const found = new Set(all.flatMap((one) => findingsOf(one, file)).map(keyOf));
  return baseline.filter((one) => one.file === file && checked.has(one.kernel) && !found.has(keyOf(one)));
}
