import type { JobCase, Schedule } from '../device/protocol.ts';
import type { GateCase } from '../model/workload.ts';

/**
 * The adversaries of the emulated device, by seed modulo their number: seeds 1 and 2 have the detector. In order and greedy find most, each what the other misses; random lanes with
 * late data is what is left, and goes without the detector, which costs most of the time.
 */
const kinds: readonly Omit<Schedule, 'seed'>[] = [
  { async: 'late', order: 'random', detect: false, preempt: 0, lag: 0 },
  { async: 'random', order: 'in-order', detect: true, preempt: 0, lag: 1 / 8 },
  { async: 'late', order: 'greedy', detect: true, preempt: 0, lag: 1 / 8 },
];

/** The schedule that a seed stands for: a seed alone reproduces a run. */
export function scheduleOf(seed: number): Schedule {
  const kind = kinds[((seed % kinds.length) + kinds.length) % kinds.length];
  if (!kind) throw new RangeError(`seed ${seed} is no integer`);
  return { seed, ...kind };
}

/** The schedules of `count` seeds from `seed` on; as many as there are kinds have one of each. */
export function schedulesFrom(seed: number, count = kinds.length): Schedule[] {
  return Array.from({ length: count }, (_, index) => scheduleOf(seed + index));
}

/** So many that a case may begin under any kind and have another schedule for each of `launches` launches. */
export function schedulesForLaunches(seed: number, launches: number): Schedule[] {
  return schedulesFrom(seed, kinds.length + launches - 1);
}

/**
 * Indices of the schedules that each case begins under; its later launches have those that follow. Full: one of each kind.
 * Quick: so for the first case, where a family puts its most demanding one, unless it is slow; the others have one with the
 * detector: those of several launches the first, the rest in turn.
 */
export function spread(
  cases: readonly GateCase[],
  schedules: readonly Schedule[],
  depth: 'quick' | 'full',
): JobCase[] {
  const all = kinds.map((_, index) => index);
  const detecting = all.filter((index) => schedules[index]?.detect);
  return cases.map((item, index) => {
    if (depth === 'full' || (index === 0 && !item.slow)) return { ...item, schedules: all };
    const turn = (item.launches ?? 1) > 1 ? 0 : index % detecting.length;
    return { ...item, schedules: detecting.slice(turn, turn + 1) };
  });
}
