import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { EnvironmentError } from '../../../src/errors.ts';
import { localExecutor } from '../../../src/exec/local.ts';
import { installParts } from '../../../src/toolchain/install.ts';
import { parts } from '../../../src/toolchain/parts.ts';
import { withVendorLibraries } from '../../../src/toolchain/toolchain.ts';
import { folderOf } from '../../helpers/folder.ts';

/**
 * A python3 whose pip behaves as the body says; `$target` is the folder to install into. The real download is tested by
 * every first `npm test` on a machine.
 */
function python(body: string, pip = 'echo pip 24.0'): string {
  const folder = folderOf();
  const script = `#!/bin/sh
case "$*" in
  *--version) ${pip} ;;
  *"-m venv"*) exit 1 ;;
  *) while [ "$1" != --target ]; do shift; done; target=$2
${body} ;;
esac
`;
  writeFileSync(join(folder, 'python3'), script);
  chmodSync(join(folder, 'python3'), 0o755);
  return folder;
}

const wheels = `mkdir -p $target/nvidia/cu13/bin $target/nvidia/cu13/lib $target/nvidia/cu13/nvvm/bin
for f in bin/nvcc lib/libcudart.so.13 lib/libnvvm.so.4 nvvm/bin/cicc; do echo $f > $target/nvidia/cu13/$f; done`;

async function install(path: string, cache: string, lines: string[] = []): Promise<string[]> {
  const environment = { PATH: `${path}:/usr/bin:/bin`, TILEWRIGHT_CACHE: cache };
  await installParts([parts.compile], {
    executor: localExecutor,
    environment,
    progress: (line) => lines.push(line),
  });
  return lines;
}

describe('installParts', () => {
  test('says what and how much, and gives the wheels the usual layout by relative links', async () => {
    const cache = folderOf();
    const lines = await install(python(wheels), cache);
    expect(lines[0]).toBe(
      `installing CUDA 13.0's compiler into ${cache}/cuda-13.0 (about 105 MB to download, 290 MB on disk)`,
    );
    const root = join(cache, 'cuda-13.0/root');
    expect(readFileSync(join(root, 'bin/nvcc'), 'utf8')).toBe('bin/nvcc\n');
    expect(readlinkSync(join(root, 'bin/nvcc'))).toBe('../../parts/compile/nvidia/cu13/bin/nvcc');
    expect(readlinkSync(join(root, 'lib64'))).toBe('lib');
    expect(readlinkSync(join(root, 'lib/libcudart.so'))).toBe('libcudart.so.13');
    expect(readFileSync(join(root, 'nvvm/lib64/libnvvm.so'), 'utf8')).toBe('lib/libnvvm.so.4\n');
    expect(lstatSync(join(root, 'lib/stubs')).isDirectory()).toBe(true);
    expect(readdirSync(join(cache, 'cuda-13.0')).sort()).toEqual(['parts', 'root']);
    expect(existsSync(join(cache, 'cuda-13.0.lock'))).toBe(false);
  });

  test('installs once, also when two ask at the same time', async () => {
    const cache = folderOf();
    const slow = python(`sleep 0.3; ${wheels}; echo once >> ${cache}/log`);
    const lines: string[] = [];
    await Promise.all([install(slow, cache, lines), install(slow, cache, lines)]);
    await install(slow, cache, lines);
    expect(readFileSync(join(cache, 'log'), 'utf8')).toBe('once\n');
    expect(lines.join('\n')).toContain(`waiting for process ${process.pid}`);
  });

  test.each([
    [
      'no network',
      'echo "WARNING: Retrying NewConnectionError: Temporary failure in name resolution" >&2; exit 1',
      /cannot be reached.*PIP_INDEX_URL.*CUDA_HOME/,
    ],
    [
      'no such wheel',
      'echo "ERROR: No matching distribution found for cuda-toolkit" >&2; exit 1',
      /no such wheels for this machine/,
    ],
    [
      'a full disk',
      'echo "ERROR: OSError: [Errno 28] No space left on device" >&2; exit 1',
      /no space left on the disk/,
    ],
    ['something else', 'echo "ERROR: what?" >&2; exit 2', /pip failed.*\n.*pip: ERROR: what\?/],
  ])('%s: nothing is left behind', async (_, body, message) => {
    const cache = folderOf();
    const installing = () => install(python(`mkdir -p $target/half; ${body}`), cache);
    await expect(installing()).rejects.toThrow(message);
    await expect(installing()).rejects.toThrow(EnvironmentError);
    expect(existsSync(join(cache, 'cuda-13.0/parts/compile'))).toBe(false);
    await install(python(wheels), cache);
    expect(existsSync(join(cache, 'cuda-13.0/root/bin/nvcc'))).toBe(true);
  });

  test('a wheel that is not the one that was tested is refused', { timeout: 120_000 }, async () => {
    const files = folderOf({
      'cmake-4.4.4.dist-info/METADATA': 'Metadata-Version: 2.1\nName: cmake\nVersion: 4.4.4\n',
      'cmake-4.4.4.dist-info/WHEEL': 'Wheel-Version: 1.0\nTag: py3-none-any\n',
      'cmake-4.4.4.dist-info/RECORD': '',
      'cmake/__init__.py': '',
    });
    const wheel = 'cmake-4.4.4-py3-none-any.whl';
    const zip = ['python3', '-m', 'zipfile', '-c', wheel, 'cmake', 'cmake-4.4.4.dist-info'];
    expect((await localExecutor.run(zip, { cwd: files })).exitCode).toBe(0);
    vi.stubEnv('PIP_NO_INDEX', '1');
    vi.stubEnv('PIP_FIND_LINKS', files);
    onTestFinished(() => void vi.unstubAllEnvs());
    const cache = folderOf();
    const environment = { PATH: process.env.PATH ?? '', TILEWRIGHT_CACHE: cache };
    const installing = installParts([parts.cmake], {
      executor: localExecutor,
      environment,
      progress: () => {},
    });
    await expect(installing).rejects.toThrow(/offers other files than those that were tested/);
    expect(existsSync(join(cache, 'cuda-13.0/parts/cmake'))).toBe(false);
  });

  test('what a killed installation left is removed', async () => {
    const cache = folderOf({ 'cuda-13.0/tmp-compile-7/site/half': 'x', 'cuda-13.0/root.new-7/half': 'x' });
    await install(python(wheels), cache);
    expect(readdirSync(join(cache, 'cuda-13.0')).sort()).toEqual(['parts', 'root']);
  });

  test('neither pip nor venv: says which package to install', async () => {
    await expect(install(python(wheels, 'exit 1'), folderOf())).rejects.toThrow(
      /apt-get install python3-venv/,
    );
  });

  test('no python3 at all', async () => {
    const environment = { PATH: '/nowhere', TILEWRIGHT_CACHE: folderOf() };
    const installing = installParts([parts.compile], {
      executor: localExecutor,
      environment,
      progress: () => {},
    });
    await expect(installing).rejects.toThrow(/there is no python3/);
  });

  test('a cache that cannot be made', async () => {
    const cache = join(folderOf({ file: '' }), 'file');
    await expect(install(python(wheels), cache)).rejects.toThrow(
      /cannot create .*: a file is in the way; name another folder with TILEWRIGHT_CACHE$/,
    );
    await expect(install(python(wheels), join(cache, 'below'))).rejects.toThrow(
      /: a part of the path is a file, not a folder; name another folder with TILEWRIGHT_CACHE$/,
    );
  });
});

describe('withVendorLibraries', () => {
  const ask = async (path: string, cache: string, libraryPath: string[], install = true) => {
    const lines: string[] = [];
    const environment = { PATH: `${path}:/usr/bin:/bin`, TILEWRIGHT_CACHE: cache };
    const toolchain = {
      ...{ cudaHome: '/c', nvcc: '/c/bin/nvcc', nvccVersion: '13.0.88', origin: 'CUDA_HOME' as const },
      ...{ cxx: 'g++', cxxVersion: '12.2.0', libraryPath },
    };
    const options = {
      executor: localExecutor,
      environment,
      install,
      progress: (line: string) => lines.push(line),
    };
    return { lines, libraryPath: (await withVendorLibraries(toolchain, options)).libraryPath };
  };
  const cusparse = 'mkdir -p $target/nvidia/cu13/lib; touch $target/nvidia/cu13/lib/libcusparse.so.12';

  test('takes the one beside the toolkit', async () => {
    const lib = folderOf({ 'libcusparse.so.12': '' });
    expect(await ask('/nowhere', '/nowhere', [lib])).toEqual({ lines: [], libraryPath: [lib] });
  });

  test('installs it where there is none, once', async () => {
    const cache = folderOf();
    const first = await ask(python(cusparse), cache, ['/c/lib']);
    expect(first.libraryPath).toEqual(['/c/lib', join(cache, 'cuda-13.0/root/lib')]);
    expect(first.lines[0]).toMatch(/installing CUDA 13\.0's cuSPARSE/);
    expect((await ask('/nowhere', cache, ['/c/lib'])).libraryPath).toEqual(first.libraryPath);
  });

  test.each([
    ['may not', false, /there is no cuSPARSE to compare with: `npx gen toolchain install --with cusparse`/],
    ['cannot', true, /going on without cuSPARSE to compare with: .*pip failed/],
  ])('goes on without it where it %s be installed', async (_, install, says) => {
    const { lines, libraryPath } = await ask(python('exit 1'), folderOf(), ['/c/lib'], install);
    expect(libraryPath).toEqual(['/c/lib']);
    expect(lines.join('\n')).toMatch(says);
  });
});
