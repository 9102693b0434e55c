import { hashOf } from '../util/hash.ts';
import { Code, type Edit } from './code.ts';
import { operators } from './operators/index.ts';
import { closedRegions, type Region, unreached } from './regions.ts';
import { lineAt } from './tokens.ts';

/** A text that mutants are made of. */
export interface Subject {
  /** Name in reports: the header's as it is included, or the template of a rendered source. */
  readonly file: string;
  readonly text: string;
  /** A header is mutated where these words, those of the source that includes it, reach it. Absent: everywhere. */
  readonly reachedFrom?: ReadonlySet<string>;
}

/** A text with one defect. */
export interface Mutant {
  /** The same whenever the same change is made of the same lines for the same path. */
  readonly id: string;
  readonly operator: string;
  readonly file: string;
  /** In `file`, from 1. */
  readonly line: number;
  /** The lines that change, and what they become. */
  readonly before: string;
  readonly after: string;
  /** The whole text; absent where it is a number of the launch that changes. */
  readonly text?: string;
  readonly launch?: Readonly<Record<string, number>>;
}

/** All mutants of a text, in order of operators and places; each text once. */
export function mutantsOf(subject: Subject): Mutant[] {
  const code = new Code(subject.text);
  const closed = [
    ...closedRegions(code),
    ...(subject.reachedFrom ? unreached(code, subject.reachedFrom) : []),
  ];
  const seen = new Set<string>();
  return operators.flatMap((operator) =>
    operator.find(code).flatMap((edit) => {
      const key = JSON.stringify(edit);
      if (seen.has(key) || isClosed(edit, closed)) return [];
      seen.add(key);
      const mutant = mutantOf(subject, operator.name, edit);
      return mutant ? [mutant] : [];
    }),
  );
}

function isClosed({ at, length }: Edit, regions: readonly Region[]): boolean {
  return regions.some(
    ({ begin, end }) => at < end && at + length > begin && !(at < begin && at + length >= end),
  );
}

function mutantOf({ file, text }: Subject, operator: string, edit: Edit): Mutant | undefined {
  const changed = text.slice(0, edit.at) + edit.text + text.slice(edit.at + edit.length);
  if (changed === text) return undefined;
  const begin = text.lastIndexOf('\n', edit.at - 1) + 1;
  const next = text.indexOf('\n', edit.at + edit.length);
  const end = next < 0 ? text.length : next;
  const before = text.slice(begin, end);
  const after = changed.slice(begin, end + edit.text.length - edit.length);
  const line = lineAt(text, edit.at);
  // Equal lines of one text are told apart by how many came before.
  const nth = text.slice(0, begin).split(before).length;
  const id = hashOf(operator, file, before, after, `${nth}`).slice(0, 12);
  return { id, operator, file, line, before: trimmed(before), after: trimmed(after), text: changed };
}

/** Lines without the spaces that all of them begin with. */
function trimmed(text: string): string {
  const lines = text.split('\n');
  const indents = lines
    .filter((line) => line.trim() !== '')
    .map((line) => line.length - line.trimStart().length);
  const common = Math.min(...indents, 200);
  return lines
    .map((line) => line.slice(common).trimEnd())
    .join('\n')
    .trimEnd();
}

export const launchOperator = 'launch-changed';

/** Numbers that the launch takes from the variant, each a little wrong. */
export function launchMutants(values: Readonly<Record<string, unknown>>): Mutant[] {
  const changes: readonly (readonly [string, number])[] = [
    ['threads', -32],
    ['threads', 32],
    ['sharedBytes', -128],
  ];
  return changes.flatMap(([name, by]) => {
    const value = values[name];
    if (typeof value !== 'number' || value + by <= 0) return [];
    const [before, after] = [`${name} = ${value}`, `${name} = ${value + by}`];
    return [
      {
        id: hashOf(launchOperator, name, before, after).slice(0, 12),
        operator: launchOperator,
        file: 'launch',
        line: 1,
        before,
        after,
        launch: { [name]: value + by },
      },
    ];
  });
}
