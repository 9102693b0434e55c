import { describe, expect, it } from 'vitest';
import { readItems } from '../../../src/kernel-file/items.ts';
import { makePlan } from '../../../src/kernel-file/plan.ts';
import { reachable, rewritten } from '../../../src/kernel-file/rewrite.ts';
import { kernelsIn, signatureOf } from '../../../src/kernel-file/signature.ts';
import { findSite } from '../../../src/kernel-file/sites.ts';
import { lineMarker, tokenise } from '../../../src/kernel-file/tokens.ts';

/** As the preprocessor leaves a source. */
const preprocessed = (text: string) => {
  const marked = text.replaceAll(/__(global|device|shared|constant|host)__/g, 'tw_marks_$1');
  return `# 1 "a.cu"\n${marked}`;
};
const itemsOf = (text: string) => readItems(tokenise(preprocessed(text)));

/** Rest of a source for one of its functions, without line markers. */
function keptFor(text: string, name: string): string {
  const items = itemsOf(text);
  return rewritten(preprocessed(text), items, reachable(items, [name])).replaceAll(/^# .*\n/gm, '');
}

describe('the declarations of a source', () => {
  it('are functions, types, variables and namespaces, with their names', () => {
    const found = itemsOf(`
namespace ns { __global__ void f(float* p) { p[0] = 1; } }
template <class T, int N = 3> struct Pair { T a[N]; };
__device__ int counter = 0, other;
enum Mode { fast, slow };
typedef float floatX;
static __device__ inline float g(float (*h)(float)) { return h(a[b[0]]); }
extern "C" { int main() { return 0; } }
Vec operator+(Vec a, Vec b);
`);
    expect(found.map(({ kind, names }) => [kind, ...names].join(' '))).toEqual([
      'open ns',
      'function f',
      'close',
      'type Pair',
      'variable counter other',
      'type Mode fast slow',
      'type floatX',
      'function g',
      'open ',
      'function main',
      'close',
      'function operator',
    ]);
  });

  it('of system headers are passed on unread', () => {
    const text = '# 1 "a.cu"\n# 1 "/usr/include/x.h" 1 3\nint odd {{{;\n# 2 "a.cu" 2\nint f();\n';
    expect(readItems(tokenise(text)).map(({ kind }) => kind)).toEqual(['system', 'function']);
  });

  it('keep their lines', () => {
    const [, f] = itemsOf('int a;\n\n\n__global__ void\nf(int n) {}\n');
    expect(f && signatureOf(f, [])).toMatchObject({ name: 'f', file: 'a.cu', line: 5 });
  });
});

describe('the name of a source', () => {
  it.each(['q"u.cu', 'b\\n.cu', 'n\nl.cu', '\\"\\.cu', 'a b.cu'])(
    '%j is read and written as the compiler has it',
    (name) => {
      const [token] = tokenise(`${lineMarker(7, name)}int a;`);
      expect(token).toMatchObject({ file: name, line: 7, text: 'int' });
    },
  );
});

describe('what a kernel needs', () => {
  const source = `
struct Used { int a; };
struct Unused { cublasHandle_t h; };
__device__ int helper(Used u) { return u.a; }
void host() { kernel<<<1, 1>>>(); undeclared(); }
__global__ void kernel(int* out) { out[0] = helper(Used{1}); }
__global__ void another() { asm("bfind.u32 %0, %1;" : "=r"(out) : "r"(in)); }
`;

  it('is kept, host code and other kernels are not', () => {
    const kept = keptFor(source, 'kernel');
    expect(kept).toContain('struct Used');
    expect(kept).toContain('int helper(Used u)');
    expect(kept).not.toMatch(/Unused|host|another|tw_marks/);
  });

  it('has no host code of the name of a parameter or a member', () => {
    const kept = keptFor(
      `__global__ void kernel(float* cluster, Box box) { cluster[0] = box.area(); }
void cluster(float* x) { kernel<<<1, 1>>>(x, Box()); }
int area() { return undeclared(); }
template void cluster<int>(int* undeclared);
struct Box : Shape {};`,
      'kernel',
    );
    expect(kept).toContain('struct Box');
    expect(kept).not.toMatch(/<<<|undeclared/);
  });

  it('is refused by name and line where the emulated device lacks it', () => {
    expect(() => keptFor(source, 'another')).toThrow(
      "a.cu:7: the emulated device does not support the inline PTX 'bfind.u32",
    );
  });

  it('has shared memory that the emulated device gives', () => {
    const kept = keptFor(
      '__global__ void k() { __shared__ float a[32][33], b; extern __shared__ int c[]; a[0][0] = b; }',
      'k',
    );
    expect(kept).toContain('float tw_type_a[32][33], tw_type_b;');
    expect(kept).toContain('auto& b = *static_cast<tw_type_b*>(simt::shared_variable(&tw_key_b, "b"');
    expect(kept).toContain('auto& c = *reinterpret_cast<tw_type_c*>(simt::shared_base());');
  });

  it('has device variables in device memory', () => {
    const kept = keptFor('__device__ float t[2] = {1, 2};\n__global__ void k() { t[0] = 1; }', 'k');
    expect(kept).toContain('float tw_initial_t[2] = {1, 2};');
    expect(kept).toContain('static auto& t = tw_holder_t.value();');
  });
});

describe('a signature', () => {
  it('knows pointers, element types, aliases and template arguments', () => {
    const items = itemsOf(
      'using real = half;\ntemplate <class T> __global__ void k(T* __restrict__ out, const float4* in, real x, const unsigned char c, int n) {}',
    );
    const [kernel] = kernelsIn(items);
    const { parameters } = signatureOf(kernel as NonNullable<typeof kernel>, items, ['double']);
    expect(
      parameters.map(({ name, element, lanes, pointer, isConst }) => [
        name,
        element,
        lanes,
        pointer,
        isConst,
      ]),
    ).toEqual([
      ['out', 'f64', 1, true, false],
      ['in', 'f32', 4, true, true],
      ['x', 'f16', 1, false, false],
      ['c', 'u8', 1, false, true],
      ['n', 'i32', 1, false, false],
    ]);
  });

  it('finds how the file launches the kernel', () => {
    const items = itemsOf(`
constexpr int kRows = 3;
template <int B> __global__ void k(float* out, int n) {}
void run(float* d_out, int N) {
  const int threads = 128;
  cudaMemset(d_out, 0, N * kRows * sizeof(float));
  int blocks = (N + threads - 1) / threads;
  dim3 block(threads, 2);
  k<64><<<dim3(blocks, kRows), block, threads * sizeof(float)>>>(d_out, N);
}`);
    const [kernel] = kernelsIn(items);
    expect(findSite(items, signatureOf(kernel as NonNullable<typeof kernel>, items))).toEqual({
      template: ['64'],
      grid: ['((n + 128 - 1) / 128)', '3'],
      block: ['128', '2'],
      shared: '128 * 4',
      bytes: { out: 'n * 3 * 4' },
      values: {},
      types: {},
      zeroed: ['out'],
    });
  });

  it('takes sizes that the host code has, and where they hold', () => {
    const items = itemsOf(`
enum { kWidth = 64 };
const int kBlock = 32;
__global__ void k(int* bins, const float* in, int n) { bins[threadIdx.x] = in[threadIdx.x]; }
int main() {
  int n = kBlock;
  int* d_bins; float* x;
  cudaMalloc((void**)&d_bins, 64 * sizeof(int));
  cudaMalloc(&x, n * sizeof(float));
  k<<<1, kBlock>>>(d_bins, x, n);
}`);
    const signature = signatureOf(kernelsIn(items)[0] as NonNullable<ReturnType<typeof kernelsIn>[0]>, items);
    const plan = makePlan(signature, [], findSite(items, signature), {}, items);
    expect(plan).toMatchObject({ sizes: [{ n: 32 }, { n: 1000 }], where: 'n <= 32', block: ['32'] });
    expect(plan.arguments.map((one) => (one.kind === 'tensor' ? one.shape : one.kind))).toEqual([
      [64],
      ['n'],
      'scalar',
    ]);
    expect(plan.guesses).toEqual(['sizes', 'where']);
  });

  const planOf = (text: string) => {
    const items = itemsOf(text);
    const signature = signatureOf(kernelsIn(items)[0] as NonNullable<ReturnType<typeof kernelsIn>[0]>, items);
    return makePlan(signature, [], findSite(items, signature), {}, items);
  };

  it('takes sizes of whole tiles, and few threads, where nobody says which', () => {
    const launched = (grid: string, block: string) =>
      planOf(`__global__ void k(float* c, int M, int N) { c[threadIdx.x * N + threadIdx.y] = 0; }
void run(float* c, int M, int N) { k<<<${grid}, ${block}>>>(c, M, N); }`).sizes[0];
    expect(launched('dim3((N + 256 - 1) / 256, (M + 128 - 1) / 128)', 'dim3(16, 16)')).toEqual({
      M: 128,
      N: 512,
    });
    expect(launched('dim3(N, M)', 'dim3(32, 32)')).toEqual({ M: 2, N: 8 });
    const square = planOf(`__global__ void k(float* c, int n) { c[threadIdx.y * n + threadIdx.x] = 0; }
void run(float* c, int n) { k<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(c, n); }`);
    expect(square.sizes[0]).toEqual({ n: 128 });
    expect(square.arguments[0]).toMatchObject({ shape: ['n', 'n'], role: 'inout' });
  });

  it('asks for less where the launch of the file has too many threads', () => {
    const text = `__global__ void k(float* c) { c[threadIdx.x] = 0; }
void run(float* c) { int n = 1 << 24; k<<<n / 512, 512>>>(c); }`;
    expect(() => planOf(text)).toThrow('a.cu:1: the launch of k in the file has 16777216 threads');
  });

  it('asks for the length of an array where there are too many sizes to multiply', () => {
    const sizes = Array.from({ length: 16 }, (_, i) => `int n${i}`).join(', ');
    expect(() => planOf(`__global__ void k(float* c, ${sizes}) { c[threadIdx.x] = 0; }`)).toThrow(
      "argument 'c' of k: how many elements it has is not known",
    );
  });

  it('puts the block that was chosen for the name that a launch has of it', () => {
    const plan = planOf(`__global__ void k(float* c, int n) { extern __shared__ float s[]; c[0] = s[0]; }
void run(float* c, int n, int wgsize) { k<<<n / wgsize, wgsize, 4 * wgsize>>>(c, n); }`);
    expect(plan).toMatchObject({ grid: ['n / 256'], block: [256], shared: '4 * 256' });
  });

  it('guesses flags, and dynamic shared memory that nobody gives', () => {
    const plan = planOf(
      '__global__ void k(float* c, bool on) { extern __shared__ float s[]; c[0] = s[on]; }',
    );
    expect(plan.guesses).toEqual(['block', 'c', 'on', 'grid', 'shared']);
    expect(plan.arguments[1]).toMatchObject({ kind: 'scalar', type: 'u8', value: 1 });
  });

  it('takes an array for input where the kernel needs what it holds', () => {
    const roleOf = (statement: string) => {
      const [first] = planOf(
        `__global__ void k(int* p, int n) { int i = threadIdx.x, x; ${statement} }`,
      ).arguments;
      return first?.kind === 'tensor' ? first.role : undefined;
    };
    expect(['p[i] = max(p[i], x);', 'x = *p;', 'p[i] += x;', 'x = p[i] * 2;'].map(roleOf)).toEqual(
      Array.from({ length: 4 }, () => 'inout'),
    );
    expect(['p[i].x = min(p[i].x, x);', 'x = p[i].x;', 'x = (p)[i];'].map(roleOf)).toEqual(
      Array.from({ length: 3 }, () => 'inout'),
    );
    expect(
      planOf('__global__ void k(float* x, float* y) { int i = threadIdx.x; y[i] = (i < 9) ? x[i] : 0; }')
        .arguments,
    ).toMatchObject([{ role: 'inout' }, {}]);
    expect(['p[i].x = 1;', 'q = &p[i];'].map(roleOf)).toEqual(['out', 'out']);
    const pairs = 'auto* q = reinterpret_cast<int2*>(p); q[i] = q[x];';
    const last = ['p[n - 1] = max(x, p[n - 1]);', 'p[i].x = p[i].x + 1;', 'p[n - 1] = x;'];
    expect(last.map((one) => roleOf(`${pairs} ${one}`))).toEqual(['inout', 'inout', 'out']);
    expect(['p[i] = x * 2;', '*p = x;', 'p[0] = i, x = p[1];'].map(roleOf)).toEqual(['out', 'out', 'inout']);
  });

  it('asks for what lies in a struct by the form that a description has for it', () => {
    const ask = (types: string, parameters: string) => () =>
      planOf(`${types}\n__global__ void k(float* out, ${parameters}) { out[threadIdx.x] = 0; }`);
    expect(ask('', 'float3 v')).toThrow('e.g. arguments: { v: { fields: { x: 1, y: 2, z: 3 } } }');
    expect(ask('struct P { float3 v; };', 'P p')).toThrow(
      'e.g. arguments: { p: { fields: { v.x: 1, v.y: 2, v.z: 3 } } }',
    );
    expect(ask('struct P { struct { int2 w; } v; };', 'P p')).toThrow(
      'e.g. arguments: { p: { fields: { v.w.x: 1, v.w.y: 2 } } }',
    );
    expect(ask('struct P { Unknown* in; };', 'P p')).toThrow(
      'e.g. arguments: { p: { fields: { in: { type: f32, shape: [N] } } } }',
    );
  });

  it.each(['blockIdx', '(::simt::ids->block)'])('asks for a grid of two dimensions by %s', (block) => {
    const items = itemsOf(`__global__ void k(float* out, int n) { out[${block}.y * n + threadIdx.x] = 0; }`);
    const signature = signatureOf(kernelsIn(items)[0] as NonNullable<ReturnType<typeof kernelsIn>[0]>, items);
    expect(() => makePlan(signature, [], undefined, {}, items)).toThrow(
      'k uses blockIdx.y, and no launch in the file says what its grid is',
    );
  });
});
