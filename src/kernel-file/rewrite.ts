import { assemblerEdits } from './assembler.ts';
import { type Edit, edited } from './edits.ts';
import { type Item, markOf } from './items.ts';
import { mustBeSupported } from './refuse.ts';
import { alwaysInline, returnsStruct } from './returns.ts';
import { lineMarker, matching, type Token } from './tokens.ts';
import { deviceMemory, remove, sharedStatements, shareMemory } from './variables.ts';

/**
 * The declarations that the named ones need, directly or not: whatever a kept one mentions by name is kept. Everything else,
 * host code above all, is left out, whether or not it would compile here.
 */
export function reachable(items: readonly Item[], roots: readonly string[]): ReadonlySet<Item> {
  const byName = new Map<string, Item[]>();
  for (const item of items)
    for (const name of item.names) byName.set(name, [...(byName.get(name) ?? []), item]);
  const operators = byName.get('operator') ?? [];
  const kept = new Set(
    items.filter(({ kind }) => kind !== 'function' && kind !== 'variable' && kind !== 'type'),
  );
  const seen = new Set<string>();
  const visit = (words: readonly string[], from: 'caller' | 'item') => {
    for (const word of words) {
      if (seen.has(word)) continue;
      seen.add(word);
      const found = preferDevice(byName.get(word) ?? []);
      for (const item of found)
        if (from === 'caller' || !(isHostCode(item) || isInstantiation(item))) keep(item);
    }
  };
  const keep = (item: Item) => {
    if (kept.has(item)) return;
    kept.add(item);
    visit(mentions(item), 'item');
  };
  visit(roots, 'caller');
  const types = new Set([...kept].filter(({ kind }) => kind === 'type').flatMap(({ names }) => names));
  const isUsed = (word: string) => types.has(word) || (vector.test(word) && seen.has(word));
  for (const item of operators) if (mentions(item).some(isUsed)) keep(item);
  return kept;
}

/** CUDA's vector types, to which sources add operators. */
const vector = /^(u?char|u?short|u?int|u?long|u?longlong|float|double)[1-4]$|^(__)?(half|nv_bfloat16)2$/;

/** Words that may name a declaration at namespace scope: no member behind `.` or `->`. */
function mentions({ tokens }: Item): string[] {
  return tokens
    .filter(({ kind }, i) => kind === 'word' && !/^(\.|->)$/.test(tokens[i - 1]?.text ?? ''))
    .map(({ text }) => text);
}

/** Of a function that exists for the host and for the device, that for the device. */
function preferDevice(items: readonly Item[]): readonly Item[] {
  const marked = items.filter(
    ({ kind, marks }) => kind === 'function' && marks.size > 0 && !isHostOnly(marks),
  );
  return marked.length === 0
    ? items
    : items.filter((item) => item.kind !== 'function' || marked.includes(item));
}

/**
 * Functions of the host that launch kernels or call CUDA's runtime. A kernel that has a variable or parameter of such a name mentions
 * it, but does not call it.
 */
function isHostCode({ kind, marks, tokens }: Item): boolean {
  if (kind !== 'function' || (marks.size > 0 && !isHostOnly(marks))) return false;
  return tokens.some(({ text }, i) => text === '<<<' || (hostCall.test(text) && tokens[i + 1]?.text === '('));
}

/** `template void f<int>(int);`, which the emulated device does not need, and whose template may be host code. */
function isInstantiation({ kind, tokens }: Item): boolean {
  return kind === 'function' && tokens[0]?.text === 'template' && tokens[1]?.text !== '<';
}

const hostCall =
  /^cuda(Malloc|Free|Mem(cpy|set)|Launch|(Device|Stream|Event)[A-Z]|Get(Device|LastError))\w*$/;

function isHostOnly(marks: Item['marks']): boolean {
  return marks.size === 1 && marks.has('host');
}

/** Source for g++ of the kept declarations; lines are those of the user's files. */
export function rewritten(text: string, items: readonly Item[], kept: ReadonlySet<Item>): string {
  return items
    .filter((item) => kept.has(item))
    .map((item) => {
      const [first] = item.tokens;
      const last = item.tokens.at(-1);
      if (!first || !last) return '';
      const marker = item.kind === 'system' ? '' : lineMarker(first.line, first.file);
      return `${marker}${edited(text, first.begin, last.end, editsFor(item))}\n`;
    })
    .join('');
}

function editsFor(item: Item): Edit[] {
  const { tokens, kind, marks } = item;
  if (kind === 'system') return [];
  if (kind === 'variable' && marks.has('shared')) return shareMemory(tokens, false);
  if (kind === 'variable' && (marks.has('device') || marks.has('constant'))) return deviceMemory(tokens);
  if (kind === 'function' || kind === 'type') mustBeSupported(tokens);
  const statements = sharedStatements(tokens);
  const inside = (token: Token) =>
    statements.some(
      (statement) =>
        (statement[0] as Token).begin <= token.begin && token.begin < (statement.at(-1) as Token).end,
    );
  return [
    ...statements.flatMap((statement) => shareMemory(statement, true)),
    ...assemblerEdits(tokens),
    ...barrierEdits(tokens),
    ...copyEdits(tokens),
    ...swapEdits(tokens),
    ...tokens.flatMap((token, i) => {
      if (!markOf(token) || inside(token)) return [];
      return returnsStruct(tokens, i) ? [{ ...remove(token), text: alwaysInline }] : [remove(token)];
    }),
    ...tokens.filter(({ text }, i) => text === '__noinline__' && tokens[i - 1]?.text !== '(').map(remove),
  ];
}

/** Calls of `__syncthreads()` and of its forms with a vote, with a number each, by which the emulated device tells one from another. */
function barrierEdits(tokens: readonly Token[]): Edit[] {
  return tokens.flatMap((token, i) => {
    const [, vote] = /^__syncthreads(?:_(count|and|or))?$/.exec(token.text) ?? [];
    if (!/^__syncthreads(_|$)/.test(token.text) || tokens[i + 1]?.text !== '(') return [];
    const close = tokens[matching(tokens, i + 1)] as Token;
    const call = `${token.begin + 1}u`;
    if (token.text === '__syncthreads')
      return [{ begin: token.begin, end: close.end, text: `simt::sync_threads(${call})` }];
    return vote === undefined
      ? []
      : [
          { begin: token.begin, end: token.end, text: 'simt::sync_threads_reduce' },
          { begin: close.begin, end: close.end, text: `, ${votes.indexOf(vote)}, ${call})` },
        ];
  });
}

const votes = ['count', 'and', 'or'];

/** Compare-and-swap says so: the emulated device knows loops of it. */
function swapEdits(tokens: readonly Token[]): Edit[] {
  return tokens.flatMap(({ text, begin, end }, i) => {
    const [called, scope = ''] = /^atomicCAS(_block|_system)?$/.exec(text) ?? [];
    const isCall = called !== undefined && tokens[i + 1]?.text === '(';
    return isCall ? [{ begin, end, text: `::tw::compare_and_swap${scope}` }] : [];
  });
}

/** memcpy and its like become functions that the emulated device sees: those of the compiler leave no trace. */
function copyEdits(tokens: readonly Token[]): Edit[] {
  return tokens.flatMap((token, i) => {
    const [, , name] = /^(__builtin_)?(mem(cpy|move|set))$/.exec(token.text) ?? [];
    if (name === undefined || tokens[i + 1]?.text !== '(') return [];
    const before = tokens.slice(Math.max(0, i - 2), i).map(({ text }) => text);
    if (/^(\.|->)$/.test(before.at(-1) ?? '')) return [];
    const qualified = before.at(-1) === '::' && before[0] === 'std' ? (tokens[i - 2] as Token) : token;
    return [{ begin: qualified.begin, end: token.end, text: `__tsan_${name}` }];
  });
}
