import type { Code, Edit, Range } from '../code.ts';
import type { Operator } from '../operator.ts';
import { binaries } from './control.ts';

const places = 'one-hot inputs in a case that reaches the place, with several tiles, steps and rows';

const others: Readonly<Record<string, string>> = {
  ...{ '+': '-', '-': '+', '*': '+', '/': '%', '%': '/' },
  ...{ '<<': '>>', '>>': '<<', '&': '|', '|': '&', '^': '|' },
};
const ordered: Readonly<Record<string, string>> = { '-': '-', '/': '/', '%': '%', '<<': '<<', '>>': '>>' };
const near: Readonly<Record<string, string>> = {
  '/': '',
  '%': '',
  '*': '',
  '+': '',
  '<<': '',
  '>>': '',
  '&': '',
};

function exchanged(code: Code): Edit[] {
  return binaries(code, others).map((index) => code.replaceToken(index, others[code.at(index)] ?? ''));
}

function sides(code: Code, index: number): readonly [Range, Range] | undefined {
  const left = code.primary(index - 1, 'ends');
  const right = code.primary(index + 1, 'begins');
  return left && right ? [left, right] : undefined;
}

function swapped(code: Code): Edit[] {
  return binaries(code, ordered).flatMap((index) => {
    const both = sides(code, index);
    return both ? [code.swap(...both)] : [];
  });
}

/** Neighbouring arguments of a call, in each other's place. */
function argumentsSwapped(code: Code): Edit[] {
  return code.calls.flatMap(({ arguments: all }) =>
    all.slice(1).flatMap((range, before) => {
      const own = all[before];
      return own && code.textOf(own) !== code.textOf(range) ? [code.swap(own, range)] : [];
    }),
  );
}

function isWhole(text: string): boolean {
  return /^\d+$/.test(text);
}

/** Numbers beside names that match, across an operator; `change` gives what stands there instead. */
function numbersBeside(code: Code, names: RegExp, change: (value: number) => readonly number[]): Edit[] {
  return binaries(code, { ...near, '-': '' }).flatMap((index) => {
    const both = sides(code, index);
    if (!both) return [];
    const [left, right] = both;
    if (!isWhole(code.textOf(right)) || !names.test(code.textOf(left))) return [];
    return change(Number(code.textOf(right))).map((value) => code.replace(right, `${value}`));
  });
}

const pipeline = /stage|step|phase|slot/i;
const lanes = /lane|thread|warp|half|rank/i;

/** The number of stages one less, where a place in the ring is compared with it or taken modulo. */
function ringShortened(code: Code): Edit[] {
  return code.tokens.flatMap(({ kind, text }, index) =>
    kind === 'word' && /Stages$/.test(text) && ['==', '%', '/', '<'].includes(code.at(index - 1))
      ? [code.replaceToken(index, `(${text} - 1)`)]
      : [],
  );
}

/** Whole numbers that are not beside a name of the pipeline or of a lane: those have operators of their own. */
function constants(code: Code): Edit[] {
  return code.tokens.flatMap(({ kind, text }, index) => {
    if (kind !== 'number' || !isWhole(text) || code.at(index - 1) === '[') return [];
    return [code.replaceToken(index, `${Number(text) + 1}`)];
  });
}

export const arithmetic: readonly Operator[] = [
  {
    name: 'stage-shifted',
    doc: 'a stage, step or phase off by one',
    killer: 'rows of S-1, S, S+1 and more than 3S steps, and several tiles a list',
    find: (code) => [
      ...numbersBeside(code, pipeline, (n) => [n + 1, Math.max(0, n - 1)]),
      ...ringShortened(code),
    ],
  },
  {
    name: 'lane-map-changed',
    doc: 'another lane, warp or thread takes the place',
    killer: places,
    find: (code) => numbersBeside(code, lanes, (n) => [2 * n, n >> 1]),
  },
  { name: 'operator-exchanged', doc: 'another arithmetic operator', killer: places, find: exchanged },
  { name: 'operands-swapped', doc: "two operands in each other's place", killer: places, find: swapped },
  {
    name: 'arguments-swapped',
    doc: "two arguments in each other's place",
    killer: places,
    find: argumentsSwapped,
  },
  { name: 'constant-shifted', doc: 'a number one too large', killer: places, find: constants },
];
