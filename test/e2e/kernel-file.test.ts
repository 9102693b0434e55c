// Kernels as other people write them, each in its own .cu with a description: what `validate x.cu` says of them.
// Those of CUDA's libraries, instructions and the corners of the language: test/builds/kernel-file.test.ts.
import { spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { parse } from 'yaml';
import { packageRoot } from '../../src/util/package-root.ts';
import { type Expected, checkedFolder as folder, judges, verdicts } from '../helpers/checked.ts';
import { gen, genHere, workspace } from '../helpers/gen.ts';

/** A bare machine has no NumPy. */
const hasNumpy = spawnSync(process.env.PYTHON || 'python3', ['-c', 'import numpy']).status === 0;

const expected: Expected = {
  'softmax.cu': { softmax: ['race', 'softmax.cu:54 and earlier load'] },
  'layernorm.cu': { layernorm: ['passed', '6 cases'] },
  'matmul.cu': {
    matmul: ['passed', '6 cases'],
    matmul_unsynchronised: ['race', "of shared 'As' (1024 bytes)"],
  },
  'reduce.cu': {
    reduce: ['passed', '6 cases'],
    reduce_volatile: [
      'wrong',
      'nothing orders these: byte 4 of dynamic shared memory (1024 bytes): volatile store',
    ],
  },
  'scan.cu': { 'scan<128>': ['passed', '6 cases'], scan_in_place: ['race', 'scan.cu:43'] },
  'transpose.cu': { transpose: ['passed', '6 cases'], transpose_conflicts: ['passed', '6 cases'] },
  'histogram.cu': { histogram: ['passed', '6 cases'], histogram_plain: ['race', "of 'bins'"] },
  'stencil.cu': {
    stencil: ['passed', '6 cases'],
    stencil_overrun: ['out-of-bounds', "byte 2800 of 'in' (2800 bytes)"],
    stencil_halo: ['race', "uninitialised: byte 524 of shared 'tile'"],
  },
  'convolution.cu': {
    convolve: ['passed', '6 cases'],
    convolve_mirrored: ['wrong', "'out': 1470 of 1470 elements fail"],
    scaled: ['passed', '6 cases'],
    misnamed: ['refused', "variable 'filtr' that can be filled; it uses: filter"],
  },
  'calls.cu': {
    apply: ['passed', '6 cases'],
    apply_nothing: ['out-of-bounds', 'access to the invalid address'],
    gather: ['passed', '6 cases'],
    hidden: ['passed', '6 cases'],
    nothing_behind: ['refused', "calls.cu:114: 'elsewhere' is declared, but none of the files"],
    overwrites_constants: ['fault', "store of 4 bytes to constant memory: byte 0 of 'table' (256 bytes)"],
    reads_its_padding: ['passed', '1 case'],
    flags: ['passed', '1 case'],
    flag: ['race', "byte 0 of 'out' (64 bytes): store by thread"],
    through_packets: ['passed', '6 cases'],
  },
};

describe('validate x.cu', () => {
  judges(expected);

  test('counts the bank conflicts of a tile without padding', { timeout: 300_000 }, async () => {
    const { found } = await verdicts('transpose.cu');
    const [padded, plain] = found;
    expect(padded).toMatchObject({ bankConflicts: [] });
    expect(plain).toMatchObject({ bankConflicts: [{ line: 'transpose.cu:37' }] });
  });

  test('shows a race with both lines and a command that finds it again', { timeout: 300_000 }, async () => {
    const { out } = workspace();
    const { stdout } = await genHere(folder, ['validate', 'softmax.cu', '--out', out]);
    expect(stdout).toContain('49 |   const float offset = shared[0];');
    expect(stdout).toContain('54 |   if (lane == 0) shared[warp] = sum;');
    const [, command = ''] = /\$ node \S+ (.*)/.exec(stdout) ?? [];
    const again = await genHere(folder, [...command.split(' '), '--out', out]);
    expect(again.code).toBe(1);
    expect(again.stdout).toContain('write after read');
  });

  test('checks again with --watch when the file changes', { timeout: 300_000 }, async () => {
    const { path, out } = workspace();
    const file = join(path, 'softmax.cu');
    copyFileSync(join(folder, 'softmax.cu'), file);
    const argv = [join(packageRoot, 'dist/cli.js'), 'validate', file, '--watch', '--out', out];
    const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'] });
    onTestFinished(() => void child.kill());
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
    // On two streams: either may be heard first.
    const hear = (...words: string[]) =>
      vi.waitFor(() => expect(words.filter((word) => !said.includes(word))).toEqual([]), {
        timeout: 120_000,
      });
    await hear('waiting for a change', 'softmax: race');
    said = '';
    writeFileSync(file, `${readFileSync(file, 'utf8')}__global__ void broken(\n`);
    await hear('waiting for a change', 'softmax.cu');
  });

  test('passes the softmax once the barrier is there', { timeout: 300_000 }, async () => {
    const own = temporary();
    const text = readFileSync(join(folder, 'softmax.cu'), 'utf8');
    writeFileSync(
      join(own, 'softmax.cu'),
      text.replace(/ {2}\/\/ A barrier is missing.*/, '  __syncthreads();'),
    );
    const { stdout, code } = await genHere(own, [
      'validate',
      'softmax.cu',
      '--out',
      relative(own, workspace().out),
    ]);
    expect(stdout).toContain('softmax.cu  softmax: passed  6 cases');
    expect(code).toBe(0);
  });

  test('finds a wrong result against another kernel and against a file', { timeout: 300_000 }, async () => {
    const own = temporary();
    copyFileSync(join(folder, 'stencil.cu'), join(own, 'other.cu'));
    writeFileSync(
      join(own, 'wrong.cu'),
      '/* tilewright\nsizes: { n: 4 }\narguments: { in: { shape: [n], values: ones }, out: [n] }\ngrid: 1\nblock: 32\n*/\n' +
        '__global__ void twice(const float* in, float* out, int n) { if (threadIdx.x < n) out[threadIdx.x] = 2 * in[threadIdx.x]; }\n',
    );
    const flags = ['--out', workspace().out];
    const other = await genHere(own, ['validate', 'wrong.cu', '--against', 'other.cu:stencil', ...flags]);
    expect(other.stdout).toContain('wrong.cu  twice: wrong');
    expect(other.code).toBe(1);
    for (const [value, code] of [
      [2, 0],
      [3, 1],
    ] as const) {
      writeFileSync(join(own, 'out.npy'), npy([2, 2, 2, value]));
      const result = await genHere(own, ['validate', 'wrong.cu', '--against', 'out.npy', ...flags]);
      expect(result.stdout).toContain(code === 0 ? 'passed' : "'out': 1 of 4 elements fail");
      expect(result.code).toBe(code);
    }
  });

  test('fills variables of the device for every reference', { timeout: 300_000 }, async () => {
    const own = temporary();
    const kernel = (name: string, type: string) =>
      `__constant__ ${type} table[2][3];\n__device__ int shift;\n` +
      `__global__ void ${name}(float* out, int n) { if (threadIdx.x < n) out[threadIdx.x] = table[1][threadIdx.x % 3] + shift; }\n`;
    const given = 'sizes: { n: 6 }\nragged: false\narguments: { out: [n] }\ngrid: 1\nblock: 64\n';
    const described = (symbols: string) => `/* tilewright\n${given}symbols: ${symbols}\n*/\n`;
    const say = async (symbols: string, type: string, ...flags: string[]) => {
      writeFileSync(join(own, 'x.cu'), described(symbols) + kernel('f', type));
      return (await genHere(own, ['validate', 'x.cu', '--out', workspace().out, ...flags])).stdout;
    };
    writeFileSync(join(own, 'other.cu'), kernel('g', 'double'));
    writeFileSync(
      join(own, 'ref.py'),
      'def f(table, shift, n):\n  assert table.shape == (2, 3)\n  return [table[1][i % 3] + shift for i in range(n)]\n',
    );
    expect(await say('{ table: normal, shift: n - 2 }', 'float')).toContain('f: passed');
    expect(await say('{ table: ascending, shift: 1 }', 'float', '--against', 'other.cu:g')).toContain(
      "symbol 'table' of the reference has 48 bytes, the kernel's 24",
    );
    expect(await say('{ table: [1, 2], shift: 1 }', 'float')).toContain(
      "the list has 2 elements; 'table' has 6",
    );
    expect(
      await say('{ table: normal }', 'struct { float a[2]; operator float() const { return a[0]; } }'),
    ).toContain("symbol 'table' has elements of a type that is not known; say one");
    if (hasNumpy)
      expect(await say('{ table: normal, shift: 4 }', 'float', '--against', 'ref.py:f')).toContain(
        'f: passed',
      );
  });

  test('takes whole numbers of 64 bits in files bit by bit', { timeout: 300_000 }, async () => {
    const own = temporary();
    const words = [2n ** 64n - 1n, 2n ** 53n + 1n, 2n ** 63n + 3n];
    const save = (name: string, all: readonly bigint[]) => {
      const head = `{'descr': '<u8', 'fortran_order': False, 'shape': (${all.length},), }`;
      const begin = Buffer.from(`\x93NUMPY\x01\0v\0${head.padEnd(117)}\n`, 'latin1');
      writeFileSync(join(own, name), Buffer.concat([begin, Buffer.from(BigUint64Array.from(all).buffer)]));
    };
    save('in.npy', words);
    save('right.npy', words);
    save('next.npy', [words[0] ?? 0n, words[1] ?? 0n, (words[2] ?? 0n) + 1n]);
    writeFileSync(
      join(own, 'x.cu'),
      `// tilewright { sizes: { n: 3 }, arguments: { out: [n], in: { shape: [n], values: { file: ${join(own, 'in.npy')} } } }, grid: 1, block: 32 }
__global__ void copy(size_t* out, const size_t* in, int n) { if (threadIdx.x < n) out[threadIdx.x] = in[threadIdx.x]; }`,
    );
    const against = async (file: string) =>
      (await genHere(own, ['validate', 'x.cu', '--against', file, '--out', workspace().out])).stdout;
    expect(await against('right.npy')).toContain('x.cu  copy: passed  1 case');
    expect(await against('next.npy')).toContain(
      'expected 9223372036854775812 within 0, got 9223372036854775811',
    );
  });

  test.skipIf(!hasNumpy)('asks a Python function', { timeout: 300_000 }, async () => {
    const own = temporary();
    const python =
      'import numpy as np\ndef softmax(inp, N):\n  assert inp.shape[0] == N\n  e = np.exp(inp - inp.max(axis=1, keepdims=True))\n  return e / e.sum(axis=1, keepdims=True)\ndef twice(inp):\n  return inp * 2\ndef by_place(x):\n  e = np.exp(x - x.max(1)[:, None])\n  return e / e.sum(1)[:, None]\ndef other(x, y):\n  return x\ndef fails(x):\n  return x.sum(axis=7)\n' +
      'def columns(in_, rows, cols):\n  assert in_.shape == (rows, cols)\n  return 3 * in_\n' +
      'def lower(in_):\n  return np.ma.masked_where(np.triu(np.ones_like(in_), 1) > 0, 2 * in_)\n' +
      'def total(x):\n  return np.add.reduce(x, axis=1, keepdims=True)\n';
    writeFileSync(join(own, 'ref.py'), python);
    const text = readFileSync(join(folder, 'softmax.cu'), 'utf8');
    writeFileSync(
      join(own, 'softmax.cu'),
      text.replace(/ {2}\/\/ A barrier is missing.*/, '  __syncthreads();'),
    );
    const against = async (name: string) => {
      const argv = ['validate', 'softmax.cu', '--against', `ref.py:${name}`, '--out', workspace().out];
      return (await genHere(own, argv)).stdout;
    };
    expect(await against('softmax')).toContain('softmax.cu  softmax: passed  6 cases');
    expect(await against('twice')).toContain(
      "softmax.cu  softmax: wrong\n  'out': 3500 of 3500 elements fail",
    );
    expect(await against('other')).toContain("other asks for 'x'; there are: N, C, inp");
    expect(await against('by_place')).toContain('softmax.cu  softmax: passed  6 cases');
    expect(await against('fails')).toMatch(/ref\.py:\d+: AxisError: .*; fails was given float64\[5, 700\]/);
    const strided = ['validate', join(folder, 'strides.cu'), 'column_major', '--against', 'ref.py:columns'];
    expect((await genHere(own, [...strided, '--out', workspace().out])).stdout).toContain(
      'column_major: passed  6 cases',
    );
    const masked = async (kernel: string) => {
      const argv = ['validate', join(folder, 'unspecified.cu'), kernel, '--against', 'ref.py:lower'];
      return (await genHere(own, [...argv, '--out', workspace().out])).stdout;
    };
    expect(await masked('scribbles')).toContain('scribbles: passed  6 cases');
    expect(await masked('doubles')).toContain('20 of 400 elements fail');
    expect(await masked('read_too')).toContain('only elements of an out may be unspecified');
    const yardstick =
      '/* tilewright { sizes: { N: 4, C: 300 }, arguments: { out: [N, 1], x: [N, C] }, grid: N, block: 32, tolerance: { times: 4 }, reference: ref.py:total } */\n' +
      '__global__ void sum(float* out, const float* x, int N, int C) { float all = 0;\n' +
      'for (int i = threadIdx.x; i < C; i += 32) all += x[blockIdx.x * C + i];\n' +
      'for (int i = 16; i > 0; i /= 2) all += __shfl_xor_sync(~0u, all, i);\nif (threadIdx.x == 0) out[blockIdx.x] = all; }\n';
    writeFileSync(join(own, 'sum.cu'), yardstick);
    const summed = await genHere(own, ['validate', 'sum.cu', '--out', workspace().out]);
    expect(summed.stdout).toContain('sum.cu  sum: passed  6 cases');
  });

  test('says what it cannot do, and where', { timeout: 300_000 }, async () => {
    const own = temporary();
    const flags = ['--out', workspace().out];
    const answer = async (text: string, ...more: string[]) => {
      writeFileSync(join(own, 'x.cu'), text);
      const { code, stdout, stderr } = await genHere(own, ['validate', 'x.cu', ...more, ...flags]);
      expect(code).toBe(2);
      return stdout + stderr;
    };
    expect(await answer('int f();')).toContain('x.cu defines no kernel');
    const kernel = '__global__ void f(float* out, int n) { out[0] = n; }\n';
    expect(await answer(kernel, 'g')).toContain("x.cu defines no kernel 'g'; it defines: f");
    expect(await answer(`/* tilewright\nblok: 3\n*/\n${kernel}`)).toContain(
      'x.cu:1: the description is not understood',
    );
    expect(await answer(`/* tilewright\narguments: { o: [n] }\n*/\n${kernel}`)).toContain(
      "f has no parameter 'o'; it has: out, n",
    );
    expect(await answer(`${kernel.replace('n; }', 'm; }')}`)).toContain("x.cu:1: 'm' is not known");
    vi.stubEnv('CUDA_VISIBLE_DEVICES', '');
    expect(await answer(kernel, '--device', 'cuda')).toContain('this machine has no NVIDIA GPU');
    vi.unstubAllEnvs();
    expect(await answer(kernel, '--against', 'none.c:f')).toContain('there is no file');
    expect(await answer(kernel, '--against', 'g')).toContain("x.cu defines no function 'g'");
    expect(await answer(`template <int N>\n${kernel}`)).toContain('x.cu:2: f is a template');
  });
});

test('--junit and --sarif name kernel, verdict and lines', { timeout: 300_000 }, async () => {
  const own = temporary();
  const files = ['--junit', join(own, 'j.xml'), '--sarif', join(own, 's.json')];
  await genHere(folder, ['validate', 'softmax.cu', '--out', workspace().out, ...files]);
  const junit = readFileSync(join(own, 'j.xml'), 'utf8');
  expect(junit).toContain('<testsuite name="softmax.cu" tests="1" failures="1" errors="0">');
  expect(junit).toContain('<failure type="race" message="race: byte 0 of shared');
  const { runs } = JSON.parse(readFileSync(join(own, 's.json'), 'utf8'));
  const lineOf = (one: { physicalLocation: object }) => one.physicalLocation;
  const at = (line: number) => ({ artifactLocation: { uri: 'softmax.cu' }, region: { startLine: line } });
  const [result] = runs[0].results;
  expect(result).toMatchObject({ ruleId: 'race', level: 'error' });
  expect(result.locations.map(lineOf)).toEqual([at(54)]);
  expect(result.relatedLocations.map(lineOf)).toEqual([at(49)]);
});

test('names the header that a kernel stands in', { timeout: 300_000 }, async () => {
  const own = temporary();
  const kernel =
    'template <int N> __global__ void k(float* out, int n) {\n  __shared__ float all[N];\n  all[threadIdx.x] = n;\n  out[threadIdx.x] = all[N - 1 - threadIdx.x];\n}\n';
  mkdirSync(join(own, 'kernels'));
  writeFileSync(join(own, 'kernels/k.cuh'), kernel);
  const host = 'void host(float* out, int n) { const int N = 64; k<N><<<1, N>>>(out, n); }\n';
  writeFileSync(join(own, 'x.cu'), `#include "kernels/k.cuh"\n${host}`);
  const { stdout } = await genHere(own, ['validate', 'x.cu', '--out', workspace().out]);
  expect(stdout).toContain('x.cu  k<64>: race');
  expect(stdout).toMatch(
    /store by thread \S+ of block \S+ at k\.cuh:3 and earlier load by thread \S+ of block \S+ at k\.cuh:4/,
  );
});

describe('gen describe', () => {
  test('drafts what validate then takes', { timeout: 300_000 }, async () => {
    const own = temporary();
    const flags = ['--out', workspace().out];
    const text = readFileSync(join(folder, 'reduce.cu'), 'utf8').replace(/\/\/ tilewright\n(\/\/.*\n)+/, '');
    writeFileSync(join(own, 'reduce.cu'), text);
    const { stdout } = await genHere(own, ['describe', 'reduce.cu', 'reduce', ...flags]);
    expect(stdout).toBe(
      'kernel: reduce\nsizes: [ { n: 1024 }, { n: 1000 } ] # a guess\narguments:\n  in: [ n ] # a guess\n  out: [ n ] # a guess\ngrid: (n + 256 - 1) / 256\nblock: 256\nshared: 256 * 4\n',
    );
    writeFileSync(join(own, 'reduce.yaml'), stdout.replace('out: [ n ]', 'out: [ "ceil_div(n, 256)" ]'));
    expect((await genHere(own, ['validate', 'reduce.cu', ...flags])).stdout).toContain(
      'reduce.cu  reduce: passed',
    );
  });

  test('drafts the other kernels of a file, and says what is open in one', { timeout: 300_000 }, async () => {
    const own = temporary();
    const kernels = [
      '__global__ void fine(const float* in, float* out, int n) { if (threadIdx.x < n) out[threadIdx.x] = in[threadIdx.x]; }',
      '__global__ void stranger(const float* in, Unknown* state, int n) { state[threadIdx.x] = in[n]; }',
      '__global__ void square(float* out, int n) { out[threadIdx.y * n + threadIdx.x] = 0; }',
      '__global__ void vectors(const float4* in, float4* out, int n4) { if (threadIdx.x < n4) out[threadIdx.x] = in[threadIdx.x]; }',
      '__global__ void textured(cudaTextureObject_t from, float* out) { out[0] = tex2D<float>(from, 0, 0); }',
    ];
    writeFileSync(join(own, 'x.cu'), `${kernels.join('\n')}\n`);
    const { stdout, stderr, code } = await genHere(own, ['describe', 'x.cu', '--out', workspace().out]);
    expect(code).toBe(2);
    const about = 'textured is not described: x.cu:5: the emulated device does not support textures';
    expect(stderr).toContain(about);
    expect(stdout).toContain(`\n# ${about}`);
    expect(stdout).toContain(
      "\n  # x.cu:2: argument 'state' of stranger has the type Unknown*, whose elements are not known;",
    );
    expect(stdout).toContain('\n  # x.cu:3: square uses threadIdx.y, and no launch in the file says');
    expect(stdout).toContain('what its block is; say it here: block: [16, 16]\n');
    expect(parse(stdout)).toMatchObject([
      { kernel: 'fine', arguments: { in: ['n'], out: ['n'] }, block: 256 },
      { kernel: 'stranger', arguments: { in: ['n'] } },
      { kernel: 'square' },
      { kernel: 'vectors', arguments: { in: ['n4'], out: ['n4'] } }, // in float4
    ]);
  });

  test('drafts tensor maps from host code', { timeout: 300_000 }, async () => {
    const own = temporary();
    const host = [
      'constexpr int kRows = 16;',
      '__global__ void f(const __grid_constant__ CUtensorMap map, float* out, int M) { out[0] = M; }',
      'void host(float* out, void* in) {',
      '  CUtensorMap map; int M = 48;',
      '  cuuint64_t size[2] = {64, 48}; cuuint64_t stride[1] = {256}; cuuint32_t box[2] = {32, kRows}, steps[2] = {1, 1};',
      '  cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, in, size, stride, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,',
      '    CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);',
      '  f<<<1, 32>>>(map, out, M);',
      '}',
    ];
    writeFileSync(join(own, 'x.cu'), `${host.join('\n')}\n`);
    const { stdout } = await gen(own, ['describe', 'x.cu', '--out', workspace().out]);
    expect(stdout).toContain('map: { type: f32, shape: [ 48, 64 ], box: [ 16, 32 ], swizzle: 128B }');
  });

  test('prints a schema that the docs have', async () => {
    const { stdout } = await genHere(folder, ['describe', '--schema']);
    await expect(stdout).toMatchFileSnapshot(join(packageRoot, 'docs/description.schema.json'));
  });

  test('writes what a case was given, gave and should have given', { timeout: 120_000 }, async () => {
    const { out } = workspace();
    const dumped = join(out, 'dumped');
    await verdicts('mistakes.cu', 'unwritten', '--dump', dumped);
    const [kernel = ''] = readdirSync(dumped);
    const [first = ''] = readdirSync(join(dumped, kernel));
    const files = readdirSync(join(dumped, kernel, first));
    expect(files.toSorted()).toEqual(['out.bound.npy', 'out.expected.npy', 'out.npy']);
    const header = readFileSync(join(dumped, kernel, first, 'out.npy'))
      .subarray(0, 128)
      .toString('latin1');
    expect(header).toMatch(/^.NUMPY.*'descr': '<f4', 'fortran_order': False, 'shape': \(1, \d+\)/);
    const gaps = join(out, 'gaps');
    await genHere(folder, ['validate', 'strides.cu', 'pitched', '--dump', gaps, '--out', out]);
    const cases = readdirSync(gaps).flatMap((one) => readdirSync(join(gaps, one)));
    expect(cases).toHaveLength(6);
  });

  test('a dump that cannot be written is no bug', { timeout: 300_000 }, async () => {
    const own = temporary();
    writeFileSync(join(own, 'there'), '');
    const flags = ['--dump', join(own, 'there'), '--out', workspace().out];
    const { code, stderr } = await genHere(folder, ['validate', 'mistakes.cu', 'unwritten', ...flags]);
    expect(stderr).toMatch(
      /^error: cannot write what --dump asks for: cannot create .*: Not a directory .*name another folder with --dump$/m,
    );
    expect(stderr).not.toContain('this is a bug');
    expect(code).toBe(2);
  });

  test('more blocks that wait than fit are one kernel that is not checked', {
    timeout: 120_000,
  }, async () => {
    const own = temporary();
    const source = [
      '#include <cooperative_groups.h>',
      '/* tilewright',
      '- { kernel: waits, ragged: false, sizes: { n: 2080 }, arguments: { x: [n] }, grid: n / 32, block: 32 }',
      '- { kernel: alone, ragged: false, sizes: { n: 2080 }, arguments: { x: [n] }, grid: n / 32, block: 32 }',
      '*/',
      '__global__ void waits(float* x) {',
      '  cooperative_groups::this_grid().sync();',
      '  x[blockIdx.x * 32 + threadIdx.x] = 1;',
      '}',
      '__global__ void alone(float* x) { x[blockIdx.x * 32 + threadIdx.x] = 1; }',
    ];
    writeFileSync(join(own, 'x.cu'), `${source.join('\n')}\n`);
    const flags = ['--junit', 'x.xml', '--json', '--out', workspace().out];
    const { code, events } = await genHere(own, ['validate', 'x.cu', ...flags]);
    expect(events).toMatchObject([
      {
        event: 'error',
        message: expect.stringMatching(
          /^more than 64 thread blocks wait for each other: the launch has 65, .*; use smaller sizes/,
        ),
      },
      { event: 'verdict', verdict: 'passed' },
    ]);
    expect(code).toBe(2);
    expect(readFileSync(join(own, 'x.xml'), 'utf8')).toContain('tests="2" failures="0" errors="1"');
  });
});

function temporary(): string {
  const path = mkdtempSync(join(tmpdir(), 'tilewright-check-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A file as numpy.save writes it. */
function npy(values: readonly number[]): Buffer {
  const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${values.length},), }`;
  const header = `${text.padEnd(117)}\n`;
  const head = Buffer.from([0x93, ...Buffer.from('NUMPY'), 1, 0, header.length & 255, header.length >> 8]);
  return Buffer.concat([head, Buffer.from(header), Buffer.from(new Float32Array(values).buffer)]);
}
