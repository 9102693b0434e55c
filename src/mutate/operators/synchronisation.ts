import type { Call, Code, Edit, Range } from '../code.ts';
import type { Operator } from '../operator.ts';
import { areInitialisations, isAdvice } from './inert.ts';

const schedules =
  'the race detector, on a case where both sides touch the same data: several tiles, rows longer than the ring';

/** Parts of the names of calls that order threads or copies. */
const ordering = ['__sync', 'bar_', 'mbarrier', 'commit', 'wait', 'cluster_', 'griddep', 'elect', 'turn'];
const fencing = ['fence'];

function calls(code: Code, parts: readonly string[]): Call[] {
  return code.calls.filter(({ name }) => parts.some((part) => name.includes(part)));
}

/** Calls that order something and are statements of their own. */
function statements(code: Code): Range[] {
  return calls(code, [...ordering, ...fencing]).flatMap(({ statement }) => statement ?? []);
}

function dropped(code: Code, parts: readonly string[]): Edit[] {
  return calls(code, parts).flatMap(({ statement }) =>
    statement && !isAdvice(code.textOf(statement)) ? [code.replace(statement, ';')] : [],
  );
}

function movedDown(code: Code): Edit[] {
  return statements(code).flatMap((own) => {
    const next = code.wholeStatementAt(own.last + 1);
    return next ? exchanged(code, own, next) : [];
  });
}

/** Two statements in the other order, unless that is all the same. */
function exchanged(code: Code, first: Range, second: Range): Edit[] {
  return areInitialisations(code.textOf(first), code.textOf(second)) ? [] : [code.swap(first, second)];
}

function movedUp(code: Code): Edit[] {
  return statements(code).flatMap((own) => {
    const before = statementEndingAt(code, own.first - 1);
    return before ? exchanged(code, before, own) : [];
  });
}

/** The statement whose last token is at `last`, with the conditions and loops whose whole body it is. */
function statementEndingAt(code: Code, last: number): Range | undefined {
  if (code.at(last) !== ';') return undefined;
  for (let first = last - 1; first >= 0; first--) {
    if (code.statementAt(first)?.last === last) return { first: headOf(code, first), last };
    if (code.at(first) === ';') return undefined;
    if (code.at(first) === '}' || code.at(first) === ')') first = code.partner(first) ?? first;
  }
  return undefined;
}

/** The first `if`, `for` or `while` of those in a row that lead to the statement at `first`. */
function headOf(code: Code, first: number): number {
  const open = code.at(first - 1) === ')' ? code.partner(first - 1) : undefined;
  if (open === undefined) return first;
  const keyword = code.at(open - 1) === 'constexpr' ? open - 2 : open - 1;
  return ['if', 'for', 'while'].includes(code.at(keyword)) ? headOf(code, keyword) : first;
}

function shifted(code: Code, range: Range, by: number): Edit[] {
  const text = code.textOf(range);
  return [`(${text}) + ${by}`, `(${text}) - ${by}`].map((changed) => code.replace(range, changed));
}

/** Counts stand in angle brackets, and last in what sets a barrier up or tells it how many bytes will come. */
function countChanged(code: Code): Edit[] {
  return calls(code, ordering).flatMap(({ name, templateArguments, arguments: all }) => {
    const last = all.at(-1);
    const counted = /init|expect/.test(name) && all.length > 1 && last ? [last] : [];
    return [...templateArguments, ...counted].flatMap((range) => shifted(code, range, 1));
  });
}

function parityChanged(code: Code): Edit[] {
  const waits = calls(code, ['wait']).flatMap(({ arguments: all }) => {
    const parity = all.at(-1);
    return all.length > 1 && parity ? [code.replace(parity, `(${code.textOf(parity)}) ^ 1`)] : [];
  });
  const flips = code.tokens.flatMap(({ text }, index) =>
    text === '^=' && code.at(index + 1) === '1' ? [code.replaceToken(index + 1, '0')] : [],
  );
  return [...waits, ...flips];
}

function registersChanged(code: Code): Edit[] {
  return calls(code, ['setmaxnreg']).flatMap(({ templateArguments }) =>
    templateArguments.flatMap((range) => shifted(code, range, 8)),
  );
}

export const synchronisation: readonly Operator[] = [
  {
    name: 'sync-dropped',
    doc: 'a barrier, wait, arrival or commit left out; not what starts the next kernel early',
    killer: schedules,
    find: (code) => dropped(code, ordering),
  },
  {
    name: 'fence-dropped',
    doc: 'a fence left out',
    killer: 'a rule of the emulated device that asks for this fence',
    find: (code) => dropped(code, fencing),
  },
  {
    name: 'sync-late',
    doc: 'a synchronising call behind the statement after it; not two initialisations of barriers',
    killer: schedules,
    find: movedDown,
  },
  {
    name: 'sync-early',
    doc: 'a synchronising call in front of the statement before it; not two initialisations of barriers',
    killer: schedules,
    find: movedUp,
  },
  {
    name: 'count-changed',
    doc: 'a count of threads, arrivals, groups or bytes off by one',
    killer: schedules,
    find: countChanged,
  },
  { name: 'parity-changed', doc: 'a parity that is the other one', killer: schedules, find: parityChanged },
  {
    name: 'registers-changed',
    doc: 'another number of registers handed over by setmaxnreg',
    killer: 'registers of all warpgroups against what the launch gives the block',
    find: registersChanged,
  },
];
