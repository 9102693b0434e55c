import type { Cases } from './case-list.ts';
import { packs } from './derive.ts';
import type { Point } from './parameters.ts';
import { elementBytes } from './paths/general/sizes.ts';

/** Cases of where operands lie: in most of the addresses that there are, and at the end of what may be read. */
export function addAddresses(cases: Cases, point: Point, tile: number): void {
  if (packs(point)) addPacked(cases, point, tile);
}

/** Bytes from the first line to the last of an operand that takes most of the emulated device's addresses. */
const farthest = 62 * 2 ** 30 - 2 ** 20;

/** A B to be packed whose last vector lies around the end of all, behind which nothing may be read. */
function addPacked(cases: Cases, { path, block, input, layoutB, transposeA }: Point, tile: number): void {
  const pattern = { kind: 'random', density: 1 } as const;
  const problem = { rows: 1, columns: 1, pattern, values: 'integers', offsetB: 7 } as const;
  const inner = transposeA ? 'm' : 'k';
  const linesOf = (lines: number) => (layoutB === 'column' ? { n: lines } : { n: tile / 2, [inner]: lines });
  // Lines of a row-major B are rows, of which paths other than general take whole blocks.
  const whole = path !== 'general' && layoutB === 'row';
  // One line: no other follows at the distance between lines, which takes more than the lowest addresses.
  if (!whole) cases.add('one-line', 'edges', { ...problem, ...linesOf(1), ldbExtra: 2 ** 35 });
  // A B of most of the emulated device's 64 GiB of addresses, from the lowest on.
  const [lines, width] = [whole ? block : 2, layoutB === 'column' ? block : tile / 2];
  const apart = Math.floor(farthest / elementBytes[input] / (lines - 1));
  const far = { ...problem, ...linesOf(lines), ldbExtra: apart - width };
  cases.add('packed-far', 'edges', far, { reserved: true });
}
