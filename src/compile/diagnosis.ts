import { constants } from 'node:os';
import { EnvironmentError } from '../errors.ts';
import type { RunResult } from '../exec/executor.ts';
import type { VerdictName } from '../model/verdict.ts';

/** A compiler's rejection of a kernel, as a verdict: the kernel is at fault. */
export interface Refusal {
  readonly verdict: Extract<VerdictName, 'compile' | 'resources'>;
  readonly message: string;
}

/**
 * A compiler's end that is no answer. `limit`: of CPU time; `crash`: by a signal of its own making; `killed`: by one from
 * outside, as the kernel sends it when memory is short; `memory`: it was given none; `system`: it was given no process, no file
 * or no byte of one, for now; `stuck`: it took neither CPU nor leave.
 */
export type BadEnd = 'limit' | 'crash' | 'killed' | 'memory' | 'system' | 'stuck';

/** The source is at fault when the compiler points at it. */
const pointsAtSource = /(?:\(\d+\)|:\d+(?::\d+)?|line \d+)\s*[:;]\s*(?:catastrophic |fatal )?error/;
const tooBig = /uses too much (?:shared data|\w+ data)|\(C7600\)|Register allocation failed/;
/** The machine is at fault, whatever else is said. */
const machine: readonly [RegExp, string][] = [
  [/No space left on device|Disk quota exceeded/, 'there is no space left on the disk; free some'],
  [
    // nvcc says so too where a part of its g++ is ended by a signal, which is no want of a g++.
    /^(?!.*signal terminated program).*(?:[Ff]ailed to preprocess host compiler|Cannot find compiler)/s,
    'nvcc finds no usable g++; see `npx gen doctor`',
  ],
  [/unsupported GNU version/, 'nvcc does not take this version of g++; name another with CXX'],
  [/Unsupported gpu architecture/, 'this CUDA toolkit is too old; a 13.0 toolkit is needed'],
  [
    /Read-only file system|could not be opened/,
    'the folder of artifacts cannot be written; name another with --out',
  ],
];

/**
 * Tells a kernel that the compiler refuses from a compiler that fails. Undefined where the answer is neither: the
 * compiler then has to show on a source known to be good whether it works at all.
 */
export function diagnose(result: RunResult): Refusal | undefined {
  const text = `${result.stderr}\n${result.stdout}`;
  blameMachine(text);
  if (tooBig.test(text)) return { verdict: 'resources', message: firstError(text) };
  if (pointsAtSource.test(text)) return { verdict: 'compile', message: firstError(text) };
  return undefined;
}

/** Throws an EnvironmentError where what a compiler said is the machine's fault, whatever it was to compile. */
export function blameMachine(text: string): void {
  const said = compilersWords(text);
  const fault = machine.find(([pattern]) => pattern.test(said));
  if (fault) throw new EnvironmentError(`cannot compile: ${fault[1]} (${firstError(said)})`);
}

/** Diagnostics that pass on what an author wrote for them. */
const authorsWords =
  /static assertion failed|static_assert|#error|#warning|#pragma message|deprecated|declared with attribute/;

/**
 * The lines in which a compiler speaks for itself: without messages of `static_assert` and `#error`, and without quoted source,
 * which is indented as nothing else but the reason of an abort is. An author's words about memory or a disk are none about this machine.
 */
function compilersWords(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^\s(?!\s*what\(\): )/.test(line) && !authorsWords.test(line))
    .join('\n');
}

const crashes = new Set(['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGTRAP', 'SIGSYS']);
const noMemory = /[Cc]annot allocate memory|out of memory|virtual memory exhausted|bad_alloc/;

/** Words of the system about what it cannot give at the moment, and what helps. */
const passing: readonly [RegExp, string][] = [
  [/Resource temporarily unavailable|[Cc]annot fork/, 'raise `ulimit -u` or lower --jobs'],
  [/Too many open files/, 'raise `ulimit -n` or lower --jobs'],
  [/Input\/output error|Stale file handle/, 'see to the disk'],
  [/Text file busy/, 'wait until the compiler is installed'],
];

/** Cure for an end of kind `system`. */
export function cureOf({ stderr }: RunResult): string {
  return passing.find(([pattern]) => pattern.test(compilersWords(stderr)))?.[1] ?? 'lower --jobs';
}

/** Cause of a compiler's end without an answer; undefined if it answered. */
export function badEnd(result: RunResult): BadEnd | undefined {
  if (result.timedOut) return 'stuck';
  if (result.exitCode === 0) return undefined;
  const said = compilersWords(result.stderr);
  const signal = fatalSignal({ ...result, stderr: said });
  if (signal === 'SIGXCPU') return 'limit';
  if (signal !== undefined && !crashes.has(signal)) return 'killed';
  return wantIn(said) ?? (signal === undefined ? undefined : 'crash');
}

/** Kind of what a compiler says that it was not given; one that aborts for want of it says so too. */
function wantIn(said: string): BadEnd | undefined {
  if (noMemory.test(said)) return 'memory';
  return passing.some(([pattern]) => pattern.test(said)) ? 'system' : undefined;
}

/** The signal that ended a compiler or one of its parts: nvcc passes on what a shell says, g++ prints it. */
function fatalSignal({ exitCode = 0, endedBy, stderr }: RunResult): string | undefined {
  if (endedBy !== undefined) return endedBy;
  const byName = /: ([A-Z][\w ]*) signal terminated program/.exec(stderr)?.[1];
  if (byName !== undefined) return signalWords[byName] ?? 'SIGKILL';
  const byNumber = /(?:terminated with|died due to) signal (\d+)/.exec(stderr)?.[1];
  const number = byNumber === undefined ? exitCode - 128 : Number(byNumber);
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
}

/** As the C library names them; any other is taken for one from outside. */
const signalWords: Readonly<Record<string, string>> = {
  'CPU time limit exceeded': 'SIGXCPU',
  'Segmentation fault': 'SIGSEGV',
  Aborted: 'SIGABRT',
  'Bus error': 'SIGBUS',
  'Illegal instruction': 'SIGILL',
  'Floating point exception': 'SIGFPE',
};

/** The line that matters to a reader: the first that speaks of an error, without the folder of the file it names. */
export function firstError(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  const line =
    lines.find((candidate) => /\berror\b|\bfatal\b/i.test(candidate)) ?? lines.find((l) => l !== '');
  return (line ?? 'the compiler said nothing').replace(/(?:\/[^\s:(]+)+\/(?=[^/\s]+)/, '').slice(0, 400);
}

/** A process's exit status in words. */
export function ending({ exitCode, endedBy }: RunResult): string {
  return endedBy === undefined ? `ended with code ${exitCode}` : `was ended by ${endedBy}`;
}
