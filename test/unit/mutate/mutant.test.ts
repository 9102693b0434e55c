import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { headersOf, reachedFrom } from '../../../src/mutate/headers.ts';
import { launchMutants, mutantsOf } from '../../../src/mutate/mutant.ts';
import { overlay } from '../../../src/mutate/overlay.ts';
import { tokenize } from '../../../src/mutate/tokens.ts';
import { packageRoot } from '../../../src/util/package-root.ts';
import { folderOf } from '../../helpers/folder.ts';

describe('tokens', () => {
  it('cover the whole text but for spaces and comments', () => {
    const text = 'a->b <<= 0x1\'0f; // c\n#if X \\\n  && Y\n/* d */ \'e\' "f\\"g" 1.5e-3f';
    expect(tokenize(text).map((token) => token.text)).toEqual([
      ...['a', '->', 'b', '<<=', "0x1'0f", ';', '#if X \\\n  && Y', "'e'", '"f\\"g"', '1.5e-3f'],
    ]);
  });
});

describe('mutants', () => {
  const text = 'void f() {\n  a[i] = 1;\n  __syncthreads();\n  b = a[0];\n  __syncthreads();\n}\n';
  const drops = mutantsOf({ file: 'x.cu', text }).filter(({ operator }) => operator === 'sync-dropped');

  it('name operator, file, line and what changes', () => {
    expect(drops[0]).toMatchObject({ file: 'x.cu', line: 3, before: '__syncthreads();', after: ';' });
    expect(drops[0]?.text).toBe(text.replace('__syncthreads();', ';'));
  });

  it('have ids of their own, equal lines too, that do not depend on what stands elsewhere', () => {
    expect(drops).toHaveLength(2);
    expect(drops[0]?.id).not.toBe(drops[1]?.id);
    const moved = mutantsOf({ file: 'x.cu', text: `// more\n${text}` });
    expect(moved.map(({ id }) => id)).toEqual(mutantsOf({ file: 'x.cu', text }).map(({ id }) => id));
  });

  it('make each text once', () => {
    const texts = mutantsOf({ file: 'x.cu', text }).map((mutant) => mutant.text);
    expect(new Set(texts).size).toBe(texts.length);
  });

  it('stay out of assertions and of what one device alone compiles', () => {
    const closed = `static_assert(a == b);
#if defined(TW_EMULATED)
int f() { return 1 + g; }
#else
int f() { return 1 - g; }
#endif
void h() { TW_EITHER(x = 1, y = 2); }
`;
    const made = mutantsOf({ file: 'x', text: closed });
    expect(made.map(({ after }) => after)).toEqual(['void h() { ; }']);
  });

  it('of a header are those that the source reaches', () => {
    const header = `constexpr int kUsed = 4;
constexpr int kOther = 5;
inline int inner(int x) { return x + kUsed; }
inline int outer(int x) { return inner(x); }
inline int other(int x) { return x - kOther; }
`;
    const made = mutantsOf({ file: 'h', text: header, reachedFrom: new Set(['outer']) });
    expect(made.map(({ after }) => after)).toEqual([
      'inline int inner(int x) { return x - kUsed; }',
      'constexpr int kUsed = 5;',
    ]);
  });

  it('leave out a function of the host that launches the kernel and has its name', () => {
    const source = `__global__ void f(int* x, int n) { x[0] = n + 1; }
void f(int* x) { const int blocks = 1 + g; f<<<blocks, 1>>>(x, 2); }
`;
    const made = mutantsOf({ file: 'x', text: source, reachedFrom: new Set(['f']) });
    expect([...new Set(made.map(({ line }) => line))]).toEqual([1]);
  });

  it('of the launch change what it takes from the variant', () => {
    expect(launchMutants({ threads: 128, sharedBytes: 0 }).map(({ after }) => after)).toEqual([
      'threads = 96',
      'threads = 160',
    ]);
  });
});

describe('headers', () => {
  it('are those of the kernels, without those of the emulated device', () => {
    const found = headersOf('#include "tw/ptx.cuh"\n#include <cstdint>\n', [`${packageRoot}/kit/device`]);
    expect(found.map(({ file }) => file)).toEqual(['tw/ptx.cuh']);
  });
});

describe('what a kernel reaches', () => {
  const header = (file: string, text: string) => ({ file, folder: '', text });
  const outer = header('outer', 'inline int outer(int x) { return inner(x); }\n');
  const inner = (more = '') => header('inner', `inline int inner(int x) { return x + 1; }\n${more}`);

  it('goes through other headers', () => {
    const { words } = reachedFrom('int a = outer(1);', [inner(), outer]);
    const made = mutantsOf({ ...inner(), reachedFrom: words });
    expect(made.map(({ after }) => after)).toContain('inline int inner(int x) { return x - 1; }');
  });

  it('has a digest in which comments and functions that nothing calls have no part', () => {
    const digest = (text: string, ...headers: (typeof outer)[]) => reachedFrom(text, headers).digest;
    const sound = digest('int a = outer(1);', outer, inner());
    expect(digest('int a = outer(1);  // one', outer, inner('inline int other() { return 2; }'))).toBe(sound);
    expect(digest('int a = outer(2);', outer, inner())).not.toBe(sound);
    expect(digest('int a = outer(1);', outer, { ...inner(), text: inner().text.replace('1', '2') })).not.toBe(
      sound,
    );
  });
});

describe('an overlay', () => {
  it('is the folder with another text in one file, however deep', () => {
    const from = folderOf({ 'a/b/x.cuh': 'old', 'a/b/y.cuh': 'y', 'a/z.cuh': 'z', 'w.cuh': 'w' });
    const to = folderOf();
    overlay(from, to, 'a/b/x.cuh', 'new');
    const texts = ['a/b/x.cuh', 'a/b/y.cuh', 'a/z.cuh', 'w.cuh'].map((name) =>
      readFileSync(join(to, name), 'utf8'),
    );
    expect(texts).toEqual(['new', 'y', 'z', 'w']);
    expect(readFileSync(join(from, 'a/b/x.cuh'), 'utf8')).toBe('old');
  });
});
