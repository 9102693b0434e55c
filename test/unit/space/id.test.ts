import { describe, expect, it } from 'vitest';
import type { AnyFamily } from '../../../src/model/family.ts';
import type { Parameter } from '../../../src/model/parameter.ts';
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

  it('leave out what is usual on their path', () => {
    const usual = { mma: 3 };
    const { stages } = toyFamily.parameters as Record<string, Parameter>;
    const family = {
      ...toyFamily,
      parameters: { ...toyFamily.parameters, stages: { ...stages, usual } },
    } as AnyFamily;
    const point = { path: 'mma', block: 64, tileN: 32, stages: 3, swizzle: false };
    expect(idOf(family, point)).toMatch(/^toy_op\.mma\.b64-[0-9a-f]{4}$/);
    expect(idOf(family, { ...point, stages: 1 })).toMatch(/^toy_op\.mma\.b64\.st1-[0-9a-f]{4}$/);
    expect(pointOfId(family, 'toy_op.mma.b64')).toEqual(point);
    expect(pointOfId(family, 'toy_op.mma.b64.tn32.st3.sw0')).toEqual(point);
  });

  it('say a usual value where the next one would be taken for it', () => {
    const types = (name: string) => ({ label: '', doc: name, values: ['f16', 'bf16'] });
    const { path } = toyFamily.parameters as Record<string, Parameter>;
    const family = {
      ...toyFamily,
      activations: [],
      parameters: { path, input: types('input'), output: types('output') },
    } as unknown as AnyFamily;
    const point = { path: 'naive', input: 'f16', output: 'bf16' };
    expect(idOf(family, point)).toMatch(/^toy_op\.naive\.f16\.bf16-[0-9a-f]{4}$/);
    expect(pointOfId(family, idOf(family, point))).toEqual(point);
    expect(pointOfId(family, 'toy_op.naive.bf16')).toMatchObject({ input: 'bf16', output: 'f16' });
  });

  it('stay what they are where a parameter is added', () => {
    const point = { path: 'naive', block: 64, tileN: 32, stages: 1, swizzle: false };
    const added = { label: 'x', doc: 'New.', values: [false, true] };
    const family = { ...toyFamily, parameters: { ...toyFamily.parameters, added } } as AnyFamily;
    expect(idOf(family, { ...point, added: false })).toBe(idOf(toyFamily, point));
  });

  it('become C identifiers', () => {
    expect(symbolOf('toy_op.mma.b32')).toBe('toy_op_mma_b32');
  });

  it.each([
    ['toyop.mma', /'toyop\.mma' is not an id of toy-op: those begin with 'toy_op\.'/],
    ['toy_op.mma.b32.tn96', /part 4 should be the tileN \(tn32, tn64, tn128\), found 'tn96'/],
    ['toy_op', /part 2 should be the path \(naive, simt, mma\), the id ends/],
    ['toy_op.naive.b32.tn64.st2', /part 5 is 'st2', which no parameter takes there/],
    ['toy_op.mma.b64.tn64.b32', /part 5 is 'b32', which no parameter takes there/],
    ['toy_op.mma.b64-0000', /mistyped, .*its values have the digest [0-9a-f]{4}/],
    ['toy_op.naïve', /part 2 should be the path .*found 'naïve'; did you mean 'naive'/],
  ])('that are wrong are refused with the place: %s', (id, message) => {
    expect(() => pointOfId(toyFamily, id)).toThrow(message);
  });

  it('refuse a value that the parameter never has', () => {
    const point = { path: 'naive', block: 48, tileN: 32, stages: 1, swizzle: false };
    expect(() => idOf(toyFamily, point)).toThrow('block: 48 is not allowed; choose from 32, 64, 128');
  });
});
