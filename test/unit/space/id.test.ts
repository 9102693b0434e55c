import { describe, expect, it } from 'vitest';
import { enumerate } from '../../../src/space/enumerate.ts';
import { idOf, pointOfId, symbolOf } from '../../../src/space/id.ts';
import { toyFamily } from '../../helpers/toy-family.ts';

describe('variant ids', () => {
  it('lead back to their points', () => {
    for (const { id, parameters } of enumerate(toyFamily, {}).variants) {
      expect(pointOfId(toyFamily, id)).toEqual(parameters);
    }
  });

  it('name points that no variant has, too', () => {
    expect(pointOfId(toyFamily, 'toy_op.mma.b32.tn128.st4.sw1')).toMatchObject({ tileN: 128, swizzle: true });
  });

  it('become C identifiers', () => {
    expect(symbolOf('toy_op.mma.b32')).toBe('toy_op_mma_b32');
  });

  it.each([
    ['toyop.mma', /'toyop\.mma' is not an id of toy-op: those begin with 'toy_op\.'/],
    ['toy_op.mma.b32.tn96', /part 4 should be the tileN \(tn32, tn64, tn128\), found 'tn96'/],
    ['toy_op.mma.b32', /part 4 should be the tileN \(tn32, tn64, tn128\), the id ends/],
    ['toy_op.naive.b32.tn32.st2', /has too much at its end: 'st2'/],
    ['toy_op.naïve', /part 2 should be the path .*found 'naïve'; did you mean 'naive'/],
  ])('that are wrong are refused with the place: %s', (id, message) => {
    expect(() => pointOfId(toyFamily, id)).toThrow(message);
  });

  it('refuse a value that the parameter never has', () => {
    const point = { path: 'naive', block: 48, tileN: 32, stages: 1, swizzle: false };
    expect(() => idOf(toyFamily, point)).toThrow('block is 48, but it takes 32, 64, 128');
  });
});
