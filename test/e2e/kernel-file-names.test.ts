// Names that a check has to get right: files by any name, and the classes that launches give to templates.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderOf } from '../helpers/folder.ts';
import { genHere, workspace } from '../helpers/gen.ts';

async function validate(name: string, text: string, ...more: string[]) {
  const own = folderOf();
  writeFileSync(join(own, name), text);
  return genHere(own, ['validate', name, ...more, '--quiet', '--out', workspace().out]);
}

describe('a source', () => {
  const racing =
    '__global__ void racing(float* out, int n) {\n  __shared__ float s[64];\n  s[threadIdx.x] = n;\n  out[threadIdx.x] = s[63 - threadIdx.x];\n}\nvoid host(float* out, int n) { racing<<<1, 64>>>(out, n); }\n';

  test.each(['q"u.cu', 'b\\q.cu', 'ba d.cu', 'a:b.cu', 't\tb.cu'])(
    'by the name %j is checked, and its lines are shown',
    { timeout: 300_000 },
    async (name) => {
      const { code, stdout, stderr } = await validate(name, racing);
      expect(code, stdout + stderr).toBe(1);
      expect(stdout).toContain(`at ${name}:4`);
      expect(stdout).toContain('    4 |   out[threadIdx.x] = s[63 - threadIdx.x];');
    },
  );

  test('by a name of two lines is checked', { timeout: 300_000 }, async () => {
    const { code, stdout, stderr } = await validate('n\nl.cu', racing);
    expect(code, stdout + stderr).toBe(1);
  });
});

describe('a class for a template parameter', () => {
  const map =
    'template <typename T, class F> __global__ void map(const T* in, T* out, int n, F f) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = f(in[i]);\n}\nstruct Relu { __device__ float operator()(float x) const { return x > 0 ? x : 0; } };\n';
  const host = (argument: string, before = '') =>
    `void host(const float* in, float* out, int n) { ${before} map<<<(n + 63) / 64, 64>>>(in, out, n, ${argument}); }\n`;

  test.each([
    ['a launch', map + host('Relu{}')],
    ['the declaration of a variable', map + host('own', 'Relu own;')],
    ['a description', `/* tilewright kernel: map<float, Relu> */\n${map}${host('anything')}`],
  ])('is known from %s', { timeout: 300_000 }, async (_, text) => {
    const { code, stdout, stderr } = await validate('map.cu', text);
    expect(stdout).toContain('map<float, Relu>: passed');
    expect(code, stdout + stderr).toBe(0);
  });

  test('is asked for where nothing names it', { timeout: 300_000 }, async () => {
    const { code, stdout } = await validate('map.cu', map + host('[](float x) { return x; }'));
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      "map.cu:1: the template parameter 'F' of map is not known: 'f' is called, or has members, and no launch in the file spells a type for it that the file declares; say it above the kernel: /* tilewright kernel: map<float, …> */, with a class for F",
    );
    expect(code).toBe(2);
  });
});
