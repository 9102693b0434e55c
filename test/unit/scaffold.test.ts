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
    expect(readFileSync(join(folder, 'launch.hpp'), 'utf8')).toContain('namespace tilewright::gemv2 {');
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

describe('newKernel --like', () => {
  it('makes a family of tensor cores that loads and lints clean, without what belongs to the other', async () => {
    const root = folderOf();
    const folder = newKernel('my-product', root, 'gemm');
    const found = await loadFamily('my-product', {
      families: [{ from: root, pattern: 'templates/kernels/*' }],
    });
    expect(lintProblems(found)).toEqual([]);
    expect(found.family.operation.name).toBe('my_product');
    expect(existsSync(join(folder, 'golden'))).toBe(false);
    for (const file of readdirSync(folder))
      expect(readFileSync(join(folder, file), 'utf8'), file).not.toMatch(
        /(?<![A-Za-z0-9])gemm(?![A-Za-z0-9])/,
      );
    expect(readFileSync(join(folder, 'launch.hpp'), 'utf8')).toContain('namespace tilewright::my_product {');
  });

  it('refuses a family that there is not, and one that only this package can have', () => {
    const root = folderOf();
    expect(() => newKernel('mine', root, 'gemn')).toThrow(
      "there is no family 'gemn' to begin with; there are: ",
    );
    expect(() => newKernel('mine', root, 'bsr-spmm')).toThrow(
      /'bsr-spmm' imports .*, which is this package's alone/,
    );
    expect(existsSync(join(root, 'templates/kernels/mine'))).toBe(false);
  });
});
