import { existsSync, readdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { EnvironmentError, UsageError } from '../errors.ts';
import { findLine, wordAt } from '../util/place.ts';
import { didYouMean } from '../util/suggest.ts';
import { type Crash, isFromOutside } from './blame.ts';
import type { GateJob, TimeJob, WorkerLine } from './protocol.ts';
import { describeEnding } from './worker.ts';

/** Throws where it cannot be the kernel that ended the worker: none was running, or none has run yet. */
export function mustBeOfKernel({ ending, suspect }: Crash, { variant }: GateJob, folder: string): void {
  if (suspect.phase === 'case') return;
  const place = placeOf(variant.id, suspect.case);
  if (isFromOutside(ending))
    throw new EnvironmentError(
      `something killed or stopped the runner while it prepared ${place}, maybe for want of memory: lower --jobs, or make the problem smaller`,
    );
  if (suspect.launched) return;
  throw new UsageError(
    `${codeOf(folder)}: the family's C++ crashes the runner before any kernel runs: it ${describeEnding(ending)} (${place})`,
  );
}

type Refusal = Extract<WorkerLine, { event: 'error' }>;

/** Subject of a job, as far as messages name it. */
export interface Subject {
  readonly job: Pick<GateJob, 'variant' | 'cases'> | Pick<TimeJob, 'workload' | 'variants'>;
  /** The case that was announced last. */
  readonly case?: string | undefined;
  /** The family's folder. */
  readonly folder: string;
}

/** Whose fault it is that a job cannot be done: of whoever wrote the family or a file that it names, of the machine, or ours. */
export function refusal(line: Refusal, { job, case: item, folder }: Subject): Error {
  const variants = 'variant' in job ? [job.variant] : job.variants;
  const variant = 'variant' in job ? job.variant.id : line.variant;
  const place = placeOf(variant, 'variant' in job ? item : job.workload.id);
  const { blame: guilty, message } = line;
  if (guilty === 'memory')
    return new EnvironmentError(
      `there is not enough memory for ${place}: ${message}; lower --jobs, or make the problem smaller`,
    );
  if (guilty === 'dump')
    return new EnvironmentError(
      `cannot write what --dump asks for: ${message} (${place}); free space there, or name another folder with --dump`,
    );
  if (guilty === 'size') return new UsageError(`${message} (${place})`);
  const given = guilty === 'problem' && 'variant' in job ? fileNamedIn(message, job.cases, item) : undefined;
  if (given !== undefined) return new UsageError(`${message} (${place})`);
  if (guilty === 'problem') {
    const at = item === undefined ? undefined : findLine(filesOf(folder, '.ts'), wordAt(item));
    return new UsageError(
      `${at ?? join(folder, 'family.ts')}: the family asks for a problem that its oracle refuses: ${message} (${place})`,
    );
  }
  if (guilty !== 'family') return new Error(`the runner cannot do a job: ${message}`);
  const known = variants.find(({ id }) => id === variant)?.parameters ?? {};
  return mistake(line, { folder, place, parameters: Object.keys(known) });
}

/** A file that the case's problem names and the message is about: it is at fault, whoever named it. */
function fileNamedIn(message: string, cases: GateJob['cases'], id: string | undefined): string | undefined {
  const problem = cases.find((one) => one.id === id)?.problem;
  return textsIn(problem).find((text) => isAbsolute(text) && message.includes(text));
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** A mistake in the family's C++, with the line that names the parameter, or the function. */
function mistake(
  { message, function: called = '', parameter }: Refusal,
  { folder, place, parameters }: { folder: string; place: string; parameters: readonly string[] },
): UsageError {
  const files = filesOf(folder, '.hpp');
  const word = parameter === undefined ? new RegExp(`\\b${called}\\s*\\(`) : new RegExp(`"${parameter}"`);
  const at = findLine(files, word) ?? codeOf(folder);
  const known = parameter === undefined || parameters.includes(parameter) ? undefined : parameters;
  const hint = known ? `; there are ${known.join(', ')}${didYouMean(parameter ?? '', known)}` : '';
  return new UsageError(`${at}: ${called}(): ${message}${hint} (${place})`);
}

/** `case 'nan' of my_op.t64`. */
function placeOf(variant: string | undefined, item: string | undefined): string {
  const parts = [item === undefined ? undefined : `case '${item}'`, variant].filter(
    (part) => part !== undefined,
  );
  return parts.join(' of ') || 'a job';
}

/** The family's own C++: its oracle, where it has one. */
function codeOf(folder: string): string {
  return filesOf(folder, '.hpp')[0] ?? join(folder, 'oracle.hpp');
}

/** The family's files of a kind, those first that most families have. */
function filesOf(folder: string, extension: string): string[] {
  if (!existsSync(folder)) return [];
  const own = ['family.ts', 'oracle.hpp', 'launch.hpp'];
  const rank = (name: string) => (own.includes(name) ? own.indexOf(name) : own.length);
  return readdirSync(folder)
    .filter((name) => name.endsWith(extension))
    .toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map((name) => join(folder, name));
}
