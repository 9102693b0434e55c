import { z } from 'zod';

/** Whether a value is one that JSON has, of nothing else and not within itself. */
export function isJson(value: unknown, above: readonly unknown[] = []): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || above.includes(value)) return false;
  if (!Array.isArray(value) && !isPlainObject(value)) return false;
  const members = Array.isArray(value) ? [...value] : Object.values(value);
  return members.every((member) => isJson(member, [...above, value]));
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    (prototype === Object.prototype || prototype === null) && Object.getOwnPropertySymbols(value).length === 0
  );
}

export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/** Faults of a problem, each with its place: slow, and asked of thousands of values. */
const problemFaults = z.record(z.string(), z.json());

/** Problem of a workload. */
export const problemSchema = z.unknown().superRefine((value, context) => {
  if (!Array.isArray(value) && isJson(value)) return;
  const { error } = problemFaults.safeParse(value);
  if (!error) context.addIssue('holds an object that contains itself');
  for (const issue of error?.issues ?? []) context.addIssue({ ...issue });
});
