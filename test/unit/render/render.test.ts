import { createHash } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defineOperation, type OperationValues } from '../../../src/model/operation.ts';
import { renderVariant } from '../../../src/render/render.ts';
import { writeIfDifferent, writeSource } from '../../../src/render/write.ts';
import { enumerate } from '../../../src/space/enumerate.ts';
import { folderOf } from '../../helpers/folder.ts';
import { toyFamily } from '../../helpers/toy-family.ts';
import { toyOperation } from '../../helpers/toy-operation.ts';

const [variant] = enumerate(toyFamily, { where: 'path == "simt" && block == 64 && tileN == 128' }).variants;
if (!variant) throw new Error('the toy family has lost a variant');

describe('renderVariant', () => {
  it('says what the file is, which parameters matter and how to render it again', () => {
    const folder = folderOf({ 'kernel.cu.hbs': 'constexpr int kArea = {{area}};\n\n\n' });
    const source = renderVariant(toyFamily, folder, variant, '/out');
    expect(source.text).toBe(`// toy_op.simt.b64.tn128-e7b2
// C = A * B
//
//   path   simt
//   block  64
//   tileN  128
//
// Rendered from kernel.cu.hbs by: gen render toy-op toy_op.simt.b64.tn128-e7b2
constexpr int kArea = 8192;
`);
    const commented = folderOf({ 'kernel.cu.hbs': '// One thread an element.\n' });
    expect(renderVariant(toyFamily, commented, variant).text).toMatch(
      /simt\.b64\.tn128-e7b2\n\/\/\n\/\/ One thread/,
    );
    expect(source.path).toBe('/out/sources/toy-op/toy_op.simt.b64.tn128-e7b2.cu');
    expect(source.hash).toBe(createHash('sha256').update(source.text).digest('hex'));
  });
});

describe('the header of a source', () => {
  const operand = { doc: 'a matrix', role: 'input' as const, type: 'input', shape: ['n'] };
  const operation = defineOperation({
    ...toyOperation,
    choices: {
      ...toyOperation.choices,
      layoutB: { kind: 'layout', doc: 'order of B' },
      layoutC: { kind: 'layout', doc: 'order of C' },
      residual: { kind: 'switch', doc: 'something added' },
    },
    operands: {
      b: { ...operand, layout: 'layoutB' },
      residual: { ...operand, layout: 'layoutC', only: 'residual' },
      c: { ...operand, layout: 'layoutC' },
    },
  });
  const summaryWith = (served: OperationValues) => {
    const folder = folderOf({ 'kernel.cu.hbs': '' });
    return renderVariant({ ...toyFamily, operation, serves: () => served }, folder, variant).text.split(
      '\n',
    )[1];
  };

  it.each([
    [{}, 'B and C row-major'],
    [{ layoutB: ['column'] }, 'B column-major, C row-major'],
    [{ layoutC: ['column'], residual: ['no', 'yes'] }, 'B row-major, residual and C column-major'],
    [
      { layoutB: ['row', 'column'], layoutC: ['row', 'column'], residual: ['yes'] },
      'B, residual and C row-major or column-major',
    ],
  ])('says in which order operands lie that the variant takes: %j', (served, layouts) => {
    expect(summaryWith(served)).toBe(`// C = A * B; ${layouts}`);
  });
});

describe('writeSource', () => {
  it('writes a new or a different text, and leaves an equal one alone', () => {
    const folder = folderOf({ 'kernel.cu.hbs': '{{area}}\n' });
    const source = renderVariant(toyFamily, folder, variant, folder);
    expect(writeSource(source)).toBe(true);
    utimesSync(source.path, 1000, 1000);
    expect(writeSource(source)).toBe(false);
    expect(statSync(source.path).mtimeMs).toBe(1_000_000);
    expect(writeSource({ ...source, text: 'other' })).toBe(true);
    expect(readFileSync(source.path, 'utf8')).toBe('other');
    expect(readdirSync(join(folder, 'sources/toy-op'))).toHaveLength(1);
  });

  it('says what is in the way', () => {
    const folder = folderOf({ 'out/sources': 'a file, where a folder should be' });
    const write = () => writeIfDifferent(join(folder, 'out/sources/toy-op/x.cu'), 'text');
    expect(write).toThrow(/cannot (read|write) .*: a part of the path is a file, not a folder/);
  });

  it.skipIf(process.getuid?.() === 0)('says that a folder is read-only', () => {
    const folder = folderOf();
    chmodSync(folder, 0o500);
    expect(() => writeIfDifferent(join(folder, 'x.cu'), 'text')).toThrow(
      /permission is denied; name a writable folder/,
    );
  });
});
