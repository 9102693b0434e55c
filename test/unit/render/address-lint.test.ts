import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultArch } from '../../../src/arch/index.ts';
import { loadFamily } from '../../../src/discover.ts';
import type { Variant } from '../../../src/model/variant.ts';
import { lintCuda, lintHeader } from '../../../src/render/cuda-lint.ts';
import { renderVariant } from '../../../src/render/render.ts';
import { enumerate } from '../../../src/space/enumerate.ts';
import { kit, packageRoot } from '../../../src/util/package-root.ts';

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
    ['a narrow cast of 64 bits', 'float* c = args.c + static_cast<int>(args.ldc) * args.lda;'],
    ['constants in brackets', 'args.c[block * (kBlock * kBlock)] = 0;'],
    ['a pointer that goes on', 'float* c = args.c; c += row * args.lda;'],
    ['a parameter', 'void f(const float* from, int row, int pitch) { g(from[row * pitch]); }'],
    ['a variable that is wide too late', 'const long long at = row * args.lda; args.c[at] = 0;'],
    ['parameters behind a wide one', 'void f(float* to, long long ld, int row, int n) { to[row * n] = 0; }'],
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
    'for (int i = 0; i < kRounds; ++i) args.c[i * kBlock * kBlock] = 0;',
    'args.c[lane % 4 * kBlock * kBlock] = 0;',
    'template <class Pitch> void f(const float* from, Pitch pitch, int row) { g(from[row * pitch]); }',
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

  // The mutants of the same operator that change an address of a device header.
  it.each([
    ['tw/block_row_copy.cuh', 'static_cast<long long>(block) * Block', 'static_cast<int>(block) * Block'],
    ['tw/slabs.cuh', 'const long long block', 'const int block'],
    ['tw/slabs.cuh', 'const int* list, long long i', 'const int* list, int i'],
    ['tw/split_sums.cuh', 'static_cast<long long>(slot)', 'static_cast<int>(slot)'],
    ['tw/copy_tile.cuh', 'long long stride', 'int stride'],
    ['tw/staging.cuh', 'T* c, long long ldc', 'T* c, int ldc'],
    ['paths/general/task.cuh', 'static_cast<long long>(at)', 'static_cast<int>(at)'],
    ['paths/general/task.cuh', 'static_cast<long long>(blockIdx.y)', 'static_cast<int>(blockIdx.y)'],
  ])('are found in %s without %s', async (name, sound, mutated) => {
    const { folder } = await loadFamily('bsr-spmm');
    const read = (file: string, ...folders: string[]) => readFileSync(join(...folders, file), 'utf8');
    const text = name.startsWith('tw/') ? read(name, packageRoot, kit.device) : read(name, folder);
    const paths = ['general', 'mma', 'narrow', 'wgmma'].map((path) => `paths/${path}/args.h`);
    const declared = [text, ...['strides.h', ...paths].map((file) => read(file, folder))].join('\n');
    expect(lintHeader(name, text, declared)).toEqual([]);
    expect(text).toContain(sound);
    const line = text.slice(0, text.indexOf(sound)).split('\n').length;
    const [finding, ...others] = lintHeader(name, text.replace(sound, mutated), declared);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ file: name, rule: 'wide-address' });
    expect(finding?.line).toBeGreaterThanOrEqual(line);
  });
});
