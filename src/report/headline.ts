import type { EvidenceMeasurement, EvidenceWorkload, RunEvidence } from '../model/evidence.ts';
import { kernelTime, ratio, spread } from './format.ts';
import { code, markdownTable, section } from './markdown.ts';
import { baselinesOf, fastest, limitsOf, peakOf } from './ranking.ts';

/** A workload of one of the runs on a page. */
export interface Case {
  readonly evidence: RunEvidence;
  readonly workload: EvidenceWorkload;
  /** The workload's id; with the number of the run where the page has several. */
  readonly name: string;
}

/** All workloads of all runs, equal ones side by side. */
export function casesOf(evidences: readonly RunEvidence[]): Case[] {
  const several = evidences.length > 1;
  const ids = [...new Set(evidences.flatMap(({ workloads }) => workloads.map(({ id }) => id)))];
  return ids.flatMap((id) =>
    evidences.flatMap((evidence, index) => {
      const workload = evidence.workloads.find((one) => one.id === id);
      return workload ? [{ evidence, workload, name: several ? `${id} (run ${index + 1})` : id }] : [];
    }),
  );
}

/** The best variant of each case beside the other paths and the baselines, and beside the limits of the machine. */
export function headline(cases: readonly Case[]): string[] {
  return [
    ...section('## The best of each case', bestTable(cases), legend(cases)),
    ...section('## Every path and every baseline, effective TFLOPS', pathTable(cases), pathLegend),
    ...section('## Limits', limitTable(cases), limitLegend(cases)),
  ];
}

function bestTable(cases: readonly Case[]): string[] {
  const names = baselineNames(cases);
  const titles = [
    'case',
    'path',
    'time',
    '± MAD',
    'TFLOPS',
    'of the limit',
    'SM clock, MHz',
    ...names.map((name) => `vs ${name}`),
  ];
  const rows = cases.map((one) => {
    const [best] = fastest(one.workload);
    if (!best) return [one.name, 'none was timed', ...titles.slice(2).map(() => '-')];
    const ratios = names.map((name) => ratio(timeOf(one, name), best.median));
    return [
      one.name,
      pathOf(one, best.subject),
      ...[
        kernelTime(best.median),
        spread(best.mad, best.median),
        best.tflops.toFixed(1),
        share(one, best.median),
        best.meanSmClock?.toFixed(0) ?? '-',
        ...ratios,
      ],
    ];
  });
  return markdownTable(titles, rows);
}

function pathTable(cases: readonly Case[]): string[] {
  const paths = [...new Set(cases.flatMap(({ workload }) => Object.keys(workload.paths)))].sort();
  const names = baselineNames(cases);
  const rows = cases.map((one) => [
    one.name,
    ...paths.map((path) => tflopsOf(one, one.workload.paths[path])),
    ...names.map((name) => tflopsOf(one, name)),
  ]);
  return markdownTable(['case', ...paths.map(code), ...names], rows);
}

function limitTable(cases: readonly Case[]): string[] {
  const rows = cases.flatMap((one) => {
    const limits = limitsOf(one.workload, one.evidence);
    const [best] = fastest(one.workload);
    if (limits.length === 0 || !best) return [];
    const cell = (name: string) => {
      const limit = limits.find((each) => each.name === name);
      return limit ? `${kernelTime(limit.seconds)} (${percent(limit.seconds / best.median)})` : '-';
    };
    const units = [cell('tensor'), tensorAtClock(one, best), cell('L2'), cell('DRAM')];
    return [[one.name, ...units, limits[0]?.name ?? '-', kernelTime(best.median)]];
  });
  const units = ['tensor cores', 'tensor cores, measured clock', 'L2', 'DRAM'];
  return markdownTable(['case', ...units, 'tightest', 'our best'], rows);
}

/** Time that the tensor cores need at the clock of the samples: near 100 %, only the clock is a bound. */
function tensorAtClock({ workload, evidence }: Case, best: EvidenceMeasurement): string {
  const gpu = evidence.environment?.gpu;
  const peak = gpu ? peakOf(workload, gpu) : 0;
  if (!gpu || !best.meanSmClock || !(peak > 0)) return '-';
  const seconds = (workload.flops / (peak * 1e12)) * (gpu.maxSmClock / best.meanSmClock);
  return `${kernelTime(seconds)} (${percent(seconds / best.median)})`;
}

function limitLegend(cases: readonly Case[]): string[] {
  const gpus = cases.flatMap(({ evidence }) => evidence.environment?.gpu ?? []);
  const gpu = gpus.find(({ peaks }) => peaks) ?? gpus[0];
  if (!gpu)
    return ['The runs did not record the peaks of their GPU, so there are no limits to compare with.'];
  const { peakTflops, peaks, l2Bandwidth, bandwidth, l2Bytes } = gpu;
  const others = peaks ? `, TF32 ${peaks.tf32.toFixed(0)}, f32 on CUDA cores ${peaks.f32.toFixed(0)}` : '';
  const mebibytes = (l2Bytes / 2 ** 20).toFixed(0);
  return [
    'Least time of each unit, and its share of our time:',
    '',
    `- tensor cores: dense f16 at the highest clock, ${peakTflops.toFixed(0)} TFLOPS${others}; then at the clock of our best's samples, which the power limit may lower`,
    `- L2: bytes that kernels without shared operands must fetch into shared memory, by the family, at ${tera(l2Bandwidth)} TB/s (measured, not documented); kernels that share operands between tiles may be faster`,
    `- DRAM: every operand once, at ${tera(bandwidth)} TB/s; no limit if L2 is hot and its ${mebibytes} MiB hold all operands`,
  ];
}

function legend(cases: readonly Case[]): string[] {
  const states = new Set(cases.flatMap(({ workload }) => fastest(workload).map(({ l2 }) => l2)));
  return [
    `- time: median of launches in a CUDA graph, L2 ${[...states].join(' or ')}; MAD: median absolute deviation`,
    '- TFLOPS: effective, useful work / time; of a sparse operand only stored elements count',
    '- GB/s, of each case below: every operand once, twice where it is read and written, of a sparse operand what is stored and its indices, / time',
    '- `vs`: time of the baseline / our time, in the same run',
    '- SM clock: from the cycle counters of the SMs, mean over the samples',
  ];
}

const pathLegend = [
  'The fastest variant of each path. A dense product multiplies the zeros too: its figure here counts only the useful part. Its',
  'matrix is mostly zeros, which draw little power. Where power limits the clocks, it is faster than a product of full matrices.',
];

function baselineNames(cases: readonly Case[]): string[] {
  return [
    ...new Set(cases.flatMap(({ workload }) => baselinesOf(workload).map(({ subject }) => subject))),
  ].sort();
}

function subjectOf({ workload }: Case, subject: string | undefined) {
  return [...fastest(workload), ...baselinesOf(workload)].find((one) => one.subject === subject);
}

function timeOf(one: Case, subject: string): number | undefined {
  return subjectOf(one, subject)?.median;
}

function tflopsOf(one: Case, subject: string | undefined): string {
  return subjectOf(one, subject)?.tflops.toFixed(1) ?? '-';
}

function pathOf({ workload }: Case, subject: string): string {
  return Object.entries(workload.paths).find(([, id]) => id === subject)?.[0] ?? '-';
}

function share({ workload, evidence }: Case, seconds: number): string {
  const [limit] = limitsOf(workload, evidence);
  return limit ? `${percent(limit.seconds / seconds)} ${limit.name}` : '-';
}

function percent(value: number): string {
  return `${(100 * value).toFixed(0)} %`;
}

function tera(value: number): string {
  return (value / 1e12).toFixed(1);
}
