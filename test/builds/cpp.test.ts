import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { localExecutor } from '../../src/exec/local.ts';
import { packageRoot } from '../../src/util/package-root.ts';
import { toolEnvironment } from '../helpers/library.ts';

// The C++ side has its own tests, which CMake builds and ctest runs; here they are part of `npm run test:builds`.

const build = join(packageRoot, 'node_modules/.cache/tilewright/cmake');

async function run(...argv: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await localExecutor.run(argv, { env: toolEnvironment });
  expect(exitCode, `${argv.join(' ')}\n${stdout.slice(-6000)}${stderr.slice(-2000)}`).toBe(0);
  return stdout;
}

it('builds without a warning and passes its tests', { timeout: 1_200_000 }, async () => {
  mkdirSync(build, { recursive: true });
  const jobs = `${availableParallelism()}`;
  const configured = await run('cmake', '-S', packageRoot, '-B', build);
  for (const [, skipped] of configured.matchAll(/^-- (.*skipped: .*)$/gm)) console.log(skipped);
  await run('cmake', '--build', build, '--parallel', jobs);
  const report = await run('ctest', '--test-dir', build, '--output-on-failure', '--parallel', jobs);
  expect(report).toContain('100% tests passed');
});
