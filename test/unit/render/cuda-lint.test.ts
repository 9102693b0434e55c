import { describe, expect, it } from 'vitest';
import { CUDA_RULES, describeCudaFinding, lintCuda } from '../../../src/render/cuda-lint.ts';

const CLEAN = `#include "tw/ptx.cuh"
// asm, __shared__ and <<<>>> are fine in a comment
constexpr int kBarrier = 1, kThreads = 128;
extern "C" __global__ void __launch_bounds__(kThreads) scale(const Args args) {
  TW_SHARED(shared);
  const char* text = "asm volatile";
  ptx::mbarrier_wait(ptx::shared_address(shared), 0);
  ptx::bar_sync<kBarrier, kThreads>();
  ptx::bar_sync_of<1, 2, kThreads>(threadIdx.x / kThreads);
  for (int i = 0; i < (4 >> 1); ++i) ptx::mbarrier_init(base + 8 * i, 1);
  if (ptx::mbarrier_try_wait(base, 0)) args.c[0] = args.a[1 << 3] << 2;
}
TW_EXPORT(scale)
`;

/** A line that breaks one rule, and the rule. */
const BROKEN: readonly (readonly [string, string])[] = [
  ['asm volatile("trap;");', 'no-asm'],
  ['__asm__("trap;");', 'no-asm'],
  ['__shared__ float tile[32][33];', 'one-shared-declaration'],
  ['extern __shared__ unsigned char raw[];', 'one-shared-declaration'],
  ['child<<<grid, block, 0, stream>>>(args);', 'no-launch'],
  ['cuda::barrier<cuda::thread_scope_block>* bar;', 'no-library-synchronisation'],
  ['namespace cg = cooperative_groups;', 'no-library-synchronisation'],
  ['cuda::ptx::mbarrier_arrive(bar);', 'no-library-synchronisation'],
  ['__pipeline_commit();', 'no-library-synchronisation'],
  ['nvcuda::wmma::load_matrix_sync(a, p, 16);', 'no-wmma'],
  ['ptx::bar_sync(1 + warpgroup, 128);', 'constant-barrier-id'],
  ['while (!ptx::mbarrier_try_wait(full, phase)) {}', 'no-poll-loop'],
  ['do { n++; } while (!ptx::mbarrier_try_wait(full, phase));', 'no-poll-loop'],
  ['for (; !ptx::mbarrier_try_wait(full, phase);) ptx::nanosleep(20);', 'no-poll-loop'],
  ['#include <cuda/barrier>', 'wrappers-only-include'],
];

describe('lintCuda', () => {
  it('accepts a kernel that keeps the rules, whatever its comments and literals say', () => {
    expect(lintCuda('scale.cu', CLEAN)).toEqual([]);
  });

  it.each(BROKEN)('finds %s', (line, rule) => {
    const findings = lintCuda('k.cu', `${CLEAN}\n/* two\nlines */\n${line}\n`);
    expect(findings.map((f) => f.rule)).toContain(rule);
    const expected = CLEAN.split('\n').length + 3;
    expect(findings.every((f) => f.line === expected)).toBe(true);
  });

  it('names a kernel that is not exported', () => {
    const [finding] = lintCuda('scale.cu', CLEAN.replace('TW_EXPORT(scale)', ''));
    expect(finding).toMatchObject({
      rule: 'exported-kernel',
      line: 4,
      instead: expect.stringContaining('TW_EXPORT(scale)'),
    });
  });

  it('tests every rule of the table', () => {
    const tested = new Set(BROKEN.map(([, rule]) => rule));
    expect(CUDA_RULES.map((rule) => rule.name).filter((name) => !tested.has(name))).toEqual([]);
  });

  it('says where, what and what to write instead', () => {
    const [finding] = lintCuda('k.cu', 'void f() { asm("trap;"); }');
    expect(finding && describeCudaFinding(finding)).toBe(
      "k.cu:1: no-asm: found `asm`; call the instruction's wrapper (ptx::…); " +
        'if there is none, add it to kit/device/tw/ptx.cuh with both branches',
    );
  });
});
