import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { localExecutor } from '../../../src/exec/local.ts';
import { diagnose } from '../../../src/toolchain/doctor.ts';
import { folderOf } from '../../helpers/folder.ts';
import { testToolchain } from '../../helpers/toolchain.ts';

test('says of a bare machine what is missing and what to do', async () => {
  const environment = { PATH: '/nowhere', TILEWRIGHT_CACHE: folderOf(), CUDA_HOME: '/nowhere' };
  const checks = await diagnose(localExecutor, environment, folderOf());
  const of = (name: string) => checks.filter((check) => check.name === name);
  expect(of('Node')[0]?.state).toBe('ok');
  expect(of('g++')[0]).toMatchObject({
    state: 'missing',
    advice: expect.stringContaining('apt-get install g++'),
  });
  expect(of('Python')[0]).toMatchObject({
    state: 'optional',
    advice: expect.stringContaining('python3-venv'),
  });
  expect(of('CUDA toolkit')[0]?.found).toBe('/nowhere: it has no bin/nvcc');
  expect(of('cmake')[0]?.advice).toContain('gen toolchain install --with cmake');
  expect(of('disk')).toHaveLength(2);
});

test('says of this machine that it has what the tests need', async () => {
  const checks = await diagnose(localExecutor, process.env, folderOf());
  for (const name of ['Node', 'g++', 'CUDA toolkit', 'ptxas', 'disk']) {
    expect(checks.findLast((check) => check.name === name)).toMatchObject({ state: 'ok' });
  }
});

test('says where a program lies that this package installed', async () => {
  const cmake = 'cuda-13.0/root/bin/cmake';
  const cache = folderOf({ [cmake]: '#!/bin/sh\necho cmake version 9.8.7\n' });
  chmodSync(join(cache, cmake), 0o755);
  const checks = await diagnose(localExecutor, { PATH: '/nowhere', TILEWRIGHT_CACHE: cache }, folderOf());
  const found = checks.find(({ name }) => name === 'cmake');
  expect(found).toMatchObject({ state: 'ok', found: `9.8.7, ${join(cache, cmake)}` });
});

test('finds cuSPARSE where a run does: also where this package installs it', async () => {
  const { cudaHome } = await testToolchain();
  const library = 'cuda-13.0/root/lib/libcusparse.so.12';
  const asked = async (cache: string) => {
    const environment = { ...process.env, CUDA_HOME: cudaHome, TILEWRIGHT_CACHE: cache };
    const checks = await diagnose(localExecutor, environment, folderOf());
    return checks.find(({ name }) => name === 'cuSPARSE');
  };
  const cache = folderOf({ [library]: '' });
  expect(await asked(cache)).toMatchObject({
    state: 'ok',
    found: expect.stringMatching(/libcusparse\.so\.12$/),
  });
});
