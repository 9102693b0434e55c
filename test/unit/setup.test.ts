import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { localExecutor } from '../../src/exec/local.ts';
import { commitOf } from '../../src/setup.ts';
import { folderOf } from '../helpers/folder.ts';

beforeEach(() => vi.stubEnv('TILEWRIGHT_COMMIT', ''));
afterEach(() => vi.unstubAllEnvs());

const family = 'templates/kernels/op';

async function git(root: string, ...args: string[]): Promise<void> {
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
  const { exitCode, stderr } = await localExecutor.run(['git', '-C', root, ...who, ...args]);
  expect(exitCode, stderr).toBe(0);
}

/** A checkout with one commit, and then a file more. */
async function checkout(file?: string): Promise<string> {
  const root = folderOf({ 'src/a.ts': '', [`${family}/family.ts`]: '', '.gitignore': 'generated/\n' });
  await git(root, 'init', '-q');
  await git(root, 'add', '.');
  await git(root, 'commit', '-q', '-m', 'all');
  if (file === undefined) return root;
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), 'text');
  return root;
}

describe('the commit of a checkout', () => {
  it.each([
    'src/a.ts',
    'src/new/b.ts',
    'harness/src/b.cpp',
    'kit/host/tw/b.hpp',
    'templates/bindings/c/src/b.cpp',
    `${family}/b.hpp`,
    `${family}/wisdom/sm_90a.json`,
    '.gitignore',
  ])('is dirty with %s written', async (file) => {
    const root = await checkout(file);
    expect(await commitOf(localExecutor, join(root, family), root)).toMatch(/^[0-9a-f]{40}-dirty$/);
  });

  it.each([
    undefined,
    'generated/runs/x/journal.jsonl',
    'docs/results/evidence.json',
    'templates/kernels/other/family.ts',
    'notes.txt',
  ])('is clean with %s written', async (file) => {
    const root = await checkout(file);
    expect(await commitOf(localExecutor, join(root, family), root)).toMatch(/^[0-9a-f]{40}$/);
  });

  it('says nothing of a family elsewhere, and nothing where there is no checkout', async () => {
    const elsewhere = folderOf({ 'op/family.ts': '' });
    expect(await commitOf(localExecutor, join(elsewhere, 'op'), await checkout())).toMatch(/^[0-9a-f]{40}$/);
    expect(await commitOf(localExecutor, join(elsewhere, 'op'), elsewhere)).toBeUndefined();
  });

  it('is what TILEWRIGHT_COMMIT says', async () => {
    vi.stubEnv('TILEWRIGHT_COMMIT', 'abc');
    expect(await commitOf(localExecutor, family, folderOf())).toBe('abc');
  });
});
