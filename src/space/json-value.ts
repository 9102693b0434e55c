/**
 * Whether a value survives as JSON: nothing in it contains itself. Undefined counts, since it is left out on the way to the
 * runner.
 */
export function isJson(value: unknown, above: readonly unknown[] = []): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value !== 'object' || isPromise(value) || above.includes(value)) return false;
  return Object.values(value).every((member) => isJson(member, [...above, value]));
}

export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
