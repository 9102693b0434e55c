// The reader of Matrix Market files beside SciPy's: the same entries, or an error of both.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { kit, packageRoot } from '../../src/util/package-root.ts';
import { outputOf } from '../helpers/command.ts';

const fixtures = join(packageRoot, 'test/fixtures/matrix-market');
const place = z.tuple([z.number(), z.number(), z.string()]).rest(z.string());
const matrix = z.object({ shape: z.tuple([z.number(), z.number()]), entries: z.array(place) });
const answer = z.union([matrix, z.object({ error: z.string() })]);
const files = z
  .record(z.string(), answer.and(z.object({ text: z.string() })))
  .parse(JSON.parse(readFileSync(join(fixtures, 'scipy.json'), 'utf8')));

/** Files of which SciPy silently drops a part of a number. */
const stricter = /7\.5|1\.5D2|5x|0x10/;

const folder = mkdtempSync(join(tmpdir(), 'tilewright-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const program = join(folder, 'read');

async function read(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  writeFileSync(path, content);
  return (await outputOf(program, path)).trimEnd();
}

const numbers = ({ shape, entries }: z.infer<typeof matrix>) => ({
  shape,
  entries: entries.map(([row, column, ...values]) => [row, column, ...values.map(numberOf)]),
});

/** C++ writes infinities as `inf`. */
function numberOf(text: string): number {
  return Number(text.replace(/inf$/, 'Infinity'));
}

beforeAll(async () => {
  const source = join(fixtures, 'read.cpp');
  const include = join(packageRoot, kit.host);
  await outputOf('g++', '-std=c++20', '-Wall', '-Wextra', '-Werror', '-I', include, source, '-o', program);
}, 120_000);

describe('a Matrix Market file', () => {
  it.each(Object.entries(files))('%s', async (_, { text, ...expected }) => {
    const found = await read('one.mtx', text);
    if ('error' in expected || stricter.test(text)) expect(found).toMatch(/^error \S+one\.mtx:\d+: /);
    else expect(numbers(matrix.parse(JSON.parse(found)))).toEqual(numbers(expected));
  });

  const [sound = ''] = Object.values(files).map(({ text }) => text);

  it('is unpacked', async () => {
    expect(await read("it's.mtx.gz", gzipSync(sound))).toBe(await read('plain.mtx', sound));
  });

  it('that is damaged is refused by its name', async () => {
    const packed = gzipSync(sound.repeat(3)).subarray(0, -6);
    expect(await read('half.mtx.gz', packed)).toMatch(/^error \S+half\.mtx\.gz/);
  });

  it('that is not there is refused by its name', async () => {
    expect(await outputOf(program, join(folder, 'none.mtx'))).toMatch(/^error cannot read .*none\.mtx\n$/);
  });
});
