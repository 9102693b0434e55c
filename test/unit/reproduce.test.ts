import { expect, test } from 'vitest';
import { reproduction } from '../../src/reproduce.ts';

const variant = { family: 'f', id: 'f.v' };
const evidence = { message: 'wrong', case: 'c', seed: 3 };
const quick = { depth: 'quick', settings: {} } as const;
const full = { depth: 'full', settings: {} } as const;
const other = { arch: 'sm_80', config: 'my config.ts', out: '/o', watchdog: 60 };

test.each([
  ['a seed only where schedules are seeded', 'cuda', full, 'f.v --device cuda --case c --depth full'],
  ['case and seed', 'emulated', quick, 'f.v --device emulated --case c --seed 3'],
  ['no device where none was asked', 'none', full, 'f.v'],
  ['the file that stood for a variant', 'none', { ...quick, file: '/a/f.v.cu' }, '/a/f.v.cu --as f.v'],
  ['a file that a shell would split', 'none', { ...quick, file: '/a b/f.cu' }, "'/a b/f.cu' --as f.v"],
  [
    'all that was set otherwise',
    'emulated',
    { ...quick, settings: other },
    "f.v --device emulated --case c --seed 3 --watchdog 60 --arch sm_80 --config 'my config.ts' --out /o",
  ],
  [
    'no patience with a device where none was asked',
    'none',
    { ...quick, settings: other },
    "f.v --arch sm_80 --config 'my config.ts' --out /o",
  ],
] as const)('a verdict is shown again by: %s', (_, device, judging, command) => {
  expect(reproduction(variant, { device, evidence }, judging)).toBe(`npx validate f ${command}`);
});

test('what the evidence does not say is as it was asked for, or left out', () => {
  const bare = { device: 'emulated', evidence: { message: 'hang' } } as const;
  expect(reproduction(variant, bare, quick)).toBe('npx validate f f.v --device emulated');
  expect(reproduction(variant, bare, { ...quick, case: 'c', seed: 5 })).toBe(
    'npx validate f f.v --device emulated --case c --seed 5',
  );
});
