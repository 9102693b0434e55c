import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archNamed } from '../../../src/arch/index.ts';
import { buildVariant } from '../../../src/compile/variant.ts';
import { loadFamily } from '../../../src/discover.ts';
import { localExecutor } from '../../../src/exec/local.ts';
import type { AnyFamily } from '../../../src/model/family.ts';
import { askedValue } from '../../../src/model/operation.ts';
import type { Variant } from '../../../src/model/variant.ts';
import { enumerate } from '../../../src/space/enumerate.ts';
import { pointOfId } from '../../../src/space/id.ts';
import { variantOf } from '../../../src/space/variant.ts';
import { adapterOf } from '../../../src/triton/adapter.ts';
import { readDescription } from '../../../src/triton/description.ts';
import { notLaunchable, readTriton } from '../../../src/triton/metadata.ts';
import { narrowed } from '../../../src/triton/narrowed.ts';
import { sha256 } from '../../../src/util/hash.ts';
import { packageRoot } from '../../../src/util/package-root.ts';
import { contextOf, testToolchain } from '../../helpers/toolchain.ts';

/** A kernel with the arguments that Triton's have: its own, then two pointers to scratch memory. */
const code = `#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(128) product(const __half* a, const __half* b, __half* c, int m, int n, int k,
                                                          int lda, long long ldb, int ldc, void*, void*) {
  for (long long i = blockIdx.x * 128LL + threadIdx.x; i < 1LL * m * n; i += 128LL * gridDim.x) {
    float sum = 0;
    for (int l = 0; l < k; l++) sum += __half2float(a[i / n * lda + l]) * __half2float(b[l * ldb + i % n]);
    c[i / n * ldc + i % n] = __float2half(sum);
  }
}
`;
/** As Triton 3.8 writes it, without what only its own launcher reads. */
const metadata = {
  hash: '0f1e2d3c',
  target: { backend: 'cuda', arch: 90, warp_size: 32 },
  ...{ num_warps: 4, num_ctas: 1, num_stages: 3, shared: 4096, name: 'product', launch_pdl: false },
  ...{ global_scratch_size: 0, profile_scratch_size: 0, tmem_size: 0, launch_cooperative_grid: false },
};
const yaml = `header: args.h
struct: tilewright::gemm::UntypedArgs
arguments:
  a: { type: '*fp16', value: a }
  b: { type: '*fp16', value: b }
  c: { type: '*fp16', value: c }
  M: { type: i32, value: rows }
  N: { type: i32, value: columns }
  K: { type: i32, value: depth }
  stride_a: { type: i32, value: lda }
  stride_b: { type: i64, value: ldb }
  stride_c: { type: i32, value: ldc }
grid: ['ceil_div(rows * columns, 128)']
takes: { alpha: [1], beta: [0], bias: ['no'] }
`;
const arch = archNamed('sm_90a');

describe('a kernel that Triton compiled', () => {
  let root: string;
  let family: AnyFamily;
  let familyFolder: string;
  let variant: Variant;
  let made = 0;

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'tilewright-triton-'));
    const { nvcc, cxx } = await testToolchain();
    writeFileSync(join(root, 'product.cu'), code);
    const flags = ['-cubin', '-arch=sm_90a', '-ccbin', cxx, '-o', join(root, 'product.cubin')];
    const { exitCode, stderr } = await localExecutor.run([nvcc, ...flags, join(root, 'product.cu')], {});
    expect(exitCode, stderr).toBe(0);
    ({ family, folder: familyFolder } = await loadFamily('gemm'));
    const where = 'path == "naive" && element == "f16" && activation == "none"';
    [variant = expect.fail('there is no such variant')] = enumerate(family, { arch, where }).variants;
  }, 120_000);
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  /** A folder of Triton's cache with this metadata. */
  const cache = (changes: object = {}, text = yaml) => {
    const folder = join(root, `cache${made++}`);
    mkdirSync(folder);
    cpSync(join(root, 'product.cubin'), join(folder, 'product.cubin'));
    writeFileSync(join(folder, 'product.json'), JSON.stringify({ ...metadata, ...changes }));
    writeFileSync(join(folder, '__grp__product.json'), '{}');
    writeFileSync(join(folder, 'product.yaml'), text);
    return folder;
  };
  const description = (folder: string) => readDescription(join(folder, 'product.yaml'));
  const adapter = (folder: string) => adapterOf(readTriton(folder), description(folder), variant);

  it('is read from a folder of its cache, or by its metadata', () => {
    const kernel = readTriton(cache());
    expect(kernel.metadata).toMatchObject({ name: 'product', num_warps: 4, shared: 4096 });
    expect(kernel.compiled).toMatchObject({
      maxThreads: 128,
      parameterBytes: [8, 8, 8, 4, 4, 4, 4, 8, 4, 8, 8],
    });
    expect(notLaunchable(kernel, arch)).toBeUndefined();
    expect(readTriton(kernel.path)).toEqual(kernel);
  });

  it.each([
    [{ name: 'sum' }, "has no kernel 'sum', which the metadata names; it has product"],
    [{ num_warps: 'many' }, 'is no metadata of a Triton kernel'],
  ])('%j is refused where it is read', (changes, message) => {
    expect(() => readTriton(cache(changes))).toThrow(message);
  });

  it.each([
    [{ target: { backend: 'hip', arch: 'gfx942' } }, "is compiled for 'hip', not for CUDA"],
    [
      { target: { backend: 'cuda', arch: 80 } },
      'is compiled for capability 80, and the architecture is sm_90a',
    ],
    [{ num_ctas: 2 }, 'is launched in clusters of 2'],
    [{ launch_cooperative_grid: true }, 'needs a cooperative launch'],
    [{ global_scratch_size: 128 }, 'needs 128 bytes of scratch memory'],
    [{ shared: 300_000 }, 'needs 300000 bytes of shared memory, sm_90a has 232448'],
    [{ num_warps: 8 }, 'has 8 warps in its metadata, and its machine code is for 128 threads'],
  ])('%j cannot be launched, and says so', (changes, message) => {
    expect(notLaunchable(readTriton(cache(changes)), arch)).toContain(message);
  });

  it('is missed where it is not', () => {
    const folder = cache();
    rmSync(join(folder, 'product.cubin'));
    expect(() => readTriton(folder)).toThrow('must have one .json with a .cubin of that name; found: none');
    expect(() => readTriton(join(folder, 'product.json'))).toThrow("Triton's cache has the cubin beside");
    expect(() => readTriton(join(root, 'nowhere'))).toThrow('there is no');
    expect(() => readDescription(join(root, 'nowhere.yaml'))).toThrow('it says what the kernel is given');
  });

  it.each([
    ['one argument too few', /^ {2}a: .*\n {2}b: .*\n/m, '', 'takes 11 arguments of 8, 8, 8, 4'],
    [
      'another size',
      'stride_b: { type: i64',
      'stride_b: { type: i32',
      "argument 'stride_b' is described as i32, 4 bytes, and product takes 8",
    ],
    ['an unknown type', 'type: i64', 'type: i63', 'must be a pointer, e.g. *fp16, or one of i32'],
    ['a statement', 'value: rows', 'value: "rows; exit(1)"', 'must be an expression over the arguments'],
    ['an unknown word', 'grid:', 'grids:', 'Unrecognized key: "grids"'],
  ])('a description with %s is refused', (_, from, to, message) => {
    expect(() => adapter(cache({}, yaml.replace(from, to)))).toThrow(message);
  });

  const build = (text: string, devices: readonly ('cuda' | 'emulated')[]) => async () => {
    const source = { variant, path: join(root, 'product.cu'), text, hash: sha256(text) };
    const context = contextOf({ family, folder: familyFolder });
    return buildVariant(source, arch, devices, await testToolchain(), context);
  };

  it('becomes host code that gives it the arguments of the variant', async () => {
    const text = adapter(cache());
    expect(text.split('\n')[0]).toBe(`// ${variant.id}`);
    expect(text).toContain('tw::exactly<std::int64_t>(q.ldb, exact)');
    expect(text).toContain('tw::ceil_div(tw::wide(q.rows) * tw::wide(q.columns), 128)');
    const { artifacts, verdict } = await build(text, ['cuda'])();
    expect(verdict).toBeUndefined();
    const [{ path } = expect.fail('nothing was built')] = artifacts;
    const { stdout } = await localExecutor.run(['nm', '-D', '--defined-only', path], {});
    for (const name of ['load', 'imported']) expect(stdout).toContain(` T ${variant.symbol}_${name}\n`);
    expect(readFileSync(path).includes(readFileSync(join(root, 'product.cubin')))).toBe(true);
  }, 120_000);

  it('names what the variant has no argument for, and is not run on the emulated device', async () => {
    const { verdict } = await build(adapter(cache({}, yaml.replace('value: lda', 'value: pitch'))), [
      'cuda',
    ])();
    expect(verdict).toMatchObject({ verdict: 'compile', device: 'none' });
    expect(verdict?.evidence.message).toContain('has no member "pitch"');
    const other = await build(adapter(cache()), ['cuda', 'emulated'])();
    expect(other.verdict).toMatchObject({ verdict: 'compile', device: 'emulated' });
    expect(other.verdict?.evidence.message).toMatch(
      /^not supported by the emulated device: it runs kernels as C\+\+/,
    );
  }, 120_000);

  it('has an example whose cases are more than those without a product', () => {
    const { as, takes } = readDescription(join(packageRoot, 'examples/triton/matmul.yaml'));
    expect(as).toBeDefined();
    const { parameters } = variantOf(family, pointOfId(family, as ?? ''), arch);
    const products = narrowed(family, takes)
      .cases(parameters, 'quick')
      .filter(({ problem }) => Number(problem.m) * Number(problem.k) > 0);
    expect(products.length).toBeGreaterThan(4);
  });

  it('has a case for every value that it serves, as the gate demands', () => {
    const one = narrowed(family, description(cache()).takes);
    const served = one.serves(variant.parameters);
    expect(served.bias).toEqual(['no']);
    const asked = one.cases(variant.parameters, 'quick');
    for (const [name, values] of Object.entries(served))
      for (const value of values)
        expect(
          asked.some(({ problem }) => askedValue(family.operation, name, problem) === value),
          `${name} = ${value}`,
        ).toBe(true);
  });

  it('is asked only what it takes', () => {
    const { takes } = description(cache());
    const cases = (one: AnyFamily) => one.cases(variant.parameters, 'quick').map(({ problem }) => problem);
    const taken = cases(narrowed(family, takes));
    expect(taken.length).toBeGreaterThan(2);
    expect(taken.length).toBeLessThan(cases(family).length);
    for (const problem of taken) expect([problem.beta ?? 0, problem.bias ?? 'no']).toEqual([0, 'no']);
    const even = narrowed(family, { ...takes, n: { multipleOf: 64 } });
    for (const { n } of cases(even)) expect(Number(n) % 64).toBe(0);
    const workloads = (one: AnyFamily) =>
      family.workloads.filter((each) => one.applies?.(variant.parameters, each));
    expect(workloads(narrowed(family, { n: [4096] })).map(({ problem }) => problem.n)).not.toContain(8192);
  });
});
