import { UsageError } from '../errors.ts';
import type { Expression } from './expression.ts';
import type { Item } from './items.ts';
import type { Signature } from './signature.ts';
import { constantExpression } from './sites.ts';
import { matching, splitCommas, type Token } from './tokens.ts';
import { placeOf } from './variables.ts';

/** `__cluster_dims__` in a preprocessed source (harness/check/prelude.hpp). */
const attribute = 'tw_cluster_dims';

/**
 * Blocks of a cluster: those of the kernel's `__cluster_dims__`, else those of the description; undefined: no clusters. Throws a
 * UsageError where the two differ.
 */
export function clusterFor(
  { item: { tokens, parenthesis = 0 }, name }: Signature,
  given: readonly Expression[] | undefined,
  items: readonly Item[],
): readonly Expression[] | undefined {
  const at = tokens.findIndex(({ text }, i) => text === attribute && i < parenthesis);
  if (at < 0) return given;
  const inside = tokens.slice(at + 2, matching(tokens, at + 1));
  const own = splitCommas(inside).map((part) => constantExpression(part, items));
  const isSame = [0, 1, 2].every((i) => String(given?.[i] ?? 1) === String(own[i] ?? 1));
  if (given === undefined || isSame) return own;
  throw new UsageError(
    `${placeOf(tokens[at] as Token)}: ${name} has __cluster_dims__(${own.join(', ')}), the description says cluster: [${given.join(', ')}]; leave the word out`,
  );
}

/** Throws a UsageError for dynamic shared memory at namespace scope, of which blocks that run side by side would have one copy. */
export function mustHaveOwnShared(kept: ReadonlySet<Item>): void {
  for (const { kind, marks, tokens } of kept)
    if (kind === 'variable' && marks.has('shared'))
      throw new UsageError(
        `${placeOf(tokens[0] as Token)}: the blocks of this kernel run side by side: declare its extern __shared__ memory in the kernel`,
      );
}
