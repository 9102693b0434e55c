import type { Code, Edit } from '../code.ts';
import type { Operator } from '../operator.ts';
import { isAdvice } from './inert.ts';

const edges =
  'a case whose size makes both sides of the condition true, with guard zones around every buffer';

const shifts: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const assignment = /^(?:[-+*/%&|^]|<<|>>)?=$/;
const opposites: Readonly<Record<string, string>> = { '==': '!=', '!=': '==' };

/** Operators between spaces: `<` of a template has none behind it, `*` of a pointer none in front. */
export function binaries(code: Code, wanted: Readonly<Record<string, string>>): number[] {
  return code.tokens.flatMap(({ text, at, kind }, index) => {
    const between = code.text[at - 1] === ' ' && /\s/.test(code.text[at + text.length] ?? '');
    return kind === 'mark' && Object.hasOwn(wanted, text) && between ? [index] : [];
  });
}

function exchanged(code: Code, wanted: Readonly<Record<string, string>>): Edit[] {
  return binaries(code, wanted).map((index) => code.replaceToken(index, wanted[code.at(index)] ?? ''));
}

/** Every condition of an `if`, as if it were always `value`. */
function conditions(code: Code, value: string): Edit[] {
  return code.tokens.flatMap(({ text }, index) => {
    const close = text === 'if' && code.at(index + 1) === '(' ? code.partner(index + 1) : undefined;
    return close === undefined ? [] : [code.replace({ first: index + 2, last: close - 1 }, value)];
  });
}

/** `a ? b : c` as if always b, or always c. */
function choices(code: Code): Edit[] {
  return code.tokens.flatMap(({ text }, index) =>
    text === '?' ? ['|| true ?', '&& false ?'].map((changed) => code.replaceToken(index, changed)) : [],
  );
}

/** Expressions as statements: assignments, increments, and calls of what does not synchronise or only advises. */
function effects(code: Code): Edit[] {
  return code.tokens.flatMap((token, first) => {
    const statement = code.statementAt(first);
    if (!statement || isAdvice(code.textOf(statement))) return [];
    const target = token.kind === 'word' ? code.primary(first, 'begins') : undefined;
    const next = target === undefined ? '' : code.at(target.last + 1);
    const called = next === ';' && code.at(target?.last ?? 0) === ')';
    const effect = ['*', '++', '--'].includes(token.text) || called || assignment.test(next);
    return effect ? [code.replace(statement, ';')] : [];
  });
}

export const control: readonly Operator[] = [
  {
    name: 'bound-shifted',
    doc: 'a bound off by one: < for <=, > for >=, and back',
    killer: edges,
    find: (code) => exchanged(code, shifts),
  },
  {
    name: 'comparison-negated',
    doc: '== for !=, and back',
    killer: edges,
    find: (code) => exchanged(code, opposites),
  },
  {
    name: 'predicate-dropped',
    doc: 'a condition that always holds',
    killer: edges,
    find: (code) => conditions(code, 'true'),
  },
  {
    name: 'branch-dropped',
    doc: 'a condition that never holds',
    killer: edges,
    find: (code) => conditions(code, 'false'),
  },
  {
    name: 'conjunct-loosened',
    doc: '|| for &&, and back',
    killer: edges,
    find: (code) => exchanged(code, { '&&': '||', '||': '&&' }),
  },
  { name: 'choice-fixed', doc: 'one side of ?: whatever the condition', killer: edges, find: choices },
  {
    name: 'statement-dropped',
    doc: 'an assignment or a call left out; not a prefetch',
    killer: 'a case in which what the statement does matters for the result',
    find: effects,
  },
];
