import { z } from 'zod';

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

/** Whether a value is an object as JSON has them, of nothing but JSON's values. */
function isPlainRecord(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return false;
  return Object.getOwnPropertySymbols(value).length === 0 && Object.values(value).every(isPlain);
}

function isPlain(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  return Array.isArray(value) ? [...value].every(isPlain) : isPlainRecord(value);
}

/** Faults of a problem, each with its place: slow, and asked of thousands of values. */
const problemFaults = z.record(z.string(), z.json());

/** Problem of a workload. */
export const problemSchema = z.unknown().superRefine((value, context) => {
  if (isPlainRecord(value)) return;
  const { error } = problemFaults.safeParse(value);
  for (const issue of error?.issues ?? []) context.addIssue({ ...issue });
});
