import { markOf } from './items.ts';
import { matching, type Token } from './tokens.ts';

export const alwaysInline = '__attribute__((always_inline))';

const scalar =
  /^(void|bool|char|short|int|long|unsigned|signed|float|double|size_t|u?int\d+_t|uint|uchar|ushort|half|__half|__nv_bfloat16|nv_bfloat16)$/;
const qualifier = /^(static|inline|const|constexpr|volatile|explicit|virtual|friend)$/;

/**
 * Whether the mark at `at` begins a function of the device that returns a struct. g++ instruments no store that a call makes
 * by returning one, so such a function is inlined; one that calls itself cannot be.
 */
export function returnsStruct(tokens: readonly Token[], at: number): boolean {
  if (markOf(tokens[at] as Token) !== 'device') return false;
  const open = tokens.findIndex(({ text }, i) => i > at && /^[({;=]$/.test(text));
  if (tokens[open]?.text !== '(') return false;
  const head = tokens.slice(at + 1, open).filter((token) => !markOf(token));
  const name = head.at(-1)?.text;
  const words = head.slice(0, -1).map(({ text }) => text);
  if (words.some((text) => /^(\*|&|always_inline|operator|~)$/.test(text))) return false;
  const type = words.findLast((text) => /^\w+$/.test(text) && !qualifier.test(text));
  if (type === undefined || scalar.test(type)) return false;
  const body = tokens.findIndex(({ text }, i) => i > matching(tokens, open) && /^[{;]$/.test(text));
  if (tokens[body]?.text !== '{') return false;
  return !tokens.slice(body, matching(tokens, body)).some(({ text }) => text === name);
}
