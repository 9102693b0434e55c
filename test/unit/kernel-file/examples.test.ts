import { expect, it } from 'vitest';
import { described, describedAll } from '../../../src/kernel-file/examples.ts';

it('messages propose fields of structs as descriptions have them', () => {
  expect(described('in', '[N]')).toBe('in: [N]');
  expect(described('p.a.in', '[N]')).toBe('p: { fields: { a.in: [N] } }');
  expect(describedAll(['p.in', 'x', 'p.a.out'], '[9]')).toBe(
    'p: { fields: { in: [9], a.out: [9] } }, x: [9]',
  );
});
