import type { Shipped } from '../../src/emit/manifest.ts';
import type { LibraryRequest } from '../../src/emit/request.ts';
import { localExecutor } from '../../src/exec/local.ts';
import type { Verdict, VerdictName } from '../../src/model/verdict.ts';
import { variantOf } from '../../src/space/variant.ts';
import { sha256 } from '../../src/util/hash.ts';
import { toyFamily } from './toy-family.ts';

const variant = variantOf(toyFamily, { path: 'mma', block: 64, tileN: 64, stages: 2, swizzle: true });

/** The only variant of the toy library, as its source and device code go into the package. */
export function toyShipped(
  text = `TW_EXPORT(${variant.symbol})\nTW_EXPORT(${variant.symbol}_reduce)\n`,
): Shipped[] {
  const image = { arch: 'sm_90a', file: 'kernels/x.fatbin', bytes: 10, cubinBytes: 30, hash: sha256('x') };
  return [
    { source: { variant, path: '/tmp/x.cu', text, hash: sha256(text) }, emulated: true, images: [image] },
  ];
}

export function toyVerdicts(words: Partial<Record<'cuda' | 'emulated', VerdictName>> = {}): Verdict[] {
  return (['cuda', 'emulated'] as const).map((device) => ({
    variant: variant.id,
    device,
    verdict: words[device] ?? 'passed',
    evidence: { message: 'said so', maxErrorOverBound: device === 'cuda' ? 0.75 : 0.5 },
  }));
}

/** A request for an untimed library of one variant. */
export function toyRequest(): LibraryRequest {
  return {
    family: toyFamily,
    folder: '/nowhere',
    selection: {
      family: toyFamily.name,
      timed: false,
      variants: [variant.id],
      fallbacks: [],
      choices: [{ workload: 'small', problem: { n: 64 }, winner: variant.id, variant: variant.id }],
      unserved: [],
      tolerance: 0.03,
    },
    artifacts: [],
    run: { id: 'r1', date: '2026-11-21T00:00:00Z', verdicts: toyVerdicts(), nvcc: '13.0' },
    out: '/nowhere',
    executor: localExecutor,
  };
}
