import type { Source } from '../../src/model/variant.ts';

/** An idea of the six: which parameter it is, what it is compared with, and its typical defect. */
export interface Idea {
  readonly name: string;
  readonly what: string;
  /** Evidence file of its set, without `attempts-` and ending. */
  readonly set: 'mma' | 'unrolling' | 'simt';
  /** Variants that differ in these alone are compared. */
  readonly parameters: readonly string[];
  readonly defect: Defect;
}

/** One change of a rendered variant that passes, or of what it is launched with. */
export interface Defect {
  readonly what: string;
  readonly variant: string;
  readonly change: (source: Source) => Source;
}

const simt = 'bsr_spmm.simt.b64.f16.f16.tn64.tk32.pf0.w8.c4.v8.u4';
const mma = 'bsr_spmm.mma.b64.f16.f16.tn128.tk32.pf0.wm2.wn4.st4';

/** A change of the one place in the text that is `from`. */
function replacing(from: string, to: string): (source: Source) => Source {
  return (source) => {
    if (source.text.split(from).length !== 2)
      throw new Error(`${source.variant.id} has not one place: ${from}`);
    return { ...source, text: source.text.replace(from, () => to) };
  };
}

/** Variants whose launch takes more threads than they were compiled for. */
function moreThreads(source: Source): Source {
  const { derived } = source.variant;
  const threads = Number(derived.threads) + 32;
  return { ...source, variant: { ...source.variant, derived: { ...derived, threads } } };
}

export const ideas: readonly Idea[] = [
  {
    name: 'warp specialisation',
    what: 'Warps that only copy, and hand stages over by mbarriers. The path `wgmma` is made of it.',
    set: 'mma',
    parameters: ['producers'],
    defect: {
      what: 'the consumers never give a stage back',
      variant: `${mma}.pw4.cp16.staged.tc1.mb2.pn1.longest`,
      change: replacing('if (warp.lane == 0) ptx::mbarrier_arrive(empty(stage));', ''),
    },
  },
  {
    name: 'transposed B',
    what: 'B is transposed on its way into shared memory, so that a thread reads along k.',
    set: 'simt',
    parameters: ['transposed'],
    defect: {
      what: 'stored as it is, read as if it were transposed',
      variant: `${simt}.ilp1.bt1`,
      change: replacing(
        '[(at % kTileN + j) * kPitchB + at / kTileN]',
        '[(at / kTileN) * kPitchB + at % kTileN + j]',
      ),
    },
  },
  {
    name: 'software pipelining',
    what: 'The next steps are copied while one is multiplied: a ring of stages (`mma`), or registers (`simt`).',
    set: 'mma',
    parameters: ['stages'],
    defect: {
      what: 'one copy more may be under way when a stage is read',
      variant: `${mma}.pw0.cp16.staged.tc1.mb2.pn1.longest`,
      change: replacing('ptx::cp_async_wait<kStages - 2>();', 'ptx::cp_async_wait<kStages - 1>();'),
    },
  },
  {
    name: 'the sweep of threads and unrolling',
    what: 'Warps of a thread block, and unrolling of the loop over k.',
    set: 'unrolling',
    parameters: ['simtWarps', 'unroll'],
    defect: {
      what: 'launched with more threads than it was compiled for',
      variant: `${simt}.ilp1.bt0`,
      change: moreThreads,
    },
  },
  {
    name: 'several output tiles per CTA',
    what: 'A thread block computes tiles side by side, one after the other.',
    set: 'mma',
    parameters: ['tilesPerCta'],
    defect: {
      what: 'the second tile is loaded over the first, which is still read',
      variant: `${mma}.pw0.cp16.staged.tc2.mb2.pn1.longest`,
      change: replacing('if (n0 > first_column) __syncthreads();', ''),
    },
  },
  {
    name: '4-way ILP',
    what: 'Four independent partial sums for each element of C.',
    set: 'simt',
    parameters: ['ilp'],
    defect: {
      what: 'one of the four sums is left out',
      variant: `${simt}.ilp4.bt0`,
      change: replacing('for (int s = 1; s < kSums; ++s)', 'for (int s = 2; s < kSums; ++s)'),
    },
  },
];

/** Steps before the six ideas: TFLOPS as they were reported, and the variant that is the same idea. */
export const ladder = [
  {
    name: 'atomics',
    told: 30,
    remark:
      '[a kernel of its own](../bench/attempts/atomics.cu) that `validate` passes, not timed: sums that depend on the order of thread blocks are not bitwise reproducible, which the family promises of every variant',
  },
  { name: 'accumulators in registers', told: 61.5, variant: `${simt.replace('.v8', '.v1')}.ilp1.bt0` },
  { name: 'vector loads', told: 68.8, variant: `${simt}.ilp1.bt0` },
  { name: 'one thread per element', variant: 'bsr_spmm.naive.b64.f16.f16' },
] as const;
