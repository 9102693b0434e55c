import type { Signature } from './signature.ts';
import { matching, type Token } from './tokens.ts';

/** Whether a kernel needs what a pointer holds: `p[i] += x`, `atomicAdd(&p[i], x)`, `p[i] = f(p[i])`, `x = *p`, or its first mention is no assignment. */
export function isReadFirst({ item: { tokens, body = 0 } }: Signature, name: string): boolean {
  const first = tokens.findIndex(
    (token, i) => i > body && token.text === name && !/^(\.|->)$/.test(tokens[i - 1]?.text ?? ''), // no member
  );
  if (first < 0) return false;
  // A macro may put its argument into parentheses: `(p)[i]`.
  const open = tokens[first - 1]?.text === '(' && tokens[first + 1]?.text === ')' ? first + 2 : first + 1;
  const end = tokens[open]?.text === '[' ? matching(tokens, open) + 1 : first + 1;
  const isElement = end > first + 1 || isDereferenced(tokens, first);
  if (!isElement) return isReadLater(tokens, body, name);
  const equals = behindMember(tokens, end);
  if (tokens[equals]?.text !== '=' && tokens[first - 1]?.text !== '&') return true;
  if (isNamedIn(assignedTo(tokens, equals), name)) return true;
  return isReadLater(tokens, body, name);
}

/** A change of an element, somewhere, by what it holds: `p[i] += x`, `p[i] = f(p[i])`, or an atomic. */
function isReadLater(tokens: readonly Token[], body: number, name: string): boolean {
  return tokens.some((token, i) => {
    if (i < body || token.text !== name) return false;
    if (/^atomic\w+$/.test(tokens[i - 2]?.text ?? '') || /^atomic\w+$/.test(tokens[i - 3]?.text ?? ''))
      return true;
    if (tokens[i + 1]?.text !== '[') return false;
    const equals = behindMember(tokens, matching(tokens, i + 1) + 1);
    const sign = tokens[equals]?.text ?? '';
    return sign === '=' ? isNamedIn(assignedTo(tokens, equals), name) : /^[-+*/|&^]=$/.test(sign);
  });
}

/** `*p`, which is no product: an operator, a parenthesis or the begin of a statement stands before it. */
function isDereferenced(tokens: readonly Token[], at: number): boolean {
  return tokens[at - 1]?.text === '*' && !/^[\w)\]]/.test(tokens[at - 2]?.text ?? '');
}

/** The token behind an element that ends at `end`, or behind a member of it. */
function behindMember(tokens: readonly Token[], end: number): number {
  return tokens[end]?.text === '.' ? end + 2 : end;
}

function isNamedIn(tokens: readonly Token[], name: string): boolean {
  return tokens.some(({ text }) => text === name);
}

function assignedTo(tokens: readonly Token[], equals: number): readonly Token[] {
  const end = tokens.findIndex(({ text }, i) => i > equals && text === ';');
  return tokens.slice(equals, end < 0 ? undefined : end);
}
