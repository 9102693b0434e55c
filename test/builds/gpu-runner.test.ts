import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildWorker } from '../../src/compile/worker.ts';
import { packageRoot } from '../../src/util/package-root.ts';
import { testContext, testToolchain } from '../helpers/toolchain.ts';

test("the runner of GPUs for kernels of one's own links, without the emulated device in it", {
  timeout: 300_000,
}, async () => {
  const context = { ...testContext(), familyFolder: join(packageRoot, 'harness/check') };
  const worker = await buildWorker('cuda', await testToolchain(), context);
  expect(worker.path).toMatch(/worker$/);
});
