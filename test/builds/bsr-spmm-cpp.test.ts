// The C++ side of bsr-spmm under sanitizers: its problems and its launch code.
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { obtain } from '../../src/compile/cache.ts';
import { includeHash } from '../../src/compile/includes.ts';
import { renderOperation } from '../../src/render/operation.ts';
import { hashOf } from '../../src/util/hash.ts';
import { mapLimit } from '../../src/util/limit.ts';
import { packageRoot } from '../../src/util/package-root.ts';
import { operation } from '../../templates/kernels/bsr-spmm/operation.ts';
import { outputOf } from '../helpers/command.ts';
import { folderOf } from '../helpers/folder.ts';
import { testCache } from '../helpers/toolchain.ts';

const here = join(packageRoot, 'test/unit/families/bsr-spmm');
const harness = join(packageRoot, 'harness');
const ownFolders = [
  join(packageRoot, 'kit/host'),
  join(packageRoot, 'third_party'),
  join(packageRoot, 'kit/device'),
  join(packageRoot, 'templates/kernels/bsr-spmm'),
];
const sources = [
  ...readdirSync(here)
    .filter((name) => name.endsWith('_test.cpp'))
    .map((name) => join(here, name)),
  join(harness, 'test/main.cpp'),
  ...['elements', 'json', 'json_reader', 'parallel', 'utf8'].map((name) => join(harness, `src/${name}.cpp`)),
];
const gxx = ['g++', '-std=c++20', '-Wall', '-Wextra', '-Werror', '-pthread', '-fsanitize=address,undefined'];

/** The object of a source; as nothing that it includes has changed, that of an earlier run of the tests. */
async function compiled(source: string, version: string, folders: readonly string[]): Promise<string> {
  const includes = includeHash(readFileSync(source, 'utf8'), folders, dirname(source));
  const key = hashOf('test', basename(source), includes, gxx.join(' '), version);
  const { folder } = await obtain({ cacheRoot: testCache }, key, z.object({}), async (made) => {
    const include = folders.flatMap((path) => ['-I', path]);
    await outputOf(...gxx, ...include, '-c', source, '-o', join(made, 'unit.o'));
    return {};
  });
  return join(folder, 'unit.o');
}

it('makes problems, references and launches as specified', { timeout: 600_000 }, async () => {
  const version = await outputOf('g++', '-dumpfullversion');
  const folders = [...ownFolders, folderOf({ 'operation.hpp': renderOperation(operation) })];
  const objects = await mapLimit(sources, availableParallelism(), (source) =>
    compiled(source, version, folders),
  );
  const program = join(folderOf(), 'tests');
  await outputOf(...gxx, ...objects, '-o', program);
  expect(await outputOf(program)).toMatch(/\| 0 failed \|.*Status: SUCCESS!/s);
});
