import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { emitLibrary } from '../../../src/emit/emit.ts';
import { write } from '../../../src/emit/files.ts';
import type { LibraryRequest } from '../../../src/emit/request.ts';
import { UsageError } from '../../../src/errors.ts';
import type { Artifact } from '../../../src/model/artifact.ts';
import { toyRequest, toyShipped } from '../../helpers/toy-library.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'emit-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** The toy family with C functions beside it, on a machine without a CUDA compiler. */
async function request(): Promise<LibraryRequest> {
  const folder = join(root, 'family');
  await write(join(folder, 'api.h'), '/* interface */\n');
  await write(join(folder, 'api.cpp'), '#include "launch.hpp"\n#include <vector>\n');
  await write(join(folder, 'launch.hpp'), '#include "shape.hpp"\n#include "tw/launch.hpp"\n');
  await write(join(folder, 'shape.hpp'), '// shape\n');
  await write(join(folder, 'oracle.hpp'), "// the runner's\n");
  const artifacts = toyShipped().map(
    ({ source }): Artifact => ({
      source,
      device: 'emulated',
      arch: 'x64',
      path: source.path,
      key: 'k',
      cached: true,
      seconds: 0,
    }),
  );
  return { ...toyRequest(), folder, out: join(root, 'out'), artifacts };
}

const contents = async (path: string) => (await readdir(path)).toSorted();

test('takes along what the C functions include, and nothing of the runner', async () => {
  const { path } = await emitLibrary(await request());
  expect(await contents(join(path, 'src', 'operation'))).toEqual(['api.cpp', 'launch.hpp', 'shape.hpp']);
  expect(await contents(join(path, 'include', 'tilewright'))).toContain('toy_op.h');
});

test('without a CUDA compiler the tree says that it is for the emulated device only', async () => {
  const { path, manifest } = await emitLibrary(await request());
  expect(manifest.variants[0]?.images).toEqual([]);
  expect(await readFile(join(path, 'CMakeLists.txt'), 'utf8')).toContain('a run that had no CUDA compiler');
});

test('leaves nothing but the library behind', async () => {
  await emitLibrary(await request());
  await emitLibrary(await request());
  expect(await contents(join(root, 'out'))).toEqual(['library']);
});

test.each<[string, (place: string) => Promise<unknown>]>([
  ['a folder of somebody else', (place) => write(join(place, 'thesis.tex'), 'mine')],
  ['a manifest of somebody else', (place) => write(join(place, 'manifest.json'), '{"name":"app"}')],
  ['a file', (place) => write(place, 'mine')],
  ['a link that leads nowhere', (place) => symlink('/nowhere', place)],
])('does not replace %s', async (_, make) => {
  const out = join(root, 'out');
  await mkdir(out);
  await make(join(out, 'library'));
  const emitting = emitLibrary(await request());
  await expect(emitting).rejects.toThrow(UsageError);
  await expect(emitting).rejects.toThrow(
    'out/library is in the way: it is no library that tilewright emitted',
  );
  expect(await contents(out)).toEqual(['library']);
});

test('takes the place of an empty folder', async () => {
  await mkdir(join(root, 'out/library'), { recursive: true });
  const { path } = await emitLibrary(await request());
  expect(await contents(path)).toContain('manifest.json');
});

test('whatever fails leaves the former library as it was', async () => {
  const good = await request();
  const { path } = await emitLibrary(good);
  const before = await contents(path);
  await rm(join(good.folder, 'api.h'));
  await expect(emitLibrary(good)).rejects.toThrow(/the library needs .*api\.h, and there is no such file/);
  expect(await contents(path)).toEqual(before);
  expect(await contents(good.out)).toEqual(['library']);
});

test('removes what a killed process has left, and nothing else', async () => {
  const good = await request();
  await write(join(good.out, '.library-tilewright-aaaaaa/kernels/x.cu'), 'half');
  await write(join(good.out, '.library-backup/thesis.tex'), 'mine');
  await emitLibrary(good);
  expect(await contents(good.out)).toEqual(['.library-backup', 'library']);
});

test('a library that a killed process had moved aside is back, whatever fails now', async () => {
  const good = await request();
  const { path } = await emitLibrary(good);
  await rename(path, join(good.out, '.library-tilewright-aaaaaa.old'));
  await rm(join(good.folder, 'api.h'));
  await expect(emitLibrary(good)).rejects.toThrow(/the library needs/);
  expect(await contents(good.out)).toEqual(['library']);
  expect(await contents(path)).toContain('manifest.json');
});

test('a temporary folder that is a file is the fault of the machine', async () => {
  const good = await request();
  const file = join(root, 'file');
  await writeFile(file, '');
  vi.stubEnv('TMPDIR', file);
  const installing = emitLibrary({ ...good, install: { prefix: join(root, 'prefix') } });
  await expect(installing).rejects.toThrow(
    /cannot create .*file\/tilewright-…: a part of the path is a file, not a folder; name another folder with TMPDIR/,
  );
  vi.unstubAllEnvs();
});

test('libraries that are emitted at once take turns', async () => {
  const good = await request();
  const waits: string[] = [];
  const all = Array.from({ length: 6 }, () => emitLibrary({ ...good, onWait: (why) => waits.push(why) }));
  await Promise.all(all);
  expect(waits.length).toBeGreaterThan(0);
  expect(waits[0]).toContain(`process ${process.pid} on`);
  expect(await contents(good.out)).toEqual(['library']);
});

test('a selection of nothing is refused', async () => {
  const good = await request();
  const selection = { ...good.selection, variants: [], choices: [] };
  await expect(emitLibrary({ ...good, selection })).rejects.toThrow(/nothing to emit: no variant of toy-op/);
});
