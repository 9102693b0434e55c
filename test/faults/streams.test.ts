// A stdout that takes nothing, or no more, costs no work.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openRun } from '../../src/store/run.ts';
import { folderOf } from '../helpers/folder.ts';
import { genArgv, type Workspace, workspace } from '../helpers/gen.ts';

const slow = { timeout: 300_000 };
const sweep = 'gen sweep scale --preset sound --limit 1 --device emulated';

/** Runs a line of shell in which `gen` is this package's. */
function shell({ path }: Pick<Workspace, 'path'>, line: string) {
  const gen = genArgv.map((word) => `'${word}'`).join(' ');
  const script = `set -o pipefail; gen() { ${gen} "$@"; }; ${line}`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { cwd: path, encoding: 'utf8' });
  return { code: status, stdout, stderr };
}

describe('stdout that takes nothing', () => {
  test.each([
    'gen list',
    'gen --help',
    'gen show scale',
    'gen why scale scale.t64-e3b0',
    'gen list --json',
    'gen doctor',
  ])('%s: exit code 2 and a sentence', slow, (line) => {
    const { code, stderr } = shell(workspace(), `${line} > /dev/full`);
    expect(stderr).toContain('error: cannot write to stdout: there is no space left on the disk');
    expect(stderr).toContain('the work was done, but its output is lost');
    expect(stderr).not.toContain('    at ');
    expect(code).toBe(2);
  });

  test.each(['', '--json'])('gen sweep %s: the work is done all the same', slow, (flag) => {
    const place = workspace();
    const { code, stderr } = shell(place, `${sweep} ${flag} > /dev/full`);
    expect(stderr).toContain('cannot write to stdout');
    expect(code).toBe(2);
    expect(existsSync(join(place.out, 'library/manifest.json'))).toBe(true);
    expect(openRun(join(place.out, 'runs')).records().at(-1)?.event).toBe('summary');
  });

  test('an error stays the first thing said', slow, () => {
    const { code, stderr } = shell(workspace(), 'gen sweep scael --json > /dev/full');
    expect(stderr).toMatch(/^error: there is no kernel family 'scael'/);
    expect(stderr).not.toContain('the work was done');
    expect(code).toBe(2);
  });

  test('stderr that takes nothing is no reason to stop', slow, () => {
    const place = workspace();
    expect(shell(place, `${sweep} 2> /dev/full`).code).toBe(0);
    expect(existsSync(join(place.out, 'library/manifest.json'))).toBe(true);
  });

  test('a file that takes only a part of the answer', slow, ({ skip }) => {
    const disk = folderOf();
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'none', disk]);
    if (mounted.status !== 0) return skip('a small disk takes root');
    onTestFinished(() => void spawnSync('umount', [disk]));
    writeFileSync(join(disk, 'page'), 'x'.repeat(4 * 4096 - 10));
    const { code, stderr } = shell(workspace(), `gen list >> ${disk}/page`);
    expect(stderr).toContain('cannot write to stdout: there is no space left on the disk');
    expect(code).toBe(2);
  });
});

describe('a reader that leaves', () => {
  test.each(['gen list', 'gen show scale', 'gen list scale'])('%s | head -1', slow, (line) => {
    const { code, stdout, stderr } = shell(workspace(), `${line} | head -1`);
    expect(stdout.split('\n')).toHaveLength(2);
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  test('of a sweep does not stop it', slow, () => {
    const place = workspace();
    const { code, stdout } = shell(place, `${sweep} --json --quiet | head -1`);
    expect(stdout).toMatch(/^{"event":"start".*}\n$/);
    expect(code).toBe(0);
    expect(existsSync(join(place.out, 'library/manifest.json'))).toBe(true);
  });
});

test('escape sequences of a foreign run reach no terminal', slow, () => {
  const place = workspace();
  const id = 'scale-20261121-120000';
  const run = join(place.out, 'runs', id);
  mkdirSync(run, { recursive: true });
  const info = { version: 1, id, family: 'scale', arch: 'sm_90a', started: '2026-11-21T12:00:00Z' };
  const rest = { command: 'gen\u001b[2J', space: { preset: 'sound' }, depth: 'quick', device: 'emulated' };
  writeFileSync(join(run, 'run.json'), JSON.stringify({ ...info, ...rest }));
  const evil = '\u001b]0;pwned\u0007\u009b2J';
  const evidence = { message: evil, reproduce: evil };
  const verdict = { event: 'verdict', variant: evil, device: 'emulated', verdict: 'wrong', evidence };
  const summary = { event: 'summary', verdicts: { [evil]: 1 } };
  const lines = [{ ...verdict, parameters: { [evil]: 1 } }, verdict].map((one) => JSON.stringify(one));
  writeFileSync(join(run, 'journal.jsonl'), `${lines[0]}\n`);
  writeFileSync(join(run, 'summary.json'), JSON.stringify(summary));
  for (const line of [
    'gen report',
    'gen emit',
    `gen report ${id}`,
    'gen show scale.t64-e3b0',
    `gen report 'x${evil}'`,
  ]) {
    const { stdout, stderr } = shell(place, line);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(stdout + stderr, line).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    expect(stdout + stderr, line).not.toContain('this is a bug');
  }
  writeFileSync(join(run, 'journal.jsonl'), `${lines[1]}\n`); // a record that is none
  expect(shell(place, `gen report ${id}`)).toMatchObject({ code: 2 });
});
