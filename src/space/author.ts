import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, UsageError } from '../errors.ts';
import { findLine } from '../util/place.ts';

/** Places in a family author's files: each message about a mistake of theirs begins with one. */
export interface Author {
  /** The family's `family.ts`. */
  readonly file: string;
  /** `/x/family.ts:12` for the first line of the family's TypeScript that matches; the file alone where none does. */
  find(pattern: RegExp): string;
  /** The place at which an error came out of the family's code, by its stack. */
  blame(error: Error): string | undefined;
}

/** The author of the family in a folder. Files are read when a mistake is to be told. */
export function authorOf(folder: string): Author {
  const file = join(folder, 'family.ts');
  return {
    file,
    find: (pattern) => findLine(scriptsIn(folder), pattern) ?? file,
    blame: (error) => frameIn(folder, error.stack ?? ''),
  };
}

/** `family.ts` first. */
function scriptsIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.ts') && name !== 'family.ts');
  return ['family.ts', ...names.toSorted()].map((name) => join(folder, name));
}

/** `path:line` of the innermost frame that lies in the folder. Lines survive the loader's translation, columns do not. */
export function frameIn(folder: string, stack: string): string | undefined {
  const frame = stack.split('\n').find((line) => /^\s*at /.test(line) && line.includes(`${folder}/`));
  if (frame === undefined) return undefined;
  const [, line] = /:(\d+):\d+\)?$/.exec(frame) ?? [];
  const path = frame.slice(frame.indexOf(`${folder}/`)).replace(/:\d+:\d+\)?$/, '');
  return line === undefined ? undefined : `${path}:${line}`;
}

/** The UsageError for whatever the family's code threw. `doing`: `derive() of my_op.t64`. */
export function thrownBy(author: Author, at: RegExp, doing: string, thrown: unknown): UsageError {
  if (!(thrown instanceof Error))
    return new UsageError(`${author.find(at)}: ${doing} threw ${messageOf(thrown)}`);
  const place = author.blame(thrown) ?? author.find(at);
  const kind = thrown.name === 'Error' || thrown instanceof UsageError ? '' : `${thrown.name}: `;
  return new UsageError(`${place}: ${doing} threw: ${kind}${messageOf(thrown)}`, { cause: thrown });
}
