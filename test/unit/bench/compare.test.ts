import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { packageRoot } from '../../../src/util/package-root.ts';

it('bench/compare.py does without a GPU what it can', () => {
  const run = () =>
    execFileSync('python3', ['-B', '-m', 'unittest', 'discover', '-s', 'bench'], {
      cwd: packageRoot,
      stdio: 'pipe',
      encoding: 'utf8',
    });
  expect(run).not.toThrow();
});
