import { describe, expect, it } from 'vitest';
import type { EvidenceMeasurement } from '../../../src/model/evidence.ts';
import { effectsOf } from '../../../src/report/effects.ts';

const time = (subject: string, median: number, more: Partial<EvidenceMeasurement> = {}) => ({
  ...{ subject, kind: 'variant' as const, l2: 'hot' as const, median, mad: 0, tflops: 1, ...more },
});
// role.stages.grouping; `grouping` matters for role rows alone and is then written.
const point = (id: string) => {
  const [role = '', stages = '', grouping = 'adjacent'] = id.split('.');
  return { path: 'wgmma', role, stages: Number(stages), grouping };
};
const active = (id: string) => {
  const { grouping, ...rest } = point(id);
  return rest.role === 'rows' ? { ...rest, grouping } : rest;
};
const effects = (...measurements: EvidenceMeasurement[]) => effectsOf(measurements, active, point);

describe('effects of parameters', () => {
  const found = effects(
    time('rows.4.similar', 10),
    time('rows.3.similar', 11),
    time('rows.4.adjacent', 12),
    time('rows.3.adjacent', 14),
    time('coop.4', 15),
    time('coop.3', 21),
    time('cuVendor', 1, { kind: 'baseline' }),
    time('rows.4.similar', 99, { l2: 'cold' }),
  );

  it('are the best with each value, everything else free, the largest first', () => {
    expect(found.map(({ parameter }) => parameter)).toEqual(['role', 'grouping', 'stages']);
    expect(found[0]).toMatchObject({ best: 'rows', values: [{ value: 'rows', loss: 0 }, { loss: 0.5 }] });
    expect(found[2]?.values).toMatchObject([
      { value: 4, variants: 3, loss: 0 },
      { value: 3, variants: 3, loss: 0.1 },
    ]);
  });

  it('are medians over pairs that differ in nothing else', () => {
    // 11/10, 14/12 and 21/15
    expect(found[2]?.values[1]).toMatchObject({ pairs: 3, ratio: 1.1667 });
    expect(found[2]?.values[0]).not.toHaveProperty('ratio');
    // Inactive parameters are no difference: coop stands beside rows in adjacent order.
    expect(found[0]?.values[1]).toMatchObject({ pairs: 2, ratio: 1.375 });
    expect(found[1]?.values[1]).toMatchObject({ value: 'adjacent', pairs: 2 });
  });

  it('do not pair what was timed with care and what was timed briefly', () => {
    const [stages] = effects(time('coop.4', 10), time('coop.3', 12, { stoppedEarly: true }));
    expect(stages?.values[1]).toEqual({ value: 3, variants: 1, loss: 0.2 });
  });

  it('are none where nothing was timed, or nothing varied', () => {
    expect(effects()).toEqual([]);
    expect(effects(time('coop.4', 1))).toEqual([]);
  });
});
