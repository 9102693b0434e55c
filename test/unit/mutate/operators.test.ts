import { describe, expect, it } from 'vitest';
import { Code } from '../../../src/mutate/code.ts';
import { operators } from '../../../src/mutate/operators/index.ts';

/** Every text that an operator makes of a small one. */
function changed(name: string, text: string): string[] {
  const operator = operators.find((one) => one.name === name);
  if (!operator) throw new Error(`no operator ${name}`);
  return operator
    .find(new Code(text))
    .map(({ at, length, text: put }) => text.slice(0, at) + put + text.slice(at + length));
}

const args = 'struct Args { int rows; float alpha, beta; };\n';

const examples: readonly (readonly [operator: string, text: string, changed: readonly string[]])[] = [
  ['sync-dropped', '{ store(x); __syncthreads(); }', ['{ store(x); ; }']],
  ['sync-dropped', '{ if (lane == 0) ptx::mbarrier_arrive(empty(stage)); }', ['{ if (lane == 0) ; }']],
  ['sync-dropped', '{ ptx::griddep_launch_dependents(); }', []],
  ['sync-late', '{ ptx::mbarrier_init(full(i), 4); ptx::mbarrier_init(empty(i), 1); }', []],
  ['sync-early', '{ shared.pipeline().init<1, 4>(); ptx::mbarrier_init(shared.full(), 1); }', []],
  [
    'sync-late',
    '{ ptx::mbarrier_init(full(i), 4); ptx::mbarrier_arrive(full(i)); }',
    ['{ ptx::mbarrier_arrive(full(i)); ptx::mbarrier_init(full(i), 4); }'],
  ],
  [
    'statement-dropped',
    '{ ptx::prefetch_tensor_map(&map); prefetch(a); }',
    ['{ ptx::prefetch_tensor_map(&map); ; }'],
  ],
  [
    'statement-dropped',
    'void f() { TW_EITHER(asm volatile("prefetch.tensormap [%0];" :: "l"(map)), go(map)); }',
    [],
  ],
  ['fence-dropped', '{ ptx::fence_proxy_async(); go(); }', ['{ ; go(); }']],
  ['sync-late', '{ __syncthreads(); a = b; c = d; }', ['{ a = b; __syncthreads(); c = d; }']],
  [
    'sync-late',
    '{ wait<0>(); for (int i = 0; i < n; ++i) { a[i] = i; } }',
    ['{ for (int i = 0; i < n; ++i) { a[i] = i; } wait<0>(); }'],
  ],
  ['sync-late', '{ __syncthreads(); }', []],
  ['sync-early', '{ Queue{base}.init<4>(); fence(); }', ['{ fence(); Queue{base}.init<4>(); }']],
  ['sync-early', '{ a = b; c = d; __syncwarp(); }', ['{ a = b; __syncwarp(); c = d; }']],
  ['sync-early', '{ if (i == 1) go(i); __syncwarp(); }', ['{ __syncwarp(); if (i == 1) go(i); }']],
  [
    'count-changed',
    '{ ptx::cp_async_wait<kStages - 2>(); }',
    ['{ ptx::cp_async_wait<(kStages - 2) + 1>(); }', '{ ptx::cp_async_wait<(kStages - 2) - 1>(); }'],
  ],
  [
    'count-changed',
    '{ ptx::mbarrier_init(full(i), 4); }',
    ['{ ptx::mbarrier_init(full(i), (4) + 1); }', '{ ptx::mbarrier_init(full(i), (4) - 1); }'],
  ],
  [
    'parity-changed',
    '{ mbarrier_wait(full, phase); phase ^= 1; }',
    ['{ mbarrier_wait(full, (phase) ^ 1); phase ^= 1; }', '{ mbarrier_wait(full, phase); phase ^= 0; }'],
  ],
  [
    'registers-changed',
    '{ ptx::setmaxnreg_dec<40>(); }',
    ['{ ptx::setmaxnreg_dec<(40) + 8>(); }', '{ ptx::setmaxnreg_dec<(40) - 8>(); }'],
  ],
  [
    'scalar-ignored',
    `${args}float f(Args args) { return args.alpha * args.rows; }`,
    ['1.0f', '0.0f'].map((put) => `${args}float f(Args args) { return ${put} * args.rows; }`),
  ],
  [
    'precision-lowered',
    'void f(float* sum, int n) { for (; n; n += 1) sum[0] += a * b; }',
    [
      'void f(float* sum, int n) { for (; n; n += 1) sum[0] = static_cast<float>(static_cast<__nv_bfloat16>(sum[0] + (a * b))); }',
    ],
  ],
  [
    'precision-lowered',
    'using Output = __nv_bfloat16; void f(Args args) { float sum, n; n += sum; }',
    [
      'using Output = __nv_bfloat16; void f(Args args) { float sum, n; n = static_cast<float>(static_cast<__half>(n + (sum))); }',
    ],
  ],
  [
    'index-narrowed',
    '{ x = static_cast<long long>(row) * ld; std::int64_t n = 0; }',
    [
      '{ x = static_cast<int>(row) * ld; std::int64_t n = 0; }',
      '{ x = static_cast<long long>(row) * ld; std::int32_t n = 0; }',
    ],
  ],
  [
    'initial-value-changed',
    '{ Sums sums = {}; int i = 0; bool any = false; int j = i; }',
    [
      '{ Sums sums ; int i = 0; bool any = false; int j = i; }',
      '{ Sums sums = {}; int i = 1; bool any = false; int j = i; }',
      '{ Sums sums = {}; int i = 0; bool any = true; int j = i; }',
    ],
  ],
  [
    'atomic-changed',
    '{ i = atomicInc(counter, last); }',
    ['{ i = atomicInc(counter, (last) + 1); }', '{ i = atomicInc(counter, (last) - 1); }'],
  ],
  [
    'cache-changed',
    '{ sum += __ldcg(&from[i]); x = __ldcs(p); }',
    ['{ sum += __ldg(&from[i]); x = __ldcs(p); }'],
  ],
  [
    'launch-bounds-halved',
    'void __launch_bounds__(kThreads, 1) k() {}',
    ['void __launch_bounds__((kThreads) / 2, 1) k() {}'],
  ],
  [
    'stage-shifted',
    '{ load(step + 1); if (++stage == kStages) stage = 0; }',
    [
      '{ load(step + 2); if (++stage == kStages) stage = 0; }',
      '{ load(step + 0); if (++stage == kStages) stage = 0; }',
      '{ load(step + 1); if (++stage == (kStages - 1)) stage = 0; }',
    ],
  ],
  [
    'lane-map-changed',
    '{ row = lane / 4; n = count / 4; }',
    ['{ row = lane / 8; n = count / 4; }', '{ row = lane / 2; n = count / 4; }'],
  ],
  ['operator-exchanged', '{ const T* p = a + b; }', ['{ const T* p = a - b; }']],
  ['operands-swapped', '{ x = rows[i] - f(j); y = a + b; }', ['{ x = f(j) - rows[i]; y = a + b; }']],
  ['operands-swapped', '{ x = static_cast<int>(i) / 4; }', []],
  ['arguments-swapped', '{ mma(d, a, a, b); }', ['{ mma(a, d, a, b); }', '{ mma(d, a, b, a); }']],
  ['constant-shifted', '{ x = y + 3; z = 1.5f; }', ['{ x = y + 4; z = 1.5f; }']],
  [
    'bound-shifted',
    'template <class T> void f() { if (i < n) g<int>(i); }',
    ['template <class T> void f() { if (i <= n) g<int>(i); }'],
  ],
  ['comparison-negated', '{ if (a == b) c = d; }', ['{ if (a != b) c = d; }']],
  [
    'predicate-dropped',
    '{ if (i < n) c[i] = 0; if constexpr (kTma) go(); }',
    ['{ if (true) c[i] = 0; if constexpr (kTma) go(); }'],
  ],
  ['branch-dropped', '{ if (i < n) c[i] = 0; }', ['{ if (false) c[i] = 0; }']],
  ['conjunct-loosened', '{ if (a && b) c = d; }', ['{ if (a || b) c = d; }']],
  ['choice-fixed', '{ x = a ? b : c; }', ['{ x = a || true ? b : c; }', '{ x = a && false ? b : c; }']],
  [
    'statement-dropped',
    '{ int n = 1; c[i] = n; ++n; load(n); if (n) return; }',
    [
      '{ int n = 1; ; ++n; load(n); if (n) return; }',
      '{ int n = 1; c[i] = n; ; load(n); if (n) return; }',
      '{ int n = 1; c[i] = n; ++n; ; if (n) return; }',
    ],
  ],
];

describe('operators', () => {
  it.each(examples)('%s on %s', (operator, text, expected) => {
    expect(changed(operator, text)).toEqual(expected);
  });

  it('are all shown on an example, and have names of their own', () => {
    const names = operators.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !examples.some(([shown]) => shown === name))).toEqual([]);
  });

  it('find nothing in comments, literals and preprocessor lines', () => {
    const text = '// a == b; __syncthreads();\n/* if (x) y = 0; */\n#define F(x) \\\n  (x) == 1 ? 2 : 3\n';
    expect(operators.flatMap((operator) => operator.find(new Code(text)))).toEqual([]);
  });
});
