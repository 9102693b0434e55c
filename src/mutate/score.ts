import type { MutantResult, Opinions } from './result.ts';

/** Counts of mutants; `quick`: of the killed, those killed at depth quick. */
export interface Tally {
  readonly mutants: number;
  readonly refused: number;
  readonly identical: number;
  readonly argued: number;
  readonly killed: number;
  readonly quick: number;
  readonly survived: number;
}

export function tally(results: readonly MutantResult[]): Tally {
  const count = (outcome: string) => results.filter((one) => one.outcome === outcome).length;
  return {
    mutants: results.length,
    refused: count('refused'),
    identical: count('identical'),
    argued: count('argued'),
    killed: count('killed'),
    quick: results.filter(({ outcome, depth }) => outcome === 'killed' && depth === 'quick').length,
    survived: count('survived'),
  };
}

/** Share of the defects that were killed, of those killed at depth quick alone; 1 where there are none. */
export function score({ killed, quick, survived }: Tally, depth: 'quick' | 'full' = 'full'): number {
  const defects = killed + survived;
  return defects === 0 ? 1 : (depth === 'quick' ? quick : killed) / defects;
}

/** Defects that the emulated device and a GPU were both asked about, by who killed them. */
export function devicesTally(results: readonly MutantResult[]) {
  const asked = results.filter(
    ({ outcome, gpu }) => gpu !== undefined && (outcome === 'killed' || outcome === 'survived'),
  );
  const count = (own: MutantResult['outcome'], gpu: 'killed' | 'survived') =>
    asked.filter((one) => one.outcome === own && one.gpu?.outcome === gpu).length;
  return {
    asked: asked.length,
    both: count('killed', 'killed'),
    emulated: count('killed', 'survived'),
    gpu: count('survived', 'killed'),
    neither: count('survived', 'survived'),
  };
}

/** A rule of another project, applied to the outputs of one case. */
export interface Rule {
  readonly name: string;
  readonly source: string;
  /** Whether it accepts an output, given what it says of the correct kernel's. */
  accepts(opinions: Opinions, sound: Opinions | undefined): boolean;
}

/** Kernel Tuner's default tolerance refuses correct kernels with half outputs: its user raises it until one passes. */
function tunerAtol(sound: Opinions | undefined): number {
  const least = Math.max(1e-6, sound?.kernelTunerAtol ?? 1e-6);
  return 10 ** Math.ceil(Math.log10(least) - 1e-9);
}

export const rules: readonly Rule[] = [
  {
    name: 'CUTLASS profiler',
    source:
      '`--epsilon` 0.05, `--nonzero-floor` 1/256 (the defaults of its `options.cu`), by `relatively_equal.h`',
    accepts: ({ cutlass }) => cutlass,
  },
  {
    name: 'Kernel Tuner',
    source:
      '`tune_kernel(answer=, atol=)`: `numpy.allclose(expected, result, atol)`; its default 1e-6 refuses correct kernels with 16-bit outputs, so `atol` is the least power of ten that takes the correct kernel',
    accepts: ({ kernelTunerAtol }, sound) =>
      kernelTunerAtol !== undefined && kernelTunerAtol <= tunerAtol(sound),
  },
  {
    name: 'TileLang',
    source:
      "its auto-tuner's defaults: `rtol` and `atol` 1e-2, `max_mismatched_ratio` 0.01 (its guide to auto-tuning; `torch_assert_close`)",
    accepts: ({ tilelang }) => tilelang,
  },
  {
    name: 'DeepGEMM',
    source: '`calc_diff` below 0.001, as its tests ask',
    accepts: ({ deepgemm }) => deepgemm,
  },
  {
    name: '`allclose(1e-2)`',
    source: '`torch.allclose(rtol=1e-2, atol=1e-2)`',
    accepts: ({ allclose }) => allclose,
  },
];
