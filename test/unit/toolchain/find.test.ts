import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EnvironmentError } from '../../../src/errors.ts';
import { localExecutor } from '../../../src/exec/local.ts';
import { findCxx, findToolkit } from '../../../src/toolchain/find.ts';
import { ensureToolchain } from '../../../src/toolchain/toolchain.ts';
import { folderOf } from '../../helpers/folder.ts';

/** A program that prints a text: only what it answers to `--version` is looked at. */
function program(path: string, prints: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho '${prints}'\n`);
  chmodSync(path, 0o755);
}

function toolkit(version = '13.0.88'): string {
  const home = folderOf({ 'include/cuda_fp16.h': '', 'lib/libcudart_static.a': '' });
  program(join(home, 'bin/nvcc'), `Cuda compilation tools, release ${version.slice(0, 4)}, V${version}`);
  return home;
}

const nothing = { PATH: '/usr/bin:/bin', TILEWRIGHT_CACHE: '/nowhere' };

describe('findToolkit', () => {
  test('CUDA_HOME comes before PATH', async () => {
    const [home, other] = [toolkit('13.0.88'), toolkit('13.1.5')];
    const environment = { ...nothing, CUDA_HOME: home, PATH: `${other}/bin:/usr/bin:/bin` };
    expect((await findToolkit(environment, localExecutor)).toolkit).toMatchObject({
      cudaHome: home,
      nvccVersion: '13.0.88',
      origin: 'CUDA_HOME',
      libraryPath: [join(home, 'lib')],
    });
  });

  test('PATH is looked at where CUDA_HOME is not set', async () => {
    const home = toolkit('12.8.93');
    const environment = { ...nothing, PATH: `${home}/bin:/usr/bin:/bin` };
    expect((await findToolkit(environment, localExecutor)).toolkit).toMatchObject({
      origin: 'PATH',
      nvccVersion: '12.8.93',
    });
  });

  test('our own installation comes last', async () => {
    const cache = folderOf();
    const root = join(cache, 'cuda-13.0/root');
    program(join(root, 'bin/nvcc'), 'V13.0.88');
    mkdirSync(join(root, 'include'));
    writeFileSync(join(root, 'include/cuda_fp16.h'), '');
    const found = await findToolkit({ ...nothing, TILEWRIGHT_CACHE: cache }, localExecutor);
    expect(found.toolkit?.origin).toBe('installed');
  });

  test.each<[string, (home: string) => void, RegExp]>([
    ['no nvcc', () => {}, /no bin\/nvcc/],
    ['an old nvcc', (home) => program(join(home, 'bin/nvcc'), 'V11.8.89'), /CUDA 11\.8\.89; 12\.0 or newer/],
    ['an nvcc that does not run', (home) => program(join(home, 'bin/nvcc'), 'nonsense'), /does not answer/],
    ['no headers', (home) => program(join(home, 'bin/nvcc'), 'V13.0.88'), /no include\/cuda_fp16\.h/],
  ])('a CUDA_HOME with %s is passed over, and said so', async (_, make, why) => {
    const home = folderOf();
    make(home);
    const { passed } = await findToolkit({ ...nothing, CUDA_HOME: home }, localExecutor);
    expect(passed[0]).toMatchObject({ home, why: expect.stringMatching(why) });
  });
});

describe('findCxx', () => {
  test('finds g++ on PATH', async () => {
    const found = await findCxx({ PATH: process.env.PATH }, localExecutor);
    expect(Number.parseInt(found.cxxVersion, 10)).toBeGreaterThanOrEqual(12);
  });

  test('leaves a Clang in CXX to what packages are built with', async () => {
    const CXX = join(folderOf(), 'zig-c++');
    program(CXX, 'clang version 22.1.8');
    const found = await findCxx({ PATH: process.env.PATH, CXX }, localExecutor);
    expect(found).toEqual(await findCxx({ PATH: process.env.PATH }, localExecutor));
  });

  test.each<[string, (folder: string) => Record<string, string>, RegExp]>([
    ['none', () => ({ PATH: '/nowhere' }), /no C\+\+ compiler 'g\+\+': install it .*apt-get install g\+\+/],
    ['one that is not there', () => ({ CXX: '/nowhere/g++-13' }), /no C\+\+ compiler '\/nowhere\/g\+\+-13'/],
    [
      'an old one',
      (folder) => ({ CXX: join(folder, 'g++') }),
      /is version 11\.4\.0, but g\+\+ 12 or newer is needed/,
    ],
  ])("%s is the machine's fault", async (_, environment, message) => {
    const folder = folderOf();
    program(join(folder, 'g++'), '11.4.0');
    const finding = () => findCxx(environment(folder), localExecutor);
    await expect(finding()).rejects.toThrow(message);
    await expect(finding()).rejects.toThrow(EnvironmentError);
  });
});

describe('ensureToolchain', () => {
  const options = { executor: localExecutor, install: false, progress: () => {} };

  test('uses what is there and installs nothing', async () => {
    const home = toolkit();
    const environment = { ...nothing, CUDA_HOME: home };
    expect(await ensureToolchain({ ...options, environment })).toMatchObject({
      cudaHome: home,
      origin: 'CUDA_HOME',
    });
  });

  test.runIf(process.env.CUDA_HOME === undefined)(
    '--no-install says what is missing and what to do',
    async () => {
      const home = folderOf();
      const environment = { ...nothing, CUDA_HOME: home };
      const asking = () => ensureToolchain({ ...options, environment });
      await expect(asking()).rejects.toThrow(
        /has no bin\/nvcc.*CUDA 13\.0's compiler.*--no-install.*gen toolchain install.*CUDA_HOME/,
      );
    },
  );

  test('--no-install refuses further parts too', async () => {
    const environment = { ...nothing, CUDA_HOME: toolkit() };
    await expect(ensureToolchain({ ...options, environment, with: ['cusparse'] })).rejects.toThrow(
      /cuSPARSE/,
    );
  });
});
