import { distance } from 'fastest-levenshtein';

/** The candidate that `name` was probably meant to be, if one is near enough to be worth saying, or alone begins so. */
function closest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  const known = [...candidates];
  const begun = known.filter((candidate) => candidate.toLowerCase().startsWith(wanted));
  if (wanted.length > 1 && begun.length === 1) return begun[0];
  const near = known
    .map((candidate) => ({ candidate, edits: distance(wanted, candidate.toLowerCase()) }))
    .filter(({ edits }) => edits <= Math.max(1, Math.round(0.4 * name.length)));
  return near.toSorted((a, b) => a.edits - b.edits)[0]?.candidate;
}

/** `; did you mean 'tileN'?`, or nothing: to be put at the end of a message. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const found = closest(name, candidates);
  return found === undefined ? '' : `; did you mean '${found}'?`;
}
