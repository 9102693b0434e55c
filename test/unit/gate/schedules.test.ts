import { describe, expect, it } from 'vitest';
import { scheduleOf, schedulesForLaunches, schedulesFrom, spread } from '../../../src/gate/schedules.ts';

describe('schedules', () => {
  it('has one of each kind, each reproduced by its seed alone', () => {
    const schedules = schedulesFrom(1);
    expect(new Set(schedules.map(({ order }) => order))).toEqual(new Set(['in-order', 'greedy', 'random']));
    for (const schedule of schedules) expect(scheduleOf(schedule.seed)).toEqual(schedule);
  });

  it('takes any integer', () => {
    expect(scheduleOf(-1).order).toBe(scheduleOf(2).order);
    expect(() => scheduleOf(0.5)).toThrow('no integer');
  });

  it('runs the first case under all kinds, and every other under one that has the detector', () => {
    const cases = ['a', 'b', 'c', 'd'].map((id) => ({ id, tier: 'exact' as const, problem: {} }));
    expect(spread(cases, schedulesFrom(1), 'quick').map((item) => item.schedules)).toEqual([
      [0, 1, 2],
      [1],
      [0],
      [1],
    ]);
    expect(spread(cases, schedulesFrom(1), 'full').map((item) => item.schedules)).toEqual(
      Array(4).fill([0, 1, 2]),
    );
    const kinds = schedulesFrom(1);
    for (const { schedules } of spread(cases, schedulesFrom(1), 'quick')) {
      expect(schedules?.some((index) => kinds[index]?.detect)).toBe(true);
    }
  });

  it('begins a first case that is slow under one', () => {
    const slow = { id: 'a', tier: 'exact' as const, problem: {}, slow: true as const, launches: 2 };
    expect(spread([slow], schedulesFrom(1), 'quick')[0]?.schedules).toEqual([0]);
    expect(spread([slow], schedulesFrom(1), 'full')[0]?.schedules).toEqual([0, 1, 2]);
  });

  it('has another schedule for each launch of a case, whatever kind it begins with', () => {
    const repeated = { id: 'a', tier: 'repetition' as const, problem: {}, launches: 2 };
    expect(spread([repeated, repeated], schedulesFrom(1), 'quick')[1]?.schedules).toEqual([0]);
    const seeds = schedulesForLaunches(1, 3).map(({ seed }) => seed);
    expect(seeds).toEqual([1, 2, 3, 4, 5]);
  });
});
