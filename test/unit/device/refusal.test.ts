import { expect, it } from 'vitest';
import { refusal } from '../../../src/device/refusal.ts';
import { EnvironmentError, UsageError } from '../../../src/errors.ts';

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

it('a dump that cannot be written and a launch without room are no bugs', () => {
  const variant = { id: 'x.cu:sum', symbol: 'sum', artifact: '', parameters: {}, deterministic: true };
  const said = (blame: 'dump' | 'size', message: string) =>
    refusal(
      { event: 'error', id: '1', blame, message },
      { job: { variant, cases: [] }, case: 'n=9', folder: '' },
    );
  const dump = said('dump', 'cannot create /proc/d: No such file or directory');
  expect(dump).toBeInstanceOf(EnvironmentError);
  expect(dump.message).toBe(
    "cannot write what --dump asks for: cannot create /proc/d: No such file or directory (case 'n=9' of x.cu:sum); free space there, or name another folder with --dump",
  );
  const size = said('size', 'more than 64 thread blocks wait for each other');
  expect(size).toBeInstanceOf(UsageError);
  expect(size.message).toBe("more than 64 thread blocks wait for each other (case 'n=9' of x.cu:sum)");
});
