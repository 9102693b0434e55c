import { denseSystem, fullMatrixSystem, ownSystem, type Rival, type RivalResult } from '../model/rival.ts';
import { kernelTime, ratio, spread } from './format.ts';
import type { Case } from './headline.ts';
import { code, markdownTable, section } from './markdown.ts';
import { limitsOf } from './ranking.ts';

/** Two times with their median absolute deviations, in one unit. */
interface Timed {
  readonly median: number;
  readonly mad: number;
}

/** Whether `own` is slower than `other` by more than twice the sum of both deviations. */
export function isSlower(own: Timed, other: Timed): boolean {
  return own.median - other.median > 2 * (own.mad + other.mad);
}

/** One workload of a comparison: ours and the best correct result of every other system. */
export interface ComparedCase {
  readonly workload: string;
  /** The workload's id; with the number of the comparison where several have it. */
  readonly name: string;
  readonly own: RivalResult;
  readonly others: readonly RivalResult[];
}

/** Cases of all files, of the workloads that have our own time, equal ones side by side. */
export function comparedCases(rivals: readonly Rival[]): ComparedCase[] {
  const found = rivals.map(casesOfFile);
  const ids = [...new Set(found.flat().map(({ workload }) => workload))];
  return ids.flatMap((id) => {
    const same = found.flatMap((cases, index) =>
      cases.flatMap((one) => (one.workload === id ? { ...one, index } : [])),
    );
    const nameAt = (index: number) => (same.length > 1 ? `${id} (comparison ${index + 1})` : id);
    return same.map(({ index, ...one }) => ({ ...one, name: nameAt(index) }));
  });
}

function casesOfFile({ results }: Rival): Omit<ComparedCase, 'name'>[] {
  const right = results.filter(({ correct }) => correct !== false);
  const workloads = [...new Set(right.map(({ workload }) => workload))];
  return workloads.flatMap((workload) => {
    const here = right.filter((one) => one.workload === workload);
    const best = [...new Set(here.map(({ system }) => system))].flatMap(
      (system) =>
        here.filter((one) => one.system === system).toSorted((a, b) => a.medianUs - b.medianUs)[0] ?? [],
    );
    const own = best.find(({ system }) => system === ownSystem);
    return own ? [{ workload, own, others: best.filter((one) => one !== own) }] : [];
  });
}

/**
 * Ours beside other systems, timed in turns by one process. Nothing where no file has such times. `sweeps`: what the
 * machine allows is taken from their cases of the same workloads. `plot`: address of a picture of it.
 */
export function comparedSection(
  rivals: readonly Rival[],
  sweeps: readonly Case[] = [],
  plot?: string,
): string[] {
  const cases = comparedCases(rivals);
  if (cases.length === 0) return [];
  return [
    ...section(
      '## Against other systems, same process',
      tflopsTable(cases, sweeps),
      plot === undefined ? [] : [`![TFLOPS of each system](${plot})`],
      ratioTable(cases),
      legend,
      rivals.map(originOf),
    ),
    ...section('### A from memory', coldTable(cases, rivals), coldLegend(cases)),
    ...section('### Clock and power of each system', sustainedTable(cases)),
  ];
}

/** The tightest limit of the machine on a workload, from the first sweep that has it; see `limitsOf`. */
export function ceilingOf(
  workload: string,
  sweeps: readonly Case[],
): { name: string; tflops: number } | undefined {
  for (const { workload: known, evidence } of sweeps) {
    const [limit] = known.id === workload ? limitsOf(known, evidence) : [];
    if (limit) return { name: limit.name, tflops: known.flops / limit.seconds / 1e12 };
  }
  return undefined;
}

/** Results of the systems that solve the same problem as ours. */
export function ofSameProblem({ others }: ComparedCase): RivalResult[] {
  return others.filter(({ system }) => system !== fullMatrixSystem);
}

function systemsOf(cases: readonly ComparedCase[]): string[] {
  return [...new Set(cases.flatMap((one) => ofSameProblem(one).map(({ system }) => system)))];
}

function tflopsTable(cases: readonly ComparedCase[], sweeps: readonly Case[]): string[] {
  const systems = systemsOf(cases);
  const rows = cases.map(({ workload, name, own, others }) => {
    const ceiling = ceilingOf(workload, sweeps);
    return [
      ...[name, figure(own.tflops), spread(own.madUs, own.medianUs)],
      ...systems.map((system) => figure(others.find((one) => one.system === system)?.tflops)),
      ...(ceiling
        ? [`${figure(ceiling.tflops, 0)} ${ceiling.name}`, ratio(own.tflops, ceiling.tflops)]
        : ['-', '-']),
    ];
  });
  return markdownTable(['case', 'ours, TFLOPS', '± MAD', ...systems, 'limit', 'ours / limit'], rows);
}

function ratioTable(cases: readonly ComparedCase[]): string[] {
  const systems = systemsOf(cases);
  const titles = [
    ...['case', 'ours', ...systems.map((system) => `vs ${system}`), 'searched'],
    ...['TFLOPS of dense, with zeros', 'TFLOPS of dense, full matrix', 'ours / dense', 'ours / full'],
  ];
  const rows = cases.map(({ name, own, others }) => {
    const of = (system: string) => others.find((one) => one.system === system);
    const [zeros, full] = [denseSystem, fullMatrixSystem].map((system) => of(system)?.ownTflops);
    return [
      ...[name, kernelTime(own.medianUs / 1e6)],
      ...systems.map((system) => ratio(of(system)?.medianUs, own.medianUs)),
      ...[searched(others), figure(zeros), figure(full), ratio(own.tflops, zeros), ratio(own.tflops, full)],
    ];
  });
  return markdownTable(titles, rows);
}

const legend = [
  '- TFLOPS: effective; of a dense product only the useful part counts',
  '- limit: the tightest of those under Limits',
  '- `vs`: time of the other system / our time, on one matrix by one process, in turns; cuSPARSE has turns of its own',
  '- `cublas dense`: the product without use of sparsity; its zeros draw little power, so that clocks stay high',
  '- full matrix: a dense product without zeros, as fast as the tensor cores sustain',
  '- `ours / dense`, `ours / full`: our effective TFLOPS / TFLOPS of those products, counting all that they multiply',
  '- `searched`: timed configurations of a tuned system; the others do not run on this GPU or were not compiled in time',
];

/** Width of the search of the one system that is tuned. */
function searched(others: readonly RivalResult[]): string {
  const [counts] = others.flatMap(({ configurations }) => configurations ?? []);
  if (!counts) return '-';
  const { ran, of, cannotRun = 0, late = 0 } = counts;
  const why = [cannotRun > 0 ? `, ${cannotRun} cannot run` : '', late > 0 ? `, ${late} late` : ''];
  return `${ran} of ${of}${why.join('')}`;
}

function originOf({ command, commit, date, environment }: Rival): string {
  const { gpu, driver, torch, triton } = environment;
  const at = commit === undefined ? '' : `, commit ${commit}`;
  return `- ${code(command)}, ${date}${at}: ${gpu}, driver ${driver}, PyTorch ${torch}, Triton ${triton}`;
}

/** Time, clock and power of each system alone for a second. */
function sustainedTable(cases: readonly ComparedCase[]): string[] {
  const rows = cases.flatMap(({ name, own, others }) =>
    [own, ...others].flatMap((one) => {
      const { sustained, medianUs } = one;
      if (!sustained) return [];
      const { us, smClock, watts } = sustained;
      const share = `${((100 * us) / medianUs - 100).toFixed(1)} %`;
      return [[name, one.system, kernelTime(us / 1e6), share, figure(smClock, 0), figure(watts, 0)]];
    }),
  );
  return markdownTable(
    ['case', 'system', 'time, alone for 1 s', 'slower than in turns', 'SM clock, MHz', 'W'],
    rows,
  );
}

/** Results that were timed with A in memory alone, by case. */
function coldResults(cases: readonly ComparedCase[]) {
  return cases.flatMap(({ name, own, others }) =>
    [own, ...others].flatMap((one) => (one.cold ? [{ ...one, name, cold: one.cold }] : [])),
  );
}

/** Time and bandwidth with A in memory alone, beside the bandwidth of a copy where all files measured one. */
function coldTable(cases: readonly ComparedCase[], rivals: readonly Rival[]): string[] {
  const copies = rivals.flatMap(({ environment: { copyTbs } }) =>
    typeof copyTbs === 'number' ? [copyTbs] : [],
  );
  const copy = copies.length > 0 ? Math.max(...copies) : undefined;
  const rows = coldResults(cases).map(({ name, system, medianUs, cold }) => [
    ...[name, system, kernelTime(medianUs / 1e6), kernelTime(cold.medianUs / 1e6)],
    ...[`${(cold.bytes / 1e6).toFixed(1)} MB`, figure(cold.tbs, 2)],
    copy === undefined ? '-' : `${((100 * cold.tbs) / copy).toFixed(0)} %`,
  ]);
  return markdownTable(['case', 'system', 'L2 hot', 'A cold', 'bytes', 'TB/s', 'of a copy'], rows);
}

function coldLegend(cases: readonly ComparedCase[]): string[] {
  return coldResults(cases).length === 0
    ? []
    : [
        '- cold: each launch reads another copy of A, which together exceed L2 three times; B stays',
        '- bytes: A, its indices, B and C, once each',
        '- of a copy: share of the highest bandwidth, read and written, of copies on the device in these files',
      ];
}

function figure(value: number | undefined, digits = 1): string {
  return value === undefined ? '-' : value.toFixed(digits);
}
