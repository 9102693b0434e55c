// Host cost of a plan's run: no allocation, with the library's own code and a stand-in for CUDA's runtime.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { localExecutor } from '../../src/exec/local.ts';
import { packageRoot } from '../../src/util/package-root.ts';
import { folderOf } from '../helpers/folder.ts';
import { emitTestLibrary } from '../helpers/library.ts';
import { testToolchain } from '../helpers/toolchain.ts';

const line = z.object({
  variant: z.string(),
  call: z.enum(['aligned', 'fallback']),
  threads: z.number(),
  ownNsMedian: z.number(),
  keyedAboveNsMedian: z.number(),
  keyedAboveNsP99: z.number(),
  single: z.object({
    planNsMedian: z.number(),
    planNsP99: z.number(),
    keyedNsMedian: z.number(),
    keyedNsP99: z.number(),
    aboveNsMedian: z.number(),
    aboveNsP99: z.number(),
    launchNsMedian: z.number(),
    launchNsP99: z.number(),
    controlNsMedian: z.number(),
    controlNsP99: z.number(),
  }),
  allocationsPerRun: z.number(),
  launchesPerRun: z.number(),
});

it('a run allocates nothing up to its one launch, on one thread and on 16, nor does a call by key', {
  timeout: 300_000,
}, async () => {
  const { cudaHome } = await testToolchain();
  const library = await emitTestLibrary({
    out: folderOf(),
    presets: ['shipped'],
    where: 'input == "f16" && output == "f16"',
    cuda: 'empty',
  });
  const argv = [join(packageRoot, 'bench/plan-run'), '--cuda', cudaHome, '--library', library.path];
  const { exitCode, stdout, stderr } = await localExecutor.run([...argv, '--samples', '50']);
  expect(exitCode, stderr).toBe(0);
  const [origin, ...calls] = stdout
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text));
  expect(origin).toMatchObject({ command: 'bench/plan-run', gpu: '' });
  const lines = calls.map((one) => line.parse(one));
  // Three block sizes, each as the winner takes it and as a fallback has to.
  expect(lines.map(({ call, threads }) => `${call} ${threads}`)).toEqual(
    [32, 64, 128].flatMap(() => ['aligned 1', 'aligned 16', 'fallback 1', 'fallback 16']),
  );
  for (const { call, variant, allocationsPerRun, launchesPerRun, keyedAboveNsMedian } of lines) {
    expect(variant).toMatch(/^bsr_spmm\.wgmma\./);
    // 33 to 47 where nothing else runs: a lock, an allocation or a plan made anew would be far above.
    expect(keyedAboveNsMedian).toBeLessThan(400);
    expect(allocationsPerRun).toBe(0);
    // Half of the runs are by key. By key a kernel may be chosen that has such a B packed first.
    expect(launchesPerRun).toBeOneOf(call === 'aligned' ? [1] : [1, 1.5]);
  }
});
