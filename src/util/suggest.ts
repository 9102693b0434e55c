/** Edits (insert, delete, replace, swap neighbours) that turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  let older: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + same);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) best = Math.min(best, (older[j - 2] ?? 0) + 1);
      row.push(best);
    }
    older = previous;
    previous = row;
  }
  return previous[b.length] ?? 0;
}

/** The candidate that `name` was probably meant to be, if one is near enough to be worth saying, or alone begins so. */
function closest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  const known = [...candidates];
  const begun = known.filter((candidate) => candidate.toLowerCase().startsWith(wanted));
  if (wanted.length > 1 && begun.length === 1) return begun[0];
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (!best || distance < best.distance) best = { candidate, distance };
  }
  return best && best.distance <= Math.max(1, Math.floor(name.length / 3)) ? best.candidate : undefined;
}

/** `; did you mean 'tileN'?`, or nothing: to be put at the end of a message. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const found = closest(name, candidates);
  return found === undefined ? '' : `; did you mean '${found}'?`;
}
