// Changes that no operator makes, since by the PTX ISA's words no result can depend on them: what they would be
// called equivalent for holds of every kernel.

const advice =
  /\b(?:prefetch_tensor_map|bulk_prefetch|griddep_launch_dependents)\(|"(?:\S*\bprefetch|griddepcontrol\.launch_dependents)/;
const initialisation = /^(?:\w+::)*(?:mbarrier_init|[\w.()]+\.init<[^;]*>)\(/;

/**
 * A statement that only advises: a prefetch, or `griddepcontrol.launch_dependents`, which the end of a kernel implies. Left out,
 * it changes times alone.
 */
export function isAdvice(statement: string): boolean {
  return advice.test(statement);
}

/** Two statements that each initialise barriers of their own: nothing may use one before all are ready. */
export function areInitialisations(...statements: readonly string[]): boolean {
  return statements.every((text) => initialisation.test(text));
}
