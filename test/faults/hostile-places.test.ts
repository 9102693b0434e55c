// Folders and files that are not what they should be: a sentence, exit code 2, and no wait that never ends.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRun } from '../../src/store/run.ts';
import { gen, genArgv, type Workspace, workspace } from '../helpers/gen.ts';

const slow = { timeout: 120_000 };

/** Runs a line of shell in which `gen` is this package's; 124 where it does not end. */
function shell({ path }: Workspace, line: string) {
  const gen = genArgv.map((word) => `'${word}'`).join(' ');
  const script = `gen() { timeout 60 "\${before[@]}" ${gen} "$@"; }; ${line}`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { cwd: path, encoding: 'utf8' });
  return { code: status, stdout, stderr };
}

/** Command that runs another as a user whom the system does not know. */
const asAnother = ['setpriv', '--reuid=12345', '--clear-groups'] as const;

/** Why nobody can act as that user here; undefined where one can. */
function whyNotAnother(): string | undefined {
  if (process.getuid?.() !== 0) return 'to act as another user takes root';
  const [command, ...options] = asAnother;
  const reads = spawnSync(command, [...options, 'test', '-r', genArgv.at(-1) ?? '']).status === 0;
  return reads ? undefined : 'another user may not read this checkout: a folder above it is private';
}

describe('a place to stand', () => {
  test('that may not be read', slow, ({ skip }) => {
    const why = whyNotAnother();
    if (why) return skip(why);
    const place = workspace();
    const before = `before=(${asAnother.join(' ')})`;
    const { code, stderr } = shell(place, `${before}; gen list`);
    expect(stderr).toMatch(/^error: cannot read .*: permission is denied$/m);
    expect(code).toBe(2);
  });

  test('that is gone', slow, () => {
    const { code, stderr } = shell(workspace(), 'mkdir gone && cd gone && rmdir ../gone && gen list');
    expect(stderr).toContain('error: the folder that this was started in is gone: go to another one');
    expect(stderr).not.toMatch(/this is a bug|^ +at /m);
    expect(code).toBe(2);
  });
});

describe('the folder of what is kept', () => {
  test('of a user whom the system does not know', slow, ({ skip }) => {
    const why = whyNotAnother();
    if (why) return skip(why);
    const before = `before=(env -u HOME -u XDG_CACHE_HOME -u TILEWRIGHT_CACHE ${asAnother.join(' ')})`;
    const { code, stderr } = shell(workspace(), `${before}; cd / && gen list`);
    expect(stderr).toMatch(/^error: this user has no home folder, .*: set HOME, or TILEWRIGHT_CACHE/);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(code).toBe(2);
  });

  test.each([
    { HOME: '', XDG_CACHE_HOME: '' },
    { HOME: 'home', XDG_CACHE_HOME: '' },
    { XDG_CACHE_HOME: 'kept' },
  ])('is not below the working directory: %o', slow, async (env) => {
    const { path } = workspace();
    const before = readdirSync(path);
    expect((await gen(path, ['list'], { ...env, TILEWRIGHT_CACHE: '' })).code).toBe(0);
    expect(readdirSync(path)).toEqual(before);
  });
});

/** A small disk at a folder; undefined where there can be none. */
function smallDisk(path: string, options: string): boolean {
  mkdirSync(path, { recursive: true });
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'none', path]).status !== 0) return false;
  onTestFinished(() => void spawnSync('umount', ['-l', path]));
  return true;
}

test('a cache without space keeps no translation, and no family is blamed', slow, async ({ skip }) => {
  const { path } = workspace();
  const cache = join(path, 'cache');
  if (!smallDisk(cache, 'size=8k')) return skip('a small disk takes root');
  const { code, stdout, stderr } = await gen(path, ['list'], { TILEWRIGHT_CACHE: cache });
  expect(code, stderr).toBe(0);
  expect(stdout).toContain('scale');
});

test('a folder by the name of a source', slow, async () => {
  const { path } = workspace();
  mkdirSync(join(path, 'one.cu'));
  const { code, stderr } = await gen(path, ['validate', 'one.cu']);
  expect(stderr).toBe('error: cannot read one.cu: it is a folder, not a file\n');
  expect(code).toBe(2);
});

describe('temporary files', () => {
  const kernel = `#include "../../beside/missing.h"
__global__ void one(float* y) { y[threadIdx.x] = 1.0f; }
int main() { float* y; cudaMalloc(&y, 32 * sizeof(float)); one<<<1, 32>>>(y); }
`;

  test('of headers whose names climb do not leave their folder', { timeout: 300_000 }, async () => {
    const { path } = workspace();
    const temporary = join(path, 'a/b');
    mkdirSync(temporary, { recursive: true });
    writeFileSync(join(path, 'one.cu'), kernel);
    const { code, stderr } = await gen(path, ['validate', 'one.cu'], { TMPDIR: temporary });
    expect(code, stderr).toBe(0);
    expect(readdirSync(temporary)).toEqual([]);
    expect(existsSync(join(path, 'a/beside'))).toBe(false);
  });

  test('on a disk without space', { timeout: 300_000 }, async ({ skip }) => {
    const { path } = workspace();
    writeFileSync(join(path, 'one.cu'), kernel);
    const temporary = join(path, 'temporary');
    if (!smallDisk(temporary, 'nr_inodes=8')) return skip('a small disk takes root');
    const { code, stderr } = await gen(path, ['validate', 'one.cu'], { TMPDIR: temporary });
    expect(stderr).toMatch(
      /^error: cannot (create|write) .*: there is no space left on the disk; .* TMPDIR$/m,
    );
    expect(code).toBe(2);
  });

  test('that cannot be made', { timeout: 300_000 }, async () => {
    const { path } = workspace();
    writeFileSync(join(path, 'one.cu'), kernel);
    const { code, stderr } = await gen(path, ['validate', 'one.cu'], { TMPDIR: join(path, 'one.cu') });
    expect(stderr).toMatch(/^error: cannot create .*: a part of the path is a file, .* with TMPDIR$/m);
    expect(code).toBe(2);
  });
});

describe('a run', () => {
  const about = { family: 'scale', arch: 'sm_90a', command: 'gen sweep scale', space: {} };

  /** A run in which one file is what a line of shell makes of it. */
  function spoiled(name: string, change: (path: string) => void): { readonly place: Workspace } {
    const place = workspace();
    const run = createRun(join(place.out, 'runs'), { ...about, depth: 'quick', device: 'emulated' });
    run.append({ event: 'space', points: 36, legal: 10, variants: 10, rejected: {} });
    run.close();
    change(join(run.path, name));
    return { place };
  }

  const pipe = (path: string) => {
    rmSync(path, { force: true });
    expect(spawnSync('mkfifo', [path]).status).toBe(0);
  };

  test.each(['run.json', 'journal.jsonl', 'selection.json'])('whose %s is a pipe', slow, (name) => {
    const { place } = spoiled(name, pipe);
    const { code, stderr } = shell(place, 'gen report');
    expect(stderr).toMatch(
      new RegExp(`^error: cannot read .*/${name}: it is a pipe, a socket or a device`, 'm'),
    );
    expect(code).toBe(2);
  });

  test('whose run.json is larger than a text can be', slow, () => {
    const { place } = spoiled('run.json', (path) => truncateSync(path, 2 ** 30));
    const { code, stderr } = shell(place, 'gen report');
    expect(stderr).toMatch(/^error: cannot read .*run\.json: the file is too large$/m);
    expect(code).toBe(2);
  });

  test('beside a library whose manifest is a pipe', slow, () => {
    const { place } = spoiled('none', () => {});
    mkdirSync(join(place.out, 'library'));
    pipe(join(place.out, 'library/manifest.json'));
    const { code, stderr } = shell(place, 'gen sweep scale --preset sound --device emulated');
    expect(stderr).toMatch(/^error: cannot read .*manifest\.json: it is a pipe/m);
    expect(code).toBe(2);
  });
});
