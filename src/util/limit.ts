/** Lets at most `count` tasks run at a time, in the order in which they asked. */
export class Slots {
  readonly #count: number;
  #free: number;
  readonly #waiting: { readonly needs: number; readonly begin: () => void }[] = [];

  constructor(count: number) {
    this.#count = Math.max(1, count);
    this.#free = this.#count;
  }

  run<T>(task: () => Promise<T>): Promise<T> {
    return this.#with(1, task);
  }

  /** Runs a task while no other runs. */
  alone<T>(task: () => Promise<T>): Promise<T> {
    return this.#with(this.#count, task);
  }

  async #with<T>(needs: number, task: () => Promise<T>): Promise<T> {
    await new Promise<void>((begin) => {
      this.#waiting.push({ needs, begin });
      this.#admit();
    });
    try {
      return await task();
    } finally {
      this.#free += needs;
      this.#admit();
    }
  }

  /** Strictly in turn, so that a task that needs all slots gets them. */
  #admit(): void {
    for (let next = this.#waiting[0]; next && next.needs <= this.#free; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#free -= next.needs;
      next.begin();
    }
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
  const results: R[] = new Array(items.length);
  const failures: unknown[] = [];
  let next = 0;
  const lane = async () => {
    while (next < items.length && failures.length === 0) {
      const index = next++;
      try {
        results[index] = await task(items[index] as T, index);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(Math.max(1, limit), items.length) }, lane));
  if (failures.length > 0) throw failures[0];
  return results;
}
