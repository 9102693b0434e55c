import { Semaphore } from 'async-mutex';

/** Tasks at a time that no machine goes beyond. The semaphore counts up to its size at each end of a task. */
const most = 4096;

/** Lets at most `count` tasks run at a time, in the order in which they asked. */
export class Slots {
  readonly #count: number;
  readonly #free: Semaphore;

  constructor(count: number) {
    this.#count = Math.min(Math.max(1, count), most);
    this.#free = new Semaphore(this.#count);
  }

  run<T>(task: () => Promise<T>): Promise<T> {
    return this.#free.runExclusive(task);
  }

  /** Runs a task while no other runs. */
  alone<T>(task: () => Promise<T>): Promise<T> {
    return this.#free.runExclusive(task, this.#count);
  }
}

/**
 * Calls `task` on every item, `limit` at a time; results in the items' order. After the first rejection no further item
 * is begun, those under way are waited for, and the rejection is passed on.
 */
export async function mapLimit<T, R>(
  items: readonly T[],
  limit: number,
  task: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const slots = new Slots(Math.min(limit, items.length));
  const results: R[] = new Array(items.length);
  const failures: unknown[] = [];
  const one = async (item: T, index: number) => {
    if (failures.length > 0) return;
    try {
      results[index] = await task(item, index);
    } catch (error) {
      failures.push(error);
    }
  };
  await Promise.all(items.map((item, index) => slots.run(() => one(item, index))));
  if (failures.length > 0) throw failures[0];
  return results;
}
