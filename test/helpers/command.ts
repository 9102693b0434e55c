import { expect } from 'vitest';
import { localExecutor } from '../../src/exec/local.ts';

/** Output of a command. Fails with its own words unless it says nothing on stderr and ends with 0. */
export async function outputOf(...argv: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await localExecutor.run(argv);
  expect(stderr).toBe('');
  expect(exitCode, stdout).toBe(0);
  return stdout;
}
