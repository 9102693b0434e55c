import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { replaceFolder, write } from '../../../src/emit/files.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'emit-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

test('puts a folder in the place of an older one and leaves nothing else', async () => {
  await write(join(root, 'library', 'old.txt'), 'old');
  await write(join(root, 'staged', 'src', 'new.txt'), 'new');
  await replaceFolder(join(root, 'staged'), join(root, 'library'));
  expect(await readdir(root)).toEqual(['library']);
  expect(await readFile(join(root, 'library', 'src', 'new.txt'), 'utf8')).toBe('new');
});

test('works where there was none', async () => {
  await mkdir(join(root, 'staged'));
  await replaceFolder(join(root, 'staged'), join(root, 'library'));
  expect(await readdir(root)).toEqual(['library']);
});

test('keeps the old folder when the new one cannot be put there', async () => {
  await mkdir(join(root, 'library'));
  await writeFile(join(root, 'library', 'old.txt'), 'old');
  await expect(replaceFolder(join(root, 'missing'), join(root, 'library'))).rejects.toThrow(/ENOENT/);
  expect(await readdir(join(root, 'library'))).toEqual(['old.txt']);
});
