import { describe, expect, it } from 'vitest';
import { defaultArch } from '../../../src/arch/index.ts';
import type { Arch } from '../../../src/model/arch.ts';
import { explain } from '../../../src/space/explain.ts';
import { oldArch, toyFamily } from '../../helpers/toy-family.ts';

const why = (text: string, arch = defaultArch) => explain(toyFamily, text, arch);
const verdicts = (text: string, arch?: Arch) =>
  Object.fromEntries(why(text, arch).verdicts.map(({ constraint, holds }) => [constraint, holds]));

describe('explain', () => {
  it('says of every constraint whether it holds', () => {
    const point = 'path=mma block=32 tileN=128 stages=4 swizzle=true';
    expect(verdicts(point)).toEqual({
      'tile-fits': false,
      'shared-memory': true,
      'swizzle-needs-64': false,
      'not-supported': true,
    });
    expect(why(point)).toMatchObject({
      id: 'toy_op.mma.tn128.st4.sw1-c1b5',
      legal: false,
      missing: [],
      inactive: [],
    });
  });

  it('takes an id as well, and says what each constraint read', () => {
    const { legal, verdicts: all } = why('toy_op.mma.b64.tn128.st4.sw1');
    expect(legal).toBe(true);
    expect(all[1]).toEqual({
      constraint: 'shared-memory',
      doc: 'All stages fit shared memory.',
      holds: true,
      reads: { block: 64, tileN: 128, stages: 4 },
    });
  });

  it('leaves open what depends on missing parameters, and lists those', () => {
    const { id, legal, missing } = why('path=mma block=32');
    expect(verdicts('path=mma block=32')).toEqual({
      'tile-fits': undefined,
      'shared-memory': undefined,
      'swizzle-needs-64': undefined,
      'not-supported': undefined,
    });
    expect({ id, legal }).toEqual({ id: undefined, legal: undefined });
    expect(missing).toEqual([
      { parameter: 'tileN', values: [32, 64, 128] },
      { parameter: 'stages', values: [1, 2, 3, 4] },
      { parameter: 'swizzle', values: [false, true] },
    ]);
  });

  it('does not ask for inactive parameters', () => {
    expect(why('path=simt, block=64, tileN=64, stages=4')).toMatchObject({
      id: 'toy_op.simt.b64.tn64-4270',
      inactive: ['stages', 'swizzle'],
      missing: [],
      legal: true,
    });
  });

  it('gives the reason why an arch cannot run the point', () => {
    const last = why('toy_op.mma.b64.tn64.st1', oldArch).verdicts.at(-1);
    expect(last).toMatchObject({
      constraint: 'not-supported',
      holds: false,
      doc: 'no mma.sync m16n8k16 before sm_80',
    });
  });

  it.each(['toString', 'constructor', '__proto__'])('does not take %s for a parameter', (name) => {
    expect(() => why(`${name}=1`)).toThrow(new RegExp(`^unknown parameter '${name}'; there are [^\\n]*$`));
  });

  it('reports every mistake at once', () => {
    const wrong = () => why('path=mna blok=32 tileN=48 stages swizzle=1 swizzle=0');
    expect(wrong).toThrow(
      [
        "path: mna is not allowed; choose from naive, simt, mma; did you mean 'mma'?",
        "unknown parameter 'blok'; there are path, block, tileN, stages, swizzle; did you mean 'block'?",
        'tileN: 48 is not allowed; choose from 32, 64, 128',
        "'stages' is not of the form name=value",
        'swizzle is given twice',
      ].join('\n'),
    );
  });
});
