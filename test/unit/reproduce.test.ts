import { expect, test } from 'vitest';
import { reproduction } from '../../src/reproduce.ts';

const variant = { family: 'f', id: 'f.v' };
const evidence = { message: 'wrong', case: 'c', seed: 3 };
const quick = { depth: 'quick' } as const;

test.each([
  [
    'a seed only where schedules are seeded',
    'cuda',
    { depth: 'full' },
    'f.v --device cuda --case c --depth full',
  ],
  ['case and seed', 'emulated', quick, 'f.v --device emulated --case c --seed 3'],
  ['no device where none was asked', 'none', { depth: 'full' }, 'f.v'],
  ['the file that stood for a variant', 'none', { ...quick, file: '/a/f.v.cu' }, '/a/f.v.cu --as f.v'],
] as const)('a verdict is shown again by: %s', (_, device, judging, command) => {
  expect(reproduction(variant, { device, evidence }, judging)).toBe(`npx validate f ${command}`);
});

test('what the evidence does not say is left out', () => {
  const bare = { device: 'emulated', evidence: { message: 'hang' } } as const;
  expect(reproduction(variant, bare, quick)).toBe('npx validate f f.v --device emulated');
});
