import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { buildWorker } from '../../../src/compile/worker.ts';
import { openDevice } from '../../../src/device/session.ts';
import { EnvironmentError } from '../../../src/errors.ts';
import { localExecutor } from '../../../src/exec/local.ts';
import type { Toolchain } from '../../../src/toolchain/find.ts';
import { folderOf } from '../../helpers/folder.ts';
import { testContext, testToolchain } from '../../helpers/toolchain.ts';

let toolchain: Toolchain;
beforeAll(async () => {
  toolchain = await testToolchain();
});

test('builds a runner that starts; a second build makes nothing', { timeout: 300_000 }, async () => {
  const context = testContext();
  await buildWorker('emulated', toolchain, context);
  const told: string[] = [];
  const tell = (done: number, all: number) => told.push(`${done}/${all}`);
  const again = await buildWorker('emulated', toolchain, context, tell);
  expect(again.cached).toBe(true);
  expect(told).toEqual([]);
  const opened = await openDevice('emulated', again.path, localExecutor);
  if (!opened.available) throw new Error(opened.reason);
  expect(opened.session.info.device).toBe('emulated');
  await opened.session.close();
});

test.each([
  ['without an oracle', {}, /has no oracle\.hpp, which says what the right answer is/],
  [
    'with a broken oracle',
    { 'oracle.hpp': 'int x = nonsense;\n' },
    /the runner does not build .*oracle\.hpp:1:9: error: 'nonsense' was not declared/,
  ],
])('a family %s is told so', { timeout: 300_000 }, async (_, files, message) => {
  const context = { ...testContext(), familyFolder: folderOf(files) };
  const building = () => buildWorker('emulated', toolchain, context);
  await expect(building()).rejects.toThrow(message);
  await expect(building()).rejects.toThrow(EnvironmentError);
});

test('a full disk is no fault of the runner', async () => {
  const folder = folderOf({
    'g++': '#!/bin/sh\necho "fatal error: x: No space left on device" >&2; exit 1\n',
  });
  const cxx = join(folder, 'g++');
  chmodSync(cxx, 0o755);
  const building = buildWorker('emulated', { ...toolchain, cxx }, testContext(folder));
  await expect(building).rejects.toThrow('cannot compile: there is no space left on the disk');
});
