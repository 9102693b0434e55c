import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { entryFolder, obtain, sweepTemporaries } from '../../../src/compile/cache.ts';
import { isStamped } from '../../../src/compile/stamp.ts';
import { EnvironmentError } from '../../../src/errors.ts';
import { localExecutor } from '../../../src/exec/local.ts';
import { hashOf } from '../../../src/util/hash.ts';
import { packageRoot } from '../../../src/util/package-root.ts';
import { folderOf } from '../../helpers/folder.ts';

const schema = z.object({ size: z.number() });
const key = 'ab'.padEnd(64, '0');

function producer(text = 'code') {
  return vi.fn(async (folder: string) => {
    writeFileSync(join(folder, 'kernel.cubin'), text);
    return { size: text.length };
  });
}

describe('obtain', () => {
  test('makes an entry once and finds it again', async () => {
    const root = folderOf();
    const produce = producer();
    const first = await obtain({ cacheRoot: root }, key, schema, produce);
    const second = await obtain({ cacheRoot: root }, key, schema, produce);
    expect(produce).toHaveBeenCalledTimes(1);
    expect(first).toMatchObject({ cached: false, meta: { size: 4 }, folder: join(root, 'ab', key) });
    expect(second).toMatchObject({ cached: true, meta: { size: 4 } });
    expect(readdirSync(root).sort()).toEqual(['ab', 'locks']);
    expect(readdirSync(join(root, 'locks'))).toEqual([]);
  });

  test('two askers at the same time share one production', async () => {
    const root = folderOf();
    const produce = producer();
    await Promise.all([
      obtain({ cacheRoot: root }, key, schema, produce),
      obtain({ cacheRoot: root }, key, schema, produce),
    ]);
    expect(produce).toHaveBeenCalledTimes(1);
  });

  test.each([
    ['a file cut short', (folder: string) => truncateSync(join(folder, 'kernel.cubin'), 2)],
    ['a file changed', (folder: string) => writeFileSync(join(folder, 'kernel.cubin'), 'cod3')],
    ['meta.json cut short', (folder: string) => truncateSync(join(folder, 'meta.json'), 9)],
    [
      'meta.json of another shape',
      (folder: string) => writeFileSync(join(folder, 'meta.json'), '{"files":{},"meta":{}}'),
    ],
  ])('%s: the entry is made anew', async (_, damage) => {
    const root = folderOf();
    await obtain({ cacheRoot: root }, key, schema, producer());
    damage(entryFolder(root, key));
    const produce = producer();
    expect((await obtain({ cacheRoot: root }, key, schema, produce)).cached).toBe(false);
    expect(produce).toHaveBeenCalledTimes(1);
    expect(readFileSync(join(entryFolder(root, key), 'kernel.cubin'), 'utf8')).toBe('code');
  });

  test('an entry that nobody touched is read once, a touched one again', async () => {
    const root = folderOf();
    const file = join(entryFolder(root, key), 'kernel.cubin');
    const again = () => obtain({ cacheRoot: root }, key, schema, producer());
    await again();
    await again(); // too young: it could change within the resolution of the clock
    expect(existsSync(join(dirname(file), 'checked.json'))).toBe(false);
    const later = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
    onTestFinished(() => later.mockRestore());
    await again();
    expect(isStamped(dirname(file), ['kernel.cubin'])).toBe(true);
    expect((await again()).cached).toBe(true);
    writeFileSync(file, 'cod3');
    utimesSync(file, 0, 0);
    expect(isStamped(dirname(file), ['kernel.cubin'])).toBe(false);
    expect((await again()).cached).toBe(false);
  });

  test('a failure leaves nothing behind', async () => {
    const root = folderOf();
    const failing = obtain({ cacheRoot: root }, key, schema, async (folder) => {
      writeFileSync(join(folder, 'half'), 'x');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(readdirSync(root).sort()).toEqual(['ab', 'locks']);
    expect(readdirSync(join(root, 'ab'))).toEqual([]);
    expect((await obtain({ cacheRoot: root }, key, schema, producer())).cached).toBe(false);
  });

  test('of several processes at once never takes away what one of them was given', async () => {
    const root = folderOf();
    const keys = 60;
    // Some are damaged from the start, and several processes find that out at the same time.
    for (let i = 0; i < keys; i += 10) {
      const folder = entryFolder(root, hashOf(`${i}`));
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'meta.json'), '{');
    }
    const script = join(packageRoot, 'test/helpers/cache-user.ts');
    const argv = [process.execPath, '--import', 'jiti/register', script, root, `${keys}`, folderOf(), '4'];
    const users = [0, 1, 2, 3].map(() => localExecutor.run(argv, { cwd: packageRoot }));
    for (const { stdout, stderr } of await Promise.all(users)) expect(`${stdout}${stderr}`).toBe('0\n');
    const maker = z.object({ maker: z.number() });
    for (let i = 0; i < keys; i++) {
      const entry = await obtain({ cacheRoot: root }, hashOf(`${i}`), maker, async () => ({ maker: 0 }));
      expect(entry.cached).toBe(true);
    }
    expect(readdirSync(root).filter((name) => name.startsWith('tmp'))).toEqual([]);
  });

  test("a folder that cannot be made is the machine's fault", async () => {
    const root = join(folderOf({ file: '' }), 'file');
    const making = async () => obtain({ cacheRoot: root }, key, schema, producer());
    await expect(making()).rejects.toThrow(EnvironmentError);
    await expect(making()).rejects.toThrow(/a part of the path is a file/);
  });
});

test('what killed processes left behind is removed, what is being made stays', async () => {
  const root = folderOf();
  const left = [`tmp-${key}-x3Yz1q`, 'tmp-12345-0', 'ab'];
  for (const name of left) mkdirSync(join(root, name));
  const other = 'cd'.padEnd(64, '0');
  await obtain({ cacheRoot: root }, other, schema, async (folder) => {
    sweepTemporaries(root);
    expect(existsSync(folder)).toBe(true);
    return { size: 0 };
  });
  expect(readdirSync(root).sort()).toEqual(['ab', 'cd', 'locks']);
  sweepTemporaries(join(root, 'missing'));
  expect(existsSync(join(root, 'missing'))).toBe(false);
});

test('what cannot be removed stays, and keeps nobody from the lock', () => {
  const root = folderOf();
  const theirs = join(root, `tmp-${key}-x3Yz1q`, 'scratch');
  mkdirSync(theirs, { recursive: true });
  writeFileSync(join(theirs, 'a.o'), '');
  chmodSync(root, 0o777);
  chmodSync(theirs, 0o555);
  const own = process.geteuid?.() ?? 0;
  onTestFinished(() => {
    process.seteuid?.(own);
    chmodSync(theirs, 0o755);
  });
  if (own === 0) process.seteuid?.(65534); // root may remove everything
  sweepTemporaries(root);
  expect(existsSync(join(theirs, 'a.o'))).toBe(true);
  expect(readdirSync(join(root, 'locks'))).toEqual([]);
});

describe('what others could have written', () => {
  const made = async () => {
    const root = folderOf();
    await obtain({ cacheRoot: root }, key, schema, producer());
    return { root, folder: entryFolder(root, key) };
  };
  const again = async (root: string) => (await obtain({ cacheRoot: root }, key, schema, producer())).cached;

  test('a umask that lets the group write does not reach the cache', async () => {
    const mask = process.umask(0o002);
    onTestFinished(() => void process.umask(mask));
    const { root, folder } = await made();
    for (const path of [root, join(root, 'ab'), folder, join(folder, 'kernel.cubin')]) {
      expect(statSync(path).mode & 0o022, path).toBe(0);
    }
    expect(await again(root)).toBe(true);
  });

  test.each([
    ['a file that the group may write', (folder: string) => chmodSync(join(folder, 'kernel.cubin'), 0o664)],
    ['a list of files that all may write', (folder: string) => chmodSync(join(folder, 'meta.json'), 0o666)],
    ['a folder that all may write', (folder: string) => chmodSync(folder, 0o777)],
    [
      'a link',
      (folder: string) => {
        renameSync(join(folder, 'kernel.cubin'), join(folder, 'other'));
        symlinkSync('other', join(folder, 'kernel.cubin'));
      },
    ],
  ])('%s: the entry is made anew', async (_, open) => {
    const { root, folder } = await made();
    open(folder);
    expect(await again(root)).toBe(false);
    expect(await again(root)).toBe(true);
  });

  const asRoot = test.skipIf(process.getuid?.() !== 0); // another user's files take root to make

  asRoot("another user's file: the entry is made anew", async () => {
    const { root, folder } = await made();
    chownSync(join(folder, 'kernel.cubin'), 65534, 65534);
    expect(await again(root)).toBe(false);
    expect(statSync(join(folder, 'kernel.cubin')).uid).toBe(0);
  });

  asRoot("another user's folder is refused", async () => {
    const { root } = await made();
    for (const path of [join(root, 'ab'), root]) {
      chownSync(path, 65534, 65534);
      await expect(again(root)).rejects.toThrow(
        `${path} belongs to user 65534, who could change what is run from it: remove it, or name another folder with --out`,
      );
    }
  });
});
