import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { EnvironmentError } from '../../../src/errors.ts';
import { cacheFiles, exportRecords, importRecords, prune } from '../../../src/tuned/cache.ts';
import { digestOf, parseRecord, placeOf, type TuningRecord } from '../../../src/tuned/record.ts';
import { packageRoot } from '../../../src/util/package-root.ts';
import { folderOf } from '../../helpers/folder.ts';

const environment = 'target: cuda\ngpu: NVIDIA H200\n';

function recordOf(key: string, more: Partial<TuningRecord> = {}): TuningRecord {
  return {
    schema: 1,
    key,
    variant: 'a.b64',
    hash: 'ab'.repeat(32),
    measured: [['a.b64', 41.8]],
    time: 1_790_000_000,
    ...more,
  };
}

/** A record as the library writes it. */
function textOf(record: TuningRecord): string {
  const { measured, time, ...first } = record;
  const body = JSON.stringify({ ...first, measured, time }).slice(0, -1);
  return `${body},"sum":"${digestOf(body)}"}\n`;
}

function put(root: string, record: TuningRecord, text = textOf(record)): string {
  const path = join(root, 'v1', digestOf(environment), placeOf(record));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(join(root, 'v1', digestOf(environment), 'environment.txt'), environment);
  writeFileSync(path, text);
  return path;
}

test('the digest is FNV-1a', () => {
  expect(digestOf('')).toBe('cbf29ce484222325');
  expect(digestOf('a')).toBe('af63dc4c8601ec8c');
  expect(digestOf('foobar')).toBe('85944171f73967e8');
});

test('every changed byte and every cut is seen', () => {
  const text = textOf(recordOf('op n=8'));
  expect(parseRecord(text)).toEqual(recordOf('op n=8'));
  for (let at = 0; at < text.length; ++at) {
    expect(typeof parseRecord(text.slice(0, at)), `cut at ${at}`).toBe('string');
    const changed = text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1);
    expect(typeof parseRecord(changed), `changed at ${at}`).toBe('string');
  }
});

test('lists records and says what is wrong with other files', () => {
  const root = folderOf();
  expect(cacheFiles(root)).toEqual([]);
  const good = put(root, recordOf('op n=8'));
  const bad = put(root, recordOf('op n=16'), 'hello');
  const refused = put(root, recordOf('op n=8', { refused: 'wrong', measured: [] }));
  const named = Object.fromEntries(cacheFiles(root).map((file) => [file.path, file]));
  expect(named[good]).toMatchObject({ environment, record: recordOf('op n=8') });
  expect(named[bad]).toMatchObject({ damage: 'is cut or no record' });
  expect(named[refused]?.record?.refused).toBe('wrong');
});

test('prune removes damage, old remains and, where asked, old records', () => {
  const root = folderOf();
  const good = put(root, recordOf('op n=8'));
  const recent = put(root, recordOf('op n=12', { time: Date.now() / 1000 }));
  const bad = put(root, recordOf('op n=16'), '');
  const [fresh, stale] = [`${good}.tmp.1.0.1`, `${good}.tmp.2.0.2`];
  for (const path of [fresh, stale]) writeFileSync(path, '');
  utimesSync(stale, 1, 1);
  expect(
    prune(root)
      .map(({ path }) => path)
      .toSorted(),
  ).toEqual([bad, stale].toSorted());
  expect([good, recent, fresh].every((path) => existsSync(path))).toBe(true);
  // The record's time is in the autumn of 2026.
  expect(
    prune(root, -1)
      .map(({ path }) => path)
      .toSorted(),
  ).toEqual([good, recent].toSorted());
});

test('a cache below a folder with a name as of a file that is being written keeps its records', () => {
  const root = join(folderOf(), 'own.tmp.1');
  const path = put(root, recordOf('op n=8'));
  utimesSync(path, 1, 1);
  expect(prune(root)).toEqual([]);
  expect(existsSync(path)).toBe(true);
});

test('records that another process writes and takes away meanwhile are listed, pruned and exported without an error', async () => {
  const root = folderOf();
  const path = put(root, recordOf('op n=8'));
  const busy = `const { renameSync, rmSync, writeFileSync } = require('node:fs');
    for (let round = 0; ; ++round) {
      writeFileSync('${path}.tmp.' + round, ${JSON.stringify(textOf(recordOf('op n=8')))});
      renameSync('${path}.tmp.' + round, '${path}');
      if (round === 0) console.log('at work');
      rmSync('${path}');
    }`;
  const other = spawn(process.execPath, ['-e', busy], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(other.stdout, 'data');
    const until = Date.now() + 1000;
    while (Date.now() < until) {
      expect(cacheFiles(root).every(({ record, remains }) => record !== undefined || remains)).toBe(true);
      expect(prune(root)).toEqual([]);
      exportRecords(root);
    }
    expect(other.exitCode).toBeNull();
  } finally {
    other.kill('SIGKILL');
  }
});

test('what is exported can be imported elsewhere, once, and not where it was changed', () => {
  const [root, other] = [folderOf(), folderOf()];
  const path = put(root, recordOf('op n=8'));
  put(root, recordOf('op n=16'), 'damaged');
  const text = exportRecords(root);
  expect(importRecords(other, text)).toEqual({ added: 1, kept: 0, refused: [] });
  expect(importRecords(other, text)).toEqual({ added: 0, kept: 1, refused: [] });
  expect(readFileSync(path.replace(root, other), 'utf8')).toBe(readFileSync(path, 'utf8'));
  expect(cacheFiles(other)).toMatchObject([{ environment, record: recordOf('op n=8') }]);
  expect(importRecords(folderOf(), `${text.replace('41.8', '41.7')}no JSON\n`)).toEqual({
    added: 0,
    kept: 0,
    refused: [1, 2],
  });
});

test('a file that a process of another container is writing stays as it is', () => {
  const root = folderOf();
  const theirs = `${put(root, recordOf('op n=8'))}.tmp.${process.pid}`;
  const text = exportRecords(root);
  const other = folderOf();
  const there = join(other, relative(root, theirs));
  mkdirSync(dirname(there), { recursive: true });
  writeFileSync(there, 'half a rec');
  expect(importRecords(other, text).added).toBe(1);
  expect(readFileSync(there, 'utf8')).toBe('half a rec');
  expect(cacheFiles(other).map(({ remains }) => remains)).toEqual([false, true]);
});

test('a folder that cannot be read is an error, a file that lies among the folders is none', () => {
  const root = folderOf();
  put(root, recordOf('op n=8'));
  writeFileSync(join(root, 'v1', 'notes.txt'), 'mine');
  expect(cacheFiles(root)).toHaveLength(1);
  const records = join(root, 'v1', digestOf(environment), 'r');
  symlinkSync(records, records);
  expect(() => cacheFiles(root)).toThrow(EnvironmentError);
  expect(() => cacheFiles(root)).toThrow(`cannot read ${records}: its symbolic links lead round in circles`);
  const other = folderOf({ v1: '' });
  expect(() => exportRecords(other)).toThrow(/cannot read .*v1: a part of the path is a file/);
});

test.each([
  ['cut', (path: string) => writeFileSync(path, readFileSync(path, 'utf8').slice(0, -5))],
  ['that of another key', (path: string) => writeFileSync(path, textOf(recordOf('op n=9')))],
  ['a link that leads nowhere', (path: string) => [rmSync(path), symlinkSync('/nowhere', path)]],
])('a record that is %s gives way to an imported one', (_, damage) => {
  const root = folderOf();
  const path = put(root, recordOf('op n=8'));
  const text = exportRecords(root);
  damage(path);
  expect(importRecords(root, text)).toEqual({ added: 1, kept: 0, refused: [] });
  expect(cacheFiles(root)).toMatchObject([{ path, record: recordOf('op n=8') }]);
  expect(readdirSync(dirname(path))).toHaveLength(1);
});

test('an environment that is cut is damage, its records are not exported, and what is imported mends it', () => {
  const root = folderOf();
  const path = put(root, recordOf('op n=8'));
  const text = exportRecords(root);
  const about = join(root, 'v1', digestOf(environment), 'environment.txt');
  writeFileSync(about, environment.slice(0, -5));
  expect(cacheFiles(root)).toMatchObject([
    { path: about, damage: expect.stringContaining('its digest is not the name of its folder') },
    { path, environment: '', record: recordOf('op n=8') },
  ]);
  expect(exportRecords(root)).toBe('');
  expect(importRecords(root, text)).toEqual({ added: 0, kept: 1, refused: [] });
  expect(exportRecords(root)).toBe(text);
  writeFileSync(about, '');
  expect(prune(root).map((file) => file.path)).toEqual([about]);
  expect(cacheFiles(root)).toMatchObject([{ path, environment: '' }]);
});

test('an import below a file system that makes no folders ends', () => {
  const root = folderOf();
  put(root, recordOf('op n=8'));
  const script = `import { importRecords } from ${JSON.stringify(join(packageRoot, 'src/tuned/cache.ts'))};
    importRecords('/proc/tuned', process.argv[2]);`;
  const file = join(folderOf({ 'import.ts': script }), 'import.ts');
  const argv = ['--import', 'jiti/register', file, exportRecords(root)];
  const { status, stderr } = spawnSync(process.execPath, argv, {
    ...{ cwd: packageRoot, encoding: 'utf8', timeout: 20_000 },
  });
  expect(status).toBe(1);
  expect(stderr).toMatch(/cannot write \/proc\/tuned\/v1\/.*: there is no such file or folder/);
});
