import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildWorker } from '../../src/compile/worker.ts';
import { openDevice } from '../../src/device/session.ts';
import { localExecutor } from '../../src/exec/local.ts';
import { packageRoot } from '../../src/util/package-root.ts';
import { testContext, testToolchain } from '../helpers/toolchain.ts';

test('builds the runner of the device cuda, which says why there is none', { timeout: 300_000 }, async () => {
  const worker = await buildWorker('cuda', await testToolchain(), testContext());
  const opened = await openDevice('cuda', worker.path, localExecutor);
  if (opened.available) return opened.session.close(); // a machine with a GPU
  expect(opened.reason).toMatch(/driver|device/i);
});

test("the runner of GPUs for kernels of one's own links, without the emulated device in it", {
  timeout: 300_000,
}, async () => {
  const context = { ...testContext(), familyFolder: join(packageRoot, 'harness/check') };
  const worker = await buildWorker('cuda', await testToolchain(), context);
  expect(worker.path).toMatch(/worker$/);
});
