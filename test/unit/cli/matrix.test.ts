// `--matrix`: which variants are gated, and on what.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { caseOf, withBlock, withMatrix } from '../../../src/cli/matrix.ts';
import { loadFamily } from '../../../src/discover.ts';
import type { AnyFamily } from '../../../src/model/family.ts';
import { folderOf } from '../../helpers/folder.ts';

const emptyFile = () => join(folderOf({ 'a.mtx': '' }), 'a.mtx');
const options = { install: false };

async function load(name: string): Promise<AnyFamily> {
  return (await loadFamily(name)).family;
}

describe('--matrix', () => {
  it('adds a gate case with the places and values of the file', async () => {
    const file = emptyFile();
    const family = withMatrix(await load('bsr-spmm'), `${file}@64`);
    const cases = family.cases(
      { path: 'naive', block: 64, input: 'f16', output: 'f32', layoutB: 'row', layoutC: 'row' },
      'quick',
    );
    expect(cases.at(-1)).toMatchObject({
      id: caseOf(file),
      problem: { block: 64, pattern: { kind: 'matrix-market', path: file }, values: 'file' },
    });
    expect(cases.length).toBeGreaterThan(1);
  });

  it('is refused where a variant has other blocks, a family no such operand, or the disk no such file', async () => {
    const file = emptyFile();
    const family = withMatrix(await load('bsr-spmm'), `${file}@32`);
    expect(() => family.cases({ path: 'naive', block: 64 }, 'quick')).toThrow(
      'the variant has blocks of 64, --matrix asks for 32',
    );
    const gemm = await load('gemm');
    expect(() => withMatrix(gemm, file)).toThrow('gemm has no operand that a Matrix Market file can give');
    expect(() => withMatrix(family, `${file}x@32`)).toThrow(/there is no file \S+a\.mtxx; say --matrix/);
  });

  it('narrows the variants to its block', async () => {
    const file = emptyFile();
    const family = await load('bsr-spmm');
    expect(withBlock({ ...options, matrix: file }, family)).toEqual({ ...options, matrix: file });
    expect(withBlock({ ...options, matrix: `${file}@32` }, family)).toMatchObject({
      preset: 'default',
      where: 'block == 32',
    });
    expect(withBlock({ ...options, matrix: `${file}@32`, where: 'stages == 2' }, family)).toMatchObject({
      where: '(stages == 2) && block == 32',
    });
  });
});
