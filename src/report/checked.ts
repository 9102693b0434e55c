import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Verdict } from '../model/verdict.ts';
import { fold, plural } from './format.ts';
import { type Judged, nameOf } from './junit.ts';
import { placesIn } from './places.ts';
import { foldAt, type Output, type Paint, paintFor } from './style.ts';

const conflictsShown = 3;

/** Report on a kernel: the verdict, the lines of the source that it names, the command that reproduces it. */
export function checkedReport(one: Judged, file: string, output: Output): string {
  const paint = paintFor(output);
  const width = foldAt(output);
  const head = `${basename(file)}  ${paint('strong', nameOf(one))}`;
  if ('refusal' in one)
    return `${head}: ${paint('warn', 'not checked')}\n${fold(`  ${one.refusal}`, width, 2)}\n`;
  const { verdict, evidence } = one.verdict;
  const lines =
    verdict === 'passed'
      ? [`${head}: ${paint('good', 'passed')}  ${summary(one.verdict)}`]
      : [
          `${head}: ${one.known ? paint('warn', `${verdict}, known`) : paint('bad', verdict)}`,
          fold(`  ${evidence.message}`, width, 2),
          ...quotations(evidence.message, file, paint),
        ];
  if (typeof evidence.advice === 'string') lines.push(fold(`  ${paint('warn', evidence.advice)}`, width, 2));
  lines.push(...conflicts(evidence.bankConflicts, paint));
  if (evidence.reproduce !== undefined) lines.push(`  ${paint('faint', `$ ${evidence.reproduce}`)}`);
  return `${lines.join('\n')}\n`;
}

function summary({ evidence }: Verdict): string {
  const { cases = 0, launches, maxErrorOverBound: worst = 0 } = evidence;
  const error = worst > 0 ? `, error/bound ${worst.toPrecision(2)}` : '';
  return `${plural(cases, 'case')}, ${plural(Number(launches), 'launch').replace(/launchs$/, 'launches')}${error}`;
}

/** The lines that a message names, as they stand in the source. */
function quotations(message: string, file: string, paint: Paint): string[] {
  const places = new Map(placesIn(message, file).map((one) => [`${one.uri}:${one.line}`, one]));
  return [...places.values()]
    .toSorted((a, b) => a.line - b.line)
    .flatMap(({ uri, line }) => {
      const text = existsSync(uri) ? readFileSync(uri, 'utf8').split('\n')[line - 1] : undefined;
      return text === undefined ? [] : [paint('faint', `  ${String(line).padStart(5)} | ${text.trimEnd()}`)];
    });
}

interface Conflict {
  readonly line: string;
  readonly accesses: number;
  readonly wavefronts: number;
  readonly conflicts: number;
}

/** Lines whose accesses to shared memory take the banks more than once. */
function conflicts(found: unknown, paint: Paint): string[] {
  if (!Array.isArray(found)) return [];
  return (found as Conflict[]).slice(0, conflictsShown).map(({ line, accesses, wavefronts }) => {
    const ways = (wavefronts / accesses).toFixed(1).replace(/\.0$/, '');
    return paint('warn', `  bank conflicts at ${line}: ${ways} passes for each access of a warp`);
  });
}
