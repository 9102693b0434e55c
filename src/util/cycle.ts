/** The first way round in circles from name to name, with the first repeated at the end; undefined where there is none. */
export function findCycle(next: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const finished = new Set<string>();
  const visit = (name: string, path: readonly string[]): string[] | undefined => {
    const start = path.indexOf(name);
    if (start >= 0) return [...path.slice(start), name];
    if (finished.has(name)) return undefined;
    for (const other of next.get(name) ?? []) {
      const cycle = visit(other, [...path, name]);
      if (cycle) return cycle;
    }
    finished.add(name);
    return undefined;
  };
  for (const name of next.keys()) {
    const cycle = visit(name, []);
    if (cycle) return cycle;
  }
  return undefined;
}
