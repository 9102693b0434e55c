import { z } from 'zod';
import { UsageError } from '../errors.ts';
import { parseJson } from '../util/json.ts';
import type { MutantResult } from './result.ts';

const equivalentSchema = z.strictObject({
  /** Template of the variants, without its ending. */
  path: z.string(),
  /** Lines as a result has them. */
  before: z.string(),
  after: z.string(),
  /** Id of the one mutant that is meant, where other lines of the path read the same; absent: all that read so. */
  mutant: z.string().optional(),
  /** Ids of the variants of which it holds; absent: all of the path. */
  variants: z.array(z.string()).optional(),
  /** Proof that no execution can differ. */
  argument: z.string().min(20),
  /** Date of the second reading, by another reader or later. */
  reviewed: z.iso.date(),
  /** 1: both readings were by one reader. */
  readers: z.literal(1).optional(),
});
export type Equivalent = Readonly<z.infer<typeof equivalentSchema>>;

/** Parses a family's list of mutants that were argued to be equivalent. */
export function parseEquivalents(text: string, path: string): Equivalent[] {
  const parsed = z.array(equivalentSchema).safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new UsageError(`${path} is no list of equivalent mutants: ${z.prettifyError(parsed.error)}`);
}

/** The argument by which a mutant is equivalent, if there is one. */
export function argumentFor(
  { path, id, before, after, variant }: Pick<MutantResult, 'path' | 'id' | 'before' | 'after' | 'variant'>,
  list: readonly Equivalent[],
): Equivalent | undefined {
  return list.find(
    (one) =>
      one.path === path &&
      one.before === before &&
      one.after === after &&
      (one.mutant ?? id) === id &&
      (one.variants?.includes(variant) ?? true),
  );
}
