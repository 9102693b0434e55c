// The C++ side of bsr-spmm: its problems and its launch code.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { localExecutor } from '../../../../src/exec/local.ts';
import { packageRoot } from '../../../../src/util/package-root.ts';
import { folderOf } from '../../../helpers/folder.ts';

const here = import.meta.dirname;
const harness = join(packageRoot, 'harness');
const family = join(packageRoot, 'templates/kernels/bsr-spmm');

it('makes problems, references and launches as specified', { timeout: 180_000 }, async () => {
  const program = join(folderOf(), 'tests');
  const tests = readdirSync(here).filter((name) => name.endsWith('_test.cpp'));
  const sources = [
    ...tests.map((name) => join(here, name)),
    join(harness, 'test/check.cpp'),
    ...['elements', 'json', 'json_reader', 'parallel', 'utf8'].map((name) =>
      join(harness, `src/${name}.cpp`),
    ),
  ];
  const folders = [
    join(harness, 'include'),
    join(harness, 'test'),
    join(packageRoot, 'templates/include'),
    family,
  ];
  const argv = [
    'g++',
    '-std=c++20',
    '-Wall',
    '-Wextra',
    '-Werror',
    '-pthread',
    '-fsanitize=address,undefined',
  ];
  const include = folders.flatMap((folder) => ['-I', folder]);
  const built = await localExecutor.run([...argv, ...include, ...sources, '-o', program]);
  expect(built.stderr).toBe('');
  const run = await localExecutor.run([program]);
  expect(run.stderr).toBe('');
  expect(run.stdout).toMatch(/ tests, 0 failures/);
  expect(run.exitCode).toBe(0);
});
