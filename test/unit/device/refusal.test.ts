import { expect, it } from 'vitest';
import { refusal } from '../../../src/device/refusal.ts';
import { UsageError } from '../../../src/errors.ts';

it('a file that a problem names is at fault for itself, and not the family', () => {
  const problem = { block: 64, pattern: { kind: 'matrix-market', path: '/home/a/bad.mtx' }, seed: 1 };
  const variant = { id: 'op.t64', symbol: 'op', artifact: '', parameters: {}, deterministic: true };
  const cases = [
    { id: 'bad.mtx', tier: 'structures' as const, problem },
    { id: 'nan', tier: 'non-finite' as const, problem: { seed: 2 } },
  ];
  const said = (message: string, item: string) =>
    refusal(
      { event: 'error', id: '1', blame: 'problem', message },
      { job: { variant, cases }, case: item, folder: '/family' },
    );
  const ofFile = said('/home/a/bad.mtx:3: row 9 lies outside the matrix of 3 x 3', 'bad.mtx');
  expect(ofFile).toBeInstanceOf(UsageError);
  expect(ofFile.message).toBe(
    "/home/a/bad.mtx:3: row 9 lies outside the matrix of 3 x 3 (case 'bad.mtx' of op.t64)",
  );
  expect(said('count must be at least 1', 'nan').message).toBe(
    "/family/family.ts: the family asks for a problem that its oracle refuses: count must be at least 1 (case 'nan' of op.t64)",
  );
});
