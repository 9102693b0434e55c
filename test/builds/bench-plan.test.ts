import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { localExecutor } from '../../src/exec/local.ts';
import { packageRoot } from '../../src/util/package-root.ts';

it('bench/plan.cpp builds and runs with the command that docs/results/README.md gives', {
  timeout: 120_000,
}, async () => {
  const page = readFileSync(join(packageRoot, 'docs/results/README.md'), 'utf8');
  const command = page.split('```sh\n').find((block) => block.includes('bench/plan.cpp')) ?? '';
  const build = mkdtempSync(join(tmpdir(), 'tilewright-plan-'));
  const script = command.replace(/```[\s\S]*/, '').replaceAll(/(?<=[ /])build(?=[ /])/g, build);
  const done = await localExecutor.run(['bash', '-c', script], { cwd: packageRoot });
  expect(done.exitCode, done.stderr).toBe(0);
  expect(done.stdout).toMatch(/4096, blocks of 64: schedule [\d.]+ ms\n {2}groups of 2: \d+ steps/);
  expect(done.stdout).toMatch(/8192, blocks of 128: .*\n {2}longest list 1\d\d\.\d steps, mean 1\d\d\.\d\n/);
  // 2048 tiles of 128 x 256 with an eighth of 64 steps each, of 96 KiB: 1610.6 MB on average.
  expect(done.stdout).toMatch(/\n {2}16\d\d\.\d MB from L2 into the SMs, 1\d\d\.\d us at 10\.1 TB\/s\n$/);
});
