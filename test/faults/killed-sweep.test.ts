import { randomUUID } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { buildWorker } from '../../src/compile/worker.ts';
import { folderOf } from '../helpers/folder.ts';
import { edit, genArgv, workspace } from '../helpers/gen.ts';
import { testContext, testToolchain } from '../helpers/toolchain.ts';
import { marked, start, until } from './processes.ts';
import { count, rounds } from './rounds.ts';

beforeAll(async () => {
  await buildWorker('emulated', await testToolchain(), testContext());
}, 600_000);

/** Ten seconds of work for ptxas. */
const slow = `__global__ void slow(float* y) {
  float a[64];
  for (int i = 0; i < 64; i++) a[i] = y[i];
#pragma unroll
  for (int i = 0; i < 3000; i++)
#pragma unroll
    for (int j = 0; j < 64; j++) a[j] = a[(j + 7) % 64] * a[(i * 13 + j) % 64] + y[(i * 64 + j) & 1023];
  for (int i = 0; i < 64; i++) y[i] = a[i];
}
`;

test('a sweep that is killed in mid-compile leaves no compiler, no runner and no temporary file behind', async () => {
  for (let round = 0; round < rounds(5); round++) {
    const mark = randomUUID();
    const temporary = folderOf();
    const { path, family } = workspace({ fresh: true });
    edit(join(family, 'scale.cu.hbs'), (text) => `${text}#include "slow.cuh"\n`);
    writeFileSync(join(family, 'slow.cuh'), slow);
    const argv = [...genArgv, 'sweep', 'scale', '--preset', 'sound', '--device', 'emulated'];
    const sweep = start(argv, path, { TILEWRIGHT_MARK: mark, TMPDIR: temporary });
    const compiler = /ptxas|cicc|cc1plus|cudafe/;
    expect(await until(() => marked(mark).some(({ line }) => compiler.test(line)), 20), sweep.output()).toBe(
      true,
    );
    await sleep(Math.random() * 2000);
    sweep.process.kill('SIGKILL');
    await sweep.ended;
    await until(() => marked(mark).length === 0, 1);
    expect(marked(mark)).toEqual([]);
    await until(() => readdirSync(temporary).length === 0, 5);
    expect(readdirSync(temporary)).toEqual([]);
  }
  count('sweeps killed while they compiled', rounds(5));
});
