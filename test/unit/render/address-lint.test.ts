import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultArch } from '../../../src/arch/index.ts';
import { loadFamily } from '../../../src/discover.ts';
import type { Variant } from '../../../src/model/variant.ts';
import { lintCuda } from '../../../src/render/cuda-lint.ts';
import { renderVariant } from '../../../src/render/render.ts';
import { enumerate } from '../../../src/space/enumerate.ts';

const headers = `struct Args {
  const int* row_ptr;
  const float* values;
  float* c;
  long long ldb, ldc;  // elements
  int lda, rows;
};`;

const found = (line: string) =>
  lintCuda('k.cu', line, headers).flatMap(({ rule, found }) => (rule === 'wide-address' ? [found] : []));

describe('addresses of 32 bits', () => {
  it.each([
    ['a row and a stride', 'float x = args.values[row * args.lda + column];'],
    ['an index and the size of a block', 'const float* a = args.values + i * kBlock * kBlock + k;'],
    ['a sum of such a kind', 'const float* a = args.values + (i * kBlock + row) * kBlock;'],
    ['a variable and a number', 'args.c[block * 64 * 64] = 0;'],
    ['what is widened too late', 'args.c[row * kBlock * kBlock * args.ldc] = 0;'],
    ['a pointer that begins at an argument', 'float* c = args.c + n0; c[row * columns] = 0;'],
    ['a narrow cast', 'float* c = args.c + static_cast<int>(row) * args.lda;'],
  ])('are found in %s', (_, line) => {
    expect(found(line)).toHaveLength(1);
  });

  it.each([
    'float x = args.values[static_cast<long long>(row) * args.lda + column];',
    'const float* a = args.values + (static_cast<long long>(i) * kBlock + row) * kBlock;',
    'args.c[row * args.ldc + column] = 0;',
    'const long long block = first + step; const float* a = args.values + block * kBlock * kBlock;',
    'const std::size_t row = blockIdx.y, column = 3; args.c[row * columns] = column * lanes;',
    'float* c = args.c + row * args.ldc; c[thread / 8 * kBlock + thread % 8] = 0;',
    'shared[row * pitch] = args.row_ptr[row + 1];',
    'const int tiles = (args.rows + kTile - 1) / kTile * parts;',
    '// args.c[row * columns]',
  ])('are not found in %s', (line) => {
    expect(found(line)).toEqual([]);
  });

  it('say where they are and what to write', () => {
    const [finding] = lintCuda('k.cu', 'int x;\nargs.c[row * columns] = 0;\n', headers);
    expect(finding).toMatchObject({ line: 2, found: 'args.c[row * columns' });
    expect(finding?.instead).toContain('static_cast<long long>(row) * stride');
  });

  // The mutants of the operator index-narrowed that change an address of a rendered source.
  it.each([
    ['naive', 'static_cast<long long>(i) * kBlock', 'static_cast<int>(i) * kBlock'],
    ['simt', 'const long long block', 'const int block'],
  ])('are found where a kernel %s has one: %s', async (path, sound, mutated) => {
    const { family, folder } = await loadFamily('bsr-spmm');
    const { variants } = enumerate(family, { arch: defaultArch, preset: 'quick' });
    const variant = variants.find(({ template }) => template.startsWith(`${path}.`)) as Variant;
    const { text } = renderVariant(family, folder, variant);
    const declared = ['strides.h', `paths/${path}/args.h`]
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n');
    const rules = (code: string) => lintCuda('k.cu', code, declared).map(({ rule }) => rule);
    expect(rules(text)).toEqual([]);
    expect(text).toContain(sound);
    expect(rules(text.replace(sound, mutated))).toEqual(['wide-address']);
  });
});
