import { EnvironmentError } from '../errors.ts';
import type { RunResult } from '../exec/executor.ts';
import type { VerdictName } from '../model/verdict.ts';

/** Why a compiler did not give an object: the kernel's fault, as a verdict. */
export interface Refusal {
  readonly verdict: Extract<VerdictName, 'compile' | 'resources'>;
  readonly message: string;
}

/** The source is at fault when the compiler points at it. */
const pointsAtSource = /(?:\(\d+\)|:\d+(?::\d+)?|line \d+)\s*[:;]\s*(?:catastrophic |fatal )?error/;
const tooBig = /uses too much (?:shared data|\w+ data)|\(C7600\)|Register allocation failed/;
/** The machine is at fault, whatever else is said. */
const machine: readonly [RegExp, string][] = [
  [/No space left on device|Disk quota exceeded/, 'there is no space left on the disk; free some'],
  [
    /[Ff]ailed to preprocess host compiler|Cannot find compiler/,
    'nvcc finds no usable g++; see `npx gen doctor`',
  ],
  [/unsupported GNU version/, 'nvcc does not take this version of g++; name another with CXX'],
  [/Unsupported gpu architecture/, 'this CUDA toolkit is too old; a 13.0 toolkit is needed'],
  [
    /Read-only file system|could not be opened/,
    'the folder of artifacts cannot be written; name another with --out',
  ],
  [/[Cc]annot allocate memory|out of memory/, 'there is not enough memory; lower --jobs'],
];

/**
 * Tells a kernel that the compiler refuses from a compiler that fails. Undefined where the answer is neither: the
 * compiler then has to show on a source known to be good whether it works at all.
 */
export function diagnose(result: RunResult, limitSeconds: number): Refusal | undefined {
  if (result.timedOut) {
    return { verdict: 'compile', message: `the compiler had not finished after ${limitSeconds} s` };
  }
  const text = `${result.stderr}\n${result.stdout}`;
  blameMachine(text);
  if (tooBig.test(text)) return { verdict: 'resources', message: firstError(text) };
  if (pointsAtSource.test(text)) return { verdict: 'compile', message: firstError(text) };
  return undefined;
}

/** Throws an EnvironmentError where what a compiler said is the machine's fault, whatever it was to compile. */
export function blameMachine(text: string): void {
  const fault = machine.find(([pattern]) => pattern.test(text));
  if (fault) throw new EnvironmentError(`cannot compile: ${fault[1]} (${firstError(text)})`);
}

/** The line that matters to a reader: the first that speaks of an error, without the folder of the file it names. */
export function firstError(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  const line =
    lines.find((candidate) => /\berror\b|\bfatal\b/i.test(candidate)) ?? lines.find((l) => l !== '');
  return (line ?? 'the compiler said nothing').replace(/(?:\/[^\s:(]+)+\/(?=[^/\s]+)/, '').slice(0, 400);
}

/** How a process ended, in words. */
export function ending({ exitCode, endedBy }: RunResult): string {
  return endedBy === undefined ? `ended with code ${exitCode}` : `was ended by ${endedBy}`;
}
