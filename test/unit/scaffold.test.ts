import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lintProblems } from '../../src/check/lint.ts';
import { loadFamily } from '../../src/discover.ts';
import { newKernel } from '../../src/scaffold.ts';
import { enumerate } from '../../src/space/enumerate.ts';
import { folderOf } from '../helpers/folder.ts';

describe('newKernel', () => {
  it('makes a family that loads and lints clean', async () => {
    const root = folderOf();
    const folder = newKernel('my-axpy', root);
    const found = await loadFamily('my-axpy', { families: [{ from: root, pattern: 'templates/kernels/*' }] });
    expect(found.folder).toBe(folder);
    expect(lintProblems(found)).toEqual([]);
    expect(enumerate(found.family, { preset: 'quick' }).variants).toHaveLength(12);
  });

  it('leaves nothing of the old name', () => {
    const folder = newKernel('gemv2', folderOf());
    for (const file of readdirSync(folder)) {
      expect(readFileSync(join(folder, file), 'utf8')).not.toMatch(/new.kernel/i);
    }
    expect(readFileSync(join(folder, 'operation.hpp'), 'utf8')).toContain('namespace tilewright::gemv2 {');
  });

  it.each(['Axpy', '2d', 'a--b', 'a-', 'a/b', '../x', ''])('refuses the name %j', (name) => {
    const root = folderOf();
    expect(() => newKernel(name, root)).toThrow(/cannot name a family: lower case letters/);
    expect(existsSync(join(root, 'templates'))).toBe(false);
  });

  it('refuses a name that is taken, here or in the package', () => {
    const root = folderOf();
    newKernel('axpy', root);
    expect(() => newKernel('axpy', root)).toThrow(`there is a family 'axpy' already, in ${root}`);
    expect(() => newKernel('bsr-spmm', root)).toThrow(/there is a family 'bsr-spmm' already/);
  });
});
