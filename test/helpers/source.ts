import { join } from 'node:path';
import type { Budget } from '../../src/model/family.ts';
import type { Source } from '../../src/model/variant.ts';
import { sha256 } from '../../src/util/hash.ts';

/** A source that is not rendered from any template. */
export function sourceOf(text: string, budget: Partial<Budget> = {}): Source {
  const variant = {
    family: 'scale',
    id: 'scale.hand',
    symbol: 'scale_hand',
    parameters: {},
    derived: {},
    budget: { threads: 128, sharedBytes: 0, ...budget },
    template: 'none',
    deterministic: true,
  };
  return { variant, path: join('/nowhere', 'scale.hand.cu'), text, hash: sha256(text) };
}

/** A kernel that both compilers take; `body` sees `args`. */
export function kernelText(body: string, before = ''): string {
  return `#include "tw/ptx.cuh"
namespace {
struct Args {
  float* y;
  int count;
};
}  // namespace
${before}
extern "C" __global__ void scale_hand(const Args args) {
${body}
}
TW_EXPORT(scale_hand)
`;
}
