import { describe, expect, it } from 'vitest';
import { scheduleOf, schedulesFrom, spread } from '../../../src/gate/schedules.ts';

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

  it('runs the first case under all schedules and deals the others out', () => {
    const cases = ['a', 'b', 'c', 'd'].map((id) => ({ id, tier: 1, problem: {} }));
    const schedules = schedulesFrom(1);
    expect(spread(cases, schedules, 'quick').map((item) => item.schedules)).toEqual([
      undefined,
      [1],
      [2],
      [0],
    ]);
    expect(spread(cases, schedules, 'full').map((item) => item.schedules)).toEqual(Array(4).fill(undefined));
  });
});
