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
import { describe, expect, test } from 'vitest';
import { EnvironmentError } from '../../../src/errors.ts';
import { localExecutor } from '../../../src/exec/local.ts';
import { installParts } from '../../../src/toolchain/install.ts';
import { withLock } from '../../../src/toolchain/lock.ts';
import { parts } from '../../../src/toolchain/parts.ts';
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
    await expect(install(python(wheels), cache)).rejects.toThrow(/cannot create .*: a file is in the way/);
  });
});

test('the lock of a dead process is taken over', async () => {
  const lock = join(folderOf({ lock: String(2 ** 22 + 1) }), 'lock');
  expect(
    await withLock(
      lock,
      () => {},
      async () => readFileSync(lock, 'utf8'),
    ),
  ).toBe(String(process.pid));
  expect(existsSync(lock)).toBe(false);
});
