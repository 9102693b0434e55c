import { lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { emitLibrary } from '../../../src/emit/emit.ts';
import { write } from '../../../src/emit/files.ts';
import type { LibraryRequest } from '../../../src/emit/request.ts';
import { UsageError } from '../../../src/errors.ts';
import type { Artifact } from '../../../src/model/artifact.ts';
import type { Manifest } from '../../../src/model/manifest.ts';
import { toyRequest, toyShipped } from '../../helpers/toy-library.ts';
import { toyOperation } from '../../helpers/toy-operation.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'emit-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const features = `#pragma once
#include <optional>
#include "operation.hpp"
namespace tilewright::toy_op::features {
inline std::optional<double> density(const Shape&) { return {}; }
}
`;
const launch = `#pragma once
#include "operation.hpp"
#include "tw/launch.hpp"
namespace tilewright::toy_op {
inline Bound bind(const Shape&, const Parameters&, const DeviceLimits&) { return {}; }
}
`;

/** The toy family with the C++ of its library beside it, on a machine without a CUDA compiler. */
async function request(): Promise<LibraryRequest> {
  const folder = join(root, 'family');
  await write(join(folder, 'features.hpp'), features);
  await write(join(folder, 'launch.hpp'), `#include "shape.hpp"\n${launch}`);
  await write(join(folder, 'shape.hpp'), '#include <vector>\n');
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
  expect(await contents(join(path, 'src/operations/toy_op'))).toEqual([
    ...[
      'api.cpp',
      'calls.hpp',
      'features.hpp',
      'keyed.cpp',
      'launch.hpp',
      'operation.cpp',
      'operation.hpp',
      'selection.cpp',
      'shape.hpp',
    ],
  ]);
  expect(await contents(join(path, 'include', 'tilewright'))).toContain('toy_op.h');
});

test('without a CUDA compiler the tree says that it is for the emulated device only', async () => {
  const { path, manifest } = await emitLibrary(await request());
  expect(manifest.operations.toy_op?.variants[0]?.images).toEqual([]);
  expect(await readFile(join(path, 'CMakeLists.txt'), 'utf8')).toContain('a run that had no CUDA compiler');
});

test('leaves nothing but the library behind', async () => {
  await emitLibrary(await request());
  await emitLibrary(await request());
  expect(await contents(join(root, 'out'))).toEqual(['library']);
});

describe('a library that has another operation', () => {
  /** The toy family under another name, as a second family with headers of the same names. */
  async function another(): Promise<LibraryRequest> {
    const asked = await request();
    const operation = { ...toyOperation, name: 'other_op' };
    const folder = join(root, 'other');
    for (const file of ['features.hpp', 'launch.hpp', 'shape.hpp'])
      await write(
        join(folder, file),
        (await readFile(join(asked.folder, file), 'utf8')).replaceAll('toy_op', 'other_op'),
      );
    return { ...asked, family: { ...asked.family, name: 'other-op', operation }, folder };
  }
  const remarks: string[] = [];
  const remark = (text: string) => remarks.push(text);
  beforeEach(() => remarks.splice(0));

  test('keeps it, as it was', async () => {
    const { path, manifest } = await emitLibrary(await request());
    const source = manifest.operations.toy_op?.variants[0]?.source ?? '';
    const before = await readFile(join(path, source), 'utf8');
    const both = await emitLibrary({ ...(await another()), remark, cxx: 'g++' });
    expect(Object.keys(both.manifest.operations)).toEqual(['other_op', 'toy_op']);
    expect(both.manifest.operations.toy_op).toEqual(manifest.operations.toy_op);
    expect(remarks).toEqual(['the library keeps toy_op of run r1']);
    for (const folder of ['kernels', 'src/operations'])
      expect(await contents(join(path, folder))).toEqual(['other_op', 'toy_op']);
    expect(await contents(join(path, 'src/operations/toy_op'))).toContain('shape.hpp');
    expect(await contents(join(path, 'include/tilewright'))).toEqual(
      expect.arrayContaining(['other_op.h', 'toy_op.h']),
    );
    expect(await readFile(join(path, source), 'utf8')).toBe(before);
  });

  test('loses it where shared sources have changed, and says how to get it back', async () => {
    const { path } = await emitLibrary(await request());
    await writeFile(join(path, 'device/tw/ptx.cuh'), '// of another commit\n');
    const { manifest } = await emitLibrary({ ...(await another()), remark });
    expect(Object.keys(manifest.operations)).toEqual(['other_op']);
    expect(remarks).toEqual([
      'the library loses toy_op: shared sources have changed since; `npx gen emit r1` adds it again',
    ]);
  });

  test.each<[string, (manifest: Manifest) => unknown, string]>([
    [
      'a manifest of another version',
      (manifest) => ({ ...manifest, schema: 1 }),
      'the library loses toy_op: its manifest is of another version; `npx gen emit r1` adds it again',
    ],
    [
      'an operation that reads otherwise',
      (manifest) => ({ ...manifest, operations: { toy_op: 'src/toy_op' } }),
      'the library loses toy_op: its manifest is of another version; `npx gen emit <run of toy_op>` adds it again',
    ],
    [
      'no operations',
      ({ operations: _, ...manifest }) => manifest,
      'the library loses what it had: its manifest is of another version; emit every other operation again',
    ],
  ])('loses it where the library has %s, and says so', async (_, change, said) => {
    const { path, manifest } = await emitLibrary(await request());
    await writeFile(join(path, 'manifest.json'), JSON.stringify(change(manifest)));
    const after = await emitLibrary({ ...(await another()), remark });
    expect(Object.keys(after.manifest.operations)).toEqual(['other_op']);
    expect(remarks).toEqual([said]);
  });

  test('has one operation of a name: the last', async () => {
    await emitLibrary(await request());
    const asked = await request();
    const { manifest } = await emitLibrary({ ...asked, family: { ...asked.family, name: 'mine' }, remark });
    expect(manifest.operations.toy_op?.family).toBe('mine');
    expect(remarks).toEqual(['the library had toy_op of toy-op: that of mine takes its place']);
  });
});

test.each<[string, (place: string) => Promise<unknown>]>([
  ['a folder of somebody else', (place) => write(join(place, 'thesis.tex'), 'mine')],
  ['a manifest of somebody else', (place) => write(join(place, 'manifest.json'), '{"name":"app"}')],
  ['a file', (place) => write(place, 'mine')],
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

test.each(['a library', 'an empty folder', 'nothing'])(
  'does not replace a link to %s by a folder',
  async (what) => {
    const good = await request();
    const { path } = await emitLibrary(good);
    const elsewhere = join(root, 'elsewhere');
    if (what === 'a library') await rename(path, elsewhere);
    if (what === 'an empty folder') await mkdir(elsewhere);
    await rm(path, { recursive: true, force: true });
    await symlink(elsewhere, path);
    const before = what === 'nothing' ? undefined : await contents(elsewhere);
    await expect(emitLibrary(good)).rejects.toThrow(UsageError);
    await expect(emitLibrary(good)).rejects.toThrow(
      /out\/library is a symbolic link, .*; remove the link, or name another/,
    );
    expect((await lstat(path)).isSymbolicLink()).toBe(true);
    if (before) expect(await contents(elsewhere)).toEqual(before);
  },
);

test('takes the place of an empty folder', async () => {
  await mkdir(join(root, 'out/library'), { recursive: true });
  const { path } = await emitLibrary(await request());
  expect(await contents(path)).toContain('manifest.json');
});

test('whatever fails leaves the former library as it was', async () => {
  const good = await request();
  const { path } = await emitLibrary(good);
  const before = await contents(path);
  await rm(join(good.folder, 'launch.hpp'));
  await expect(emitLibrary(good)).rejects.toThrow(
    /the library needs .*launch\.hpp, and there is no such file/,
  );
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
  await rm(join(good.folder, 'launch.hpp'));
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
    /cannot create .*file\/tilewright-library-…: a part of the path is a file, not a folder; name another folder with TMPDIR/,
  );
  vi.unstubAllEnvs();
});

test('libraries that are emitted at once take turns', async () => {
  const good = await request();
  const waits: string[] = [];
  const all = Array.from({ length: 6 }, () => emitLibrary({ ...good, remark: (why) => waits.push(why) }));
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

test('a header in a folder, in angle brackets, or that only a kernel includes travels too', async () => {
  const asked = await request();
  await write(
    join(asked.folder, 'launch.hpp'),
    '#include "detail/a.hpp"\n#include <b.hpp>\n#include <vector>\n',
  );
  await write(join(asked.folder, 'detail/a.hpp'), '#include "c.hpp"\n');
  await write(join(asked.folder, 'detail/c.hpp'), '#include "../shape.hpp"\n');
  for (const name of ['b.hpp', 'device.cuh', 'unused.hpp']) await write(join(asked.folder, name), '\n');
  const artifacts = asked.artifacts.map((one) => ({
    ...one,
    source: { ...one.source, text: `#include "device.cuh"\n${one.source.text}` },
  }));
  const { path } = await emitLibrary({ ...asked, artifacts });
  const operation = join(path, 'src/operations/toy_op');
  expect(await contents(operation)).toEqual([
    ...['api.cpp', 'b.hpp', 'calls.hpp', 'detail', 'device.cuh', 'features.hpp', 'keyed.cpp', 'launch.hpp'],
    ...['operation.cpp', 'operation.hpp', 'selection.cpp', 'shape.hpp'],
  ]);
  expect(await contents(join(operation, 'detail'))).toEqual(['a.hpp', 'c.hpp']);
});

test('a header outside of the folder is refused by name', async () => {
  const asked = await request();
  await write(join(asked.folder, '../shared.hpp'), '\n');
  await write(join(asked.folder, 'launch.hpp'), '#include "../shared.hpp"\n');
  await expect(emitLibrary(asked)).rejects.toThrow(
    /launch\.hpp includes "\.\.\/shared\.hpp", which lies outside of/,
  );
});

test("C++ of the library that does not compile is refused with the family's own file and line", async () => {
  const asked = { ...(await request()), cxx: 'g++' };
  await emitLibrary(asked);
  for (const [file, text] of [
    ['features.hpp', features],
    ['launch.hpp', launch],
  ] as const) {
    const path = join(asked.folder, file);
    await write(path, text.replace('return {};', 'return nothing;'));
    await expect(emitLibrary(asked)).rejects.toThrow(
      new RegExp(`${path}:5:\\d+: error: 'nothing' was not declared`),
    );
    await write(path, text);
  }
  expect(await contents(join(asked.out))).toEqual(['library']); // the one before
}, 120_000);
