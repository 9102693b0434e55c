import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { digestOf } from '../../src/tuned/record.ts';
import { genHere, workspace } from '../helpers/gen.ts';

/** A record, and its path below a cache folder. */
function fileOf(key: string): { path: string; text: string } {
  const body = `{"schema":1,"key":"${key}","variant":"op.v1","hash":"00","measured":[["op.v1",41.8]],"time":1790000000`;
  const text = `${body},"sum":"${digestOf(body)}"}\n`;
  return { path: `v1/${digestOf('target: cuda\n')}/k/${digestOf(key)}.json`, text };
}

test('gen cache lists, shows, exports, imports, verifies and prunes', async () => {
  const { path } = workspace();
  const folder = join(path, 'tuned');
  const put = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  const cache = (name: string, ...words: string[]) =>
    genHere(path, ['cache', name, '--folder', folder, ...words]);
  mkdirSync(folder);
  expect(await cache('list')).toMatchObject({ code: 0, stdout: '' });
  const good = fileOf('op n=8');
  put(good.path, good.text);
  put(good.path.replace(/k\/.*/, 'environment.txt'), 'target: cuda\n');
  expect((await cache('list')).stdout).toBe('op n=8\n  op.v1  41.8 us, 1 measured\n');
  expect(JSON.parse((await cache('show', 'n=8')).stdout)).toMatchObject({ environment: 'target: cuda\n' });
  expect(await cache('show', 'n=9')).toMatchObject({ code: 2 });
  expect(await cache('verify')).toMatchObject({ code: 0, stdout: '' });
  const bad = fileOf('op n=16');
  put(bad.path, bad.text.slice(0, -5));
  expect(await cache('verify')).toMatchObject({
    code: 1,
    stdout: `${join(folder, bad.path)} is cut or no record\n`,
  });
  expect(await cache('prune')).toMatchObject({ code: 0, stdout: `${join(folder, bad.path)}\n` });
  expect((await cache('export', join(path, 'records.jsonl'))).code).toBe(0);
  const elsewhere = ['--folder', join(path, 'other')];
  const imported = await genHere(path, ['cache', 'import', join(path, 'records.jsonl'), ...elsewhere]);
  expect(imported).toMatchObject({ code: 0, stderr: expect.stringContaining('1 records added') });
  expect((await genHere(path, ['cache', 'list', ...elsewhere])).stdout).toContain('op n=8');
});

test('gen cache refuses a folder that is not there, and never replaces a backup by nothing', async () => {
  const { path } = workspace();
  const [backup, missing, empty] = ['backup.jsonl', 'typo', 'empty'].map((name) => join(path, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(backup, 'kept');
  mkdirSync(empty);
  for (const words of [['export', backup], ['export'], ['list'], ['verify'], ['prune'], ['show', 'x']]) {
    const { code, stderr } = await genHere(path, ['cache', ...words, '--folder', missing]);
    expect([code, stderr], words.join(' ')).toEqual([
      2,
      expect.stringContaining(`there is no folder ${missing}: name a context's cache folder with --folder`),
    ]);
  }
  expect(await genHere(path, ['cache', 'list', '--folder', backup])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`${backup} is a file, not the folder of a cache`),
  });
  expect(await genHere(path, ['cache', 'export', backup, '--folder', empty])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      `there are no records in ${empty} to export, and ${backup} is left as it`,
    ),
  });
  expect(readFileSync(backup, 'utf8')).toBe('kept');
  const own = { TILEWRIGHT_CACHE: join(path, 'own') };
  expect(await genHere(path, ['cache', 'list'], own)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('there are no records in'),
  });
  expect(await genHere(path, ['cache', 'verify'], own)).toMatchObject({ code: 2 });
});

test.each(['', ' ', '1e3', '0x10', '-1', 'Infinity', '5d'])(
  "gen cache prune --older-than '%s' removes nothing",
  async (days) => {
    const { path } = workspace();
    const folder = join(path, 'tuned');
    const { path: name, text } = fileOf('op n=8');
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
    const pruned = await genHere(path, ['cache', 'prune', '--folder', folder, `--older-than=${days}`]);
    expect(pruned).toMatchObject({ code: 2, stderr: expect.stringContaining('is no number of days') });
    expect(readFileSync(join(folder, name), 'utf8')).toBe(text);
  },
);

test('gen cache import of a file that is not there says so', async () => {
  const { path } = workspace();
  const { code, stderr } = await genHere(path, [
    'cache',
    'import',
    'nofile',
    '--folder',
    join(path, 'tuned'),
  ]);
  expect(code).toBe(2);
  expect(stderr.trim()).toMatch(/cannot read nofile: there is no such file or folder$/);
});
