import { existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { entryFolder, obtain, sweepTemporaries } from '../../../src/compile/cache.ts';
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
    const first = await obtain(root, key, schema, produce);
    const second = await obtain(root, key, schema, produce);
    expect(produce).toHaveBeenCalledTimes(1);
    expect(first).toMatchObject({ cached: false, meta: { size: 4 }, folder: join(root, 'ab', key) });
    expect(second).toMatchObject({ cached: true, meta: { size: 4 } });
    expect(readdirSync(root)).toEqual(['ab']);
  });

  test('two askers at the same time share one production', async () => {
    const root = folderOf();
    const produce = producer();
    await Promise.all([obtain(root, key, schema, produce), obtain(root, key, schema, produce)]);
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
    await obtain(root, key, schema, producer());
    damage(entryFolder(root, key));
    const produce = producer();
    expect((await obtain(root, key, schema, produce)).cached).toBe(false);
    expect(produce).toHaveBeenCalledTimes(1);
    expect(readFileSync(join(entryFolder(root, key), 'kernel.cubin'), 'utf8')).toBe('code');
  });

  test('a failure leaves nothing behind', async () => {
    const root = folderOf();
    const failing = obtain(root, key, schema, async (folder) => {
      writeFileSync(join(folder, 'half'), 'x');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(readdirSync(root)).toEqual([]);
    expect((await obtain(root, key, schema, producer())).cached).toBe(false);
  });

  test('of several processes at once never takes away what one of them was given', async () => {
    const root = folderOf();
    const keys = 200;
    // Some are damaged from the start, and several processes find that out at the same time.
    for (let i = 0; i < keys; i += 10) {
      const folder = entryFolder(root, hashOf(`${i}`));
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'meta.json'), '{');
    }
    const script = join(packageRoot, 'test/helpers/cache-user.ts');
    const begin = Date.now() + 3000; // all have started by then
    const argv = [process.execPath, '--import', 'jiti/register', script, root, `${keys}`, `${begin}`];
    const users = [0, 1, 2, 3].map(() => localExecutor.run(argv, { cwd: packageRoot }));
    for (const { stdout, stderr } of await Promise.all(users)) expect(`${stdout}${stderr}`).toBe('0\n');
    const maker = z.object({ maker: z.number() });
    for (let i = 0; i < keys; i++) {
      const entry = await obtain(root, hashOf(`${i}`), maker, async () => ({ maker: 0 }));
      expect(entry.cached).toBe(true);
    }
    expect(readdirSync(root).filter((name) => name.startsWith('tmp'))).toEqual([]);
  });

  test("a folder that cannot be made is the machine's fault", async () => {
    const root = join(folderOf({ file: '' }), 'file');
    const making = async () => obtain(root, key, schema, producer());
    await expect(making()).rejects.toThrow(EnvironmentError);
    await expect(making()).rejects.toThrow(/a part of the path is a file/);
  });
});

test('what killed processes left behind is removed, what lives stays', () => {
  const root = folderOf();
  const dead = 2 ** 22 + 1; // beyond the largest process id
  for (const name of [`tmp-${dead}-0`, `tmp-${process.pid}-0`, 'ab']) mkdirSync(join(root, name));
  sweepTemporaries(root);
  expect(readdirSync(root).sort()).toEqual(['ab', `tmp-${process.pid}-0`]);
  sweepTemporaries(join(root, 'missing'));
  expect(existsSync(join(root, 'missing'))).toBe(false);
});
