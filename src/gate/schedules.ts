import type { JobCase, Schedule } from '../device/protocol.ts';
import type { GateCase } from '../model/workload.ts';

/**
 * The adversaries of the emulated device. In order and greedy find most, each what the other misses; random lanes with
 * late data is what is left. The detector costs most of the time, and two of three runs have it.
 */
const kinds: readonly Omit<Schedule, 'seed'>[] = [
  { async: 'random', order: 'in-order', detect: true, preempt: 0 },
  { async: 'late', order: 'greedy', detect: true, preempt: 0 },
  { async: 'late', order: 'random', detect: false, preempt: 0 },
];

/** The schedule that a seed stands for: a seed alone reproduces a run. */
export function scheduleOf(seed: number): Schedule {
  const kind = kinds[((seed % kinds.length) + kinds.length) % kinds.length];
  if (!kind) throw new RangeError(`seed ${seed} is no integer`);
  return { seed, ...kind };
}

/** One schedule of each kind, from `seed` on. */
export function schedulesFrom(seed: number): Schedule[] {
  return kinds.map((_, index) => scheduleOf(seed + index));
}

/**
 * Which schedules each case runs under. Full: all of them. Quick: the first case, where a family puts its most demanding
 * one, under all, the others under one each in turn.
 */
export function spread(
  cases: readonly GateCase[],
  schedules: readonly Schedule[],
  depth: 'quick' | 'full',
): JobCase[] {
  if (depth === 'full') return [...cases];
  return cases.map((item, index) =>
    index === 0 ? item : { ...item, schedules: [index % schedules.length] },
  );
}
