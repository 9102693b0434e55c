import { describe, expect, it } from 'vitest';
import type { AnyFamily } from '../../../src/model/family.ts';
import { validateFamily } from '../../../src/space/validate-family.ts';
import { toyFamily } from '../../helpers/toy-family.ts';

const place = { file: 'toy-op/family.ts', folder: 'toy-op', has: (file: string) => file !== 'operation.hpp' };
const always = () => true;

/** The toy family with some parameters changed or added. */
function withParameters(change: Readonly<Record<string, object>>): AnyFamily {
  const parameters = { ...toyFamily.parameters };
  for (const [name, fields] of Object.entries(change)) {
    parameters[name] = { ...(parameters[name] ?? { label: 'x', doc: 'New.', values: [1, 2] }), ...fields };
  }
  return { ...toyFamily, parameters };
}

describe('validateFamily', () => {
  it('passes a good family through', () => {
    expect(validateFamily(toyFamily, place)).toBe(toyFamily);
  });

  it.each<[string, unknown, RegExp]>([
    ['no object', 7, /toy-op\/family\.ts is not a family:\n.*expected object/s],
    ['a missing function', { ...toyFamily, derive: undefined }, /must be a function\s+→ at derive/],
    ['a misspelt field', { ...toyFamily, constraint: [] }, /Unrecognized key: "constraint"/],
    ['a name unlike the folder', { ...toyFamily, name: 'toy' }, /name is 'toy', but the folder is 'toy-op'/],
    ['two equal labels', withParameters({ tileN: { label: 'b' } }), /label 'b' is used by block and tileN/],
    [
      'a label with digits',
      withParameters({ tileN: { label: 'n4' } }),
      /labels are letters only.*\n.*tileN\.label/,
    ],
    [
      'no values',
      withParameters({ tileN: { values: [] } }),
      /needs at least one value\s+→ at parameters\.tileN\.values/,
    ],
    [
      'a fraction',
      withParameters({ tileN: { values: [0.5] } }),
      /numbers must be whole|must be a whole number/,
    ],
    [
      'a value that is no word',
      withParameters({ path: { values: ['a b'] } }),
      /letters, digits, - and _|must be a whole/,
    ],
    [
      'a value twice',
      withParameters({ tileN: { values: [32, 64, 32] } }),
      /parameter 'tileN' lists 32 twice/,
    ],
    [
      'mixed types',
      withParameters({ tileN: { values: [32, 'wide'] } }),
      /parameter 'tileN' mixes types: 32, "wide"/,
    ],
    ['a taken name', withParameters({ symbol: { label: 'sy' } }), /parameter 'symbol': the name is taken/],
    [
      'a cycle',
      {
        ...toyFamily,
        activations: [
          { parameter: 'stages', on: ['swizzle'], active: always },
          { parameter: 'swizzle', on: ['tileN', 'stages'], active: always },
        ],
      },
      /activations form a cycle: stages -> swizzle -> stages/,
    ],
    [
      'a parameter that activates itself',
      { ...toyFamily, activations: [{ parameter: 'stages', on: ['stages'], active: always }] },
      /activations form a cycle: stages -> stages/,
    ],
    [
      'an activation by a later parameter',
      { ...toyFamily, activations: [{ parameter: 'block', on: ['tileN'], active: always }] },
      /activation of 'block' reads 'tileN', which is declared after it: move 'tileN' up/,
    ],
    [
      'two activations of one parameter',
      { ...toyFamily, activations: [...toyFamily.activations, ...toyFamily.activations] },
      /parameter 'stages' has two activations/,
    ],
    [
      'an activation of nothing',
      { ...toyFamily, activations: [{ parameter: 'stage', on: ['pth'], active: always }] },
      /unknown parameter 'stage'; did you mean 'stages'\?\n.*unknown parameter 'pth'; did you mean 'path'/,
    ],
    [
      'a constraint on an unknown parameter',
      { ...toyFamily, constraints: [{ name: 'fits', doc: 'It fits.', on: ['tileM'], holds: always }] },
      /constraint 'fits' reads unknown parameter 'tileM'; did you mean 'tileN'/,
    ],
    [
      'a constraint called where',
      { ...toyFamily, constraints: [{ name: 'where', doc: 'No.', on: [], holds: always }] },
      /a constraint may not be called 'where'/,
    ],
    [
      'two constraints of one name',
      { ...toyFamily, constraints: [...toyFamily.constraints, toyFamily.constraints[0]] },
      /two constraints are called 'tile-fits'/,
    ],
    [
      'an illegal value in a preset',
      { ...toyFamily, presets: { quick: { doc: 'Some.', where: { block: [64, 48] }, workloads: [] } } },
      /preset 'quick' has block = 48, which is not allowed; choose from 32, 64, 128/,
    ],
    [
      'an illegal value in one part of a preset',
      {
        ...toyFamily,
        presets: { quick: { doc: 'Some.', where: [{ block: [64] }, { block: [65] }], workloads: [] } },
      },
      /preset 'quick' has block = 65, which is not allowed/,
    ],
    [
      'a preset by what every object has',
      { ...toyFamily, presets: { quick: { doc: 'Some.', where: { constructor: [1] }, workloads: [] } } },
      /preset 'quick' narrows unknown parameter 'constructor'/,
    ],
    [
      'a preset that has the name of the one that is made of wisdom',
      { ...toyFamily, presets: { shipped: { doc: 'Some.', workloads: [] } } },
      /preset 'shipped' is made of the folder wisdom\/: choose another name/,
    ],
    [
      'fallbacks that are more than parts',
      { ...toyFamily, presets: { fallback: { doc: 'Some.', holds: () => true, workloads: [] } } },
      /preset 'fallback' is part of the preset 'shipped': say what it holds in `where` alone/,
    ],
    [
      'an unknown parameter in a preset',
      { ...toyFamily, presets: { quick: { doc: 'Some.', where: { tile: [64] }, workloads: [] } } },
      /preset 'quick' narrows unknown parameter 'tile'/,
    ],
    [
      'an unknown workload',
      { ...toyFamily, presets: { quick: { doc: 'Some.', workloads: ['smal'] } } },
      /preset 'quick' names unknown workload 'smal'; did you mean 'small'/,
    ],
    [
      'an unknown sibling',
      { ...toyFamily, comparisons: [{ id: 'wide', problem: {}, sibling: 'wid' }] },
      /comparison 'wide' names unknown sibling 'wid'; did you mean 'wide'/,
    ],
    [
      'two workloads of one id',
      { ...toyFamily, workloads: [...toyFamily.workloads, ...toyFamily.workloads] },
      /two workloads have the id 'small'/,
    ],
  ])('refuses %s', (_, family, message) => {
    expect(() => validateFamily(family, place)).toThrow(message);
  });

  it('names missing files', () => {
    const validate = () => validateFamily(toyFamily, { ...place, has: (file) => file === 'oracle.hpp' });
    expect(validate).toThrow(
      /no file 'kernel\.cu\.hbs'.*\n.*no file 'launch\.hpp'.*\n.*no file 'features\.hpp' .*features of the operation's calls/,
    );
  });

  it('wants no signature in C++ in the folder, which would be another than the rendered one some day', () => {
    expect(() => validateFamily(toyFamily, { ...place, has: () => true })).toThrow(
      'operation.hpp is rendered from the operation wherever it is included: remove the file',
    );
  });

  it('collects all problems into one message', () => {
    const family = { ...withParameters({ tileN: { label: 'b' } }), name: 'toy' };
    expect(() => validateFamily(family, place)).toThrow(/has 2 problems:\n {2}- name is.*\n {2}- label/);
  });
});
