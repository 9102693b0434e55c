/** Fractional part of the golden ratio: its multiples fall as evenly as can be into any unit interval. */
const goldenFraction = (Math.sqrt(5) - 1) / 2;

/**
 * Indices of `wanted` out of `total` items, one from each of `wanted` equal stretches, ascending. Within its stretch an
 * item's place moves by the golden ratio: a fixed step would share a factor with the inner parameters' number of values
 * and so pick the same inner values every time. The same arguments always give the same indices.
 */
export function evenlySpaced(total: number, wanted: number): number[] {
  if (wanted >= total) return Array.from({ length: total }, (_, index) => index);
  return Array.from({ length: wanted }, (_, stretch) => {
    const start = Math.floor((stretch * total) / wanted);
    const end = Math.floor(((stretch + 1) * total) / wanted);
    return start + Math.floor(((stretch * goldenFraction) % 1) * (end - start));
  });
}

/** Spreads consecutive numbers over [0, 1) without a pattern; the same number always falls on the same place. */
function scatter(index: number): number {
  let mixed = Math.imul(index ^ (index >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}

/**
 * Keeps rows of small integers in flat memory: all of them up to `capacity`, beyond it a scattered half, quarter and so
 * on, in order. So a space of any size is walked once and sampled evenly, in megabytes.
 */
export class Rows {
  /** Rows pushed so far, kept or not. */
  pushed = 0;
  readonly #width: number;
  readonly #capacity: number;
  #share = 1;
  #cells: Uint16Array;
  /** Value of `pushed` for each row kept. */
  #numbers: number[] = [];

  constructor(width: number, capacity: number) {
    this.#width = width;
    this.#capacity = capacity;
    this.#cells = new Uint16Array(width * Math.min(capacity, 1024));
  }

  /** Rows kept. */
  get length(): number {
    return this.#numbers.length;
  }

  push(row: readonly number[]): void {
    const number = this.pushed++;
    if (this.#share < 1 && scatter(number) >= this.#share) return;
    if (this.length === this.#capacity) {
      this.#thin();
      if (scatter(number) >= this.#share) return;
    }
    const start = this.length * this.#width;
    if (start === this.#cells.length) this.#grow();
    for (let i = 0; i < this.#width; i++) this.#cells[start + i] = row[i] ?? 0;
    this.#numbers.push(number);
  }

  at(index: number): Uint16Array {
    return this.#cells.subarray(index * this.#width, (index + 1) * this.#width);
  }

  #grow(): void {
    const cells = new Uint16Array(Math.min(2 * this.#cells.length, this.#capacity * this.#width));
    cells.set(this.#cells);
    this.#cells = cells;
  }

  #thin(): void {
    this.#share /= 2;
    const kept: number[] = [];
    for (const [index, number] of this.#numbers.entries()) {
      if (scatter(number) >= this.#share) continue;
      this.#cells.copyWithin(kept.length * this.#width, index * this.#width, (index + 1) * this.#width);
      kept.push(number);
    }
    this.#numbers = kept;
  }
}
