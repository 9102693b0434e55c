import type { Code } from './code.ts';

/** Offsets from `begin` up to, not including, `end`. */
export interface Region {
  readonly begin: number;
  readonly end: number;
}

/** Switches for one device alone, or for bring-up: a mutant there is none of the kernel on the other device. */
const switches = /TW_EMULATED|TW_JITTER|TW_WAIT_LIMIT/;
/** Calls whose arguments are not the kernel's code on both devices. */
const closed = new Set(['static_assert', 'TW_EITHER', 'TW_EXPORT', 'TW_DELAY', 'asm']);

/** Parts of a text that mutants stay out of: assertions, and what only one of the devices compiles. */
export function closedRegions(code: Code): Region[] {
  const calls = code.tokens.flatMap((token, index) => {
    if (!closed.has(token.text)) return [];
    const open = code.at(index + 1) === 'volatile' ? index + 2 : index + 1;
    const close = code.at(open) === '(' ? code.partner(open) : undefined;
    return close === undefined ? [] : [{ begin: token.at + token.text.length, end: endOf(code, close) }];
  });
  return [...calls, ...oneDeviceOnly(code)];
}

/** From a condition that names such a switch to its end, all branches. */
export function oneDeviceOnly(code: Code): Region[] {
  const regions: Region[] = [];
  const open: (number | undefined)[] = [];
  for (const { kind, text, at } of code.tokens) {
    if (kind !== 'directive') continue;
    if (/^#\s*if/.test(text)) open.push(switches.test(text) ? at : undefined);
    if (!/^#\s*endif/.test(text)) continue;
    const begin = open.pop();
    if (begin !== undefined) regions.push({ begin, end: at });
  }
  return regions;
}

/**
 * Parts of a header that none of these names reaches: mutants there change nothing. Reached are functions that they name, and
 * functions and constants that those name.
 */
export function unreached(header: Code, names: ReadonlySet<string>): Region[] {
  const reached = new Set(names);
  let pending = definitions(header);
  const open: Region[] = [];
  for (let grew = true; grew; ) {
    const found = pending.filter(({ name }) => reached.has(name));
    pending = pending.filter(({ name }) => !reached.has(name));
    grew = found.length > 0;
    open.push(...found);
    for (const { words } of found) for (const word of words) reached.add(word);
  }
  return complement(open, header.text.length);
}

/** Gaps between regions, which may overlap. */
function complement(regions: readonly Region[], length: number): Region[] {
  const gaps: Region[] = [];
  let end = 0;
  for (const region of [...regions].sort((a, b) => a.begin - b.begin)) {
    if (region.begin > end) gaps.push({ begin: end, end: region.begin });
    end = Math.max(end, region.end);
  }
  return [...gaps, { begin: end, end: length }];
}

/** Whether a definition launches kernels: it is the host's, and may have a kernel's name. */
function isLauncher(code: Code, at: number, last: number): boolean {
  return code.text.slice(at, endOf(code, last)).includes('<<<');
}

/** Functions with a body, at any depth, and constants: the region from the name to the end, and every word in it. */
function definitions(code: Code): (Region & { readonly name: string; readonly words: readonly string[] })[] {
  return code.tokens.flatMap(({ kind, text, at }, index) => {
    if (kind !== 'word') return [];
    if (code.at(index + 1) === '=') return constantAt(code, index);
    const close = code.at(index + 1) === '(' ? code.partner(index + 1) : undefined;
    if (close === undefined || ['if', 'for', 'while', 'switch', 'constexpr'].includes(text)) return [];
    const open = code.at(close + 1) === 'const' ? close + 2 : close + 1;
    const last = code.at(open) === '{' ? code.partner(open) : undefined;
    if (last === undefined || isLauncher(code, at, last)) return [];
    const words = code.tokens
      .slice(index + 1, last)
      .flatMap((one) => (one.kind === 'word' ? [one.text] : []));
    return [{ name: text, begin: at, end: endOf(code, last), words }];
  });
}

/** `constexpr int kName = 32;`, of which the name is at `index`. */
function constantAt(code: Code, index: number) {
  const { at, text: name } = code.tokens[index] ?? { at: 0, text: '' };
  const begins = code.text.lastIndexOf('\n', at) + 1;
  const end = code.text.indexOf(';', at);
  if (end < 0 || !/^\s*(?:inline |static )*constexpr /.test(code.text.slice(begins, at))) return [];
  return [{ name, begin: at, end, words: [] }];
}

function endOf(code: Code, index: number): number {
  const token = code.tokens[index];
  return token ? token.at + token.text.length : code.text.length;
}
