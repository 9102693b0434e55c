import { denseSystem, fullMatrixSystem, ownSystem, type Rival, type RivalResult } from '../model/rival.ts';
import { kernelTime, ratio, spread } from './format.ts';
import { code, markdownTable, section } from './markdown.ts';

/** Two times with their median absolute deviations, in one unit. */
interface Timed {
  readonly median: number;
  readonly mad: number;
}

/** Whether `own` is slower than `other` by more than twice what both scatter. */
export function isSlower(own: Timed, other: Timed): boolean {
  return own.median - other.median > 2 * (own.mad + other.mad);
}

/** One workload of a comparison: ours and the best correct result of every other system. */
export interface ComparedCase {
  readonly workload: string;
  readonly own: RivalResult;
  readonly others: readonly RivalResult[];
}

/** Cases of all files, of the workloads that have our own time. A workload in several files is several cases. */
export function comparedCases(rivals: readonly Rival[]): ComparedCase[] {
  return rivals.flatMap(casesOfFile);
}

function casesOfFile({ results }: Rival): ComparedCase[] {
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

/** Ours beside other systems, timed in turns by one process. Nothing where no file has such times. */
export function comparedSection(rivals: readonly Rival[]): string[] {
  const cases = comparedCases(rivals);
  if (cases.length === 0) return [];
  const systems = [...new Set(cases.flatMap(({ others }) => others.map(({ system }) => system)))];
  const ratios = systems.filter((system) => system !== fullMatrixSystem);
  const titles = [
    ...['case', 'ours', '± MAD', 'TFLOPS', ...ratios.map((system) => `vs ${system}`)],
    ...['searched', 'TFLOPS of dense, zeros too', 'of dense, full matrix', 'ours / dense', 'ours / full'],
  ];
  const rows = cases.map(({ workload, own, others }) => {
    const of = (system: string) => others.find((one) => one.system === system);
    const [zeros, full] = [denseSystem, fullMatrixSystem].map((system) => of(system)?.ownTflops);
    return [
      ...[workload, kernelTime(own.medianUs / 1e6), spread(own.madUs, own.medianUs)],
      ...[own.tflops.toFixed(1), ...ratios.map((system) => ratio(of(system)?.medianUs, own.medianUs))],
      ...[searched(others), figure(zeros), figure(full), ratio(own.tflops, zeros), ratio(own.tflops, full)],
    ];
  });
  return [
    ...section(
      '## Against other systems, same process',
      markdownTable(titles, rows),
      legend,
      rivals.map(originOf),
    ),
    ...section('### What each system draws', sustainedTable(cases)),
  ];
}

const legend = [
  '`vs`: how many times the other system takes our time, all timed by one process on one matrix: in turns, cuSPARSE in turns of its',
  'own. `cublas dense` multiplies the zeros of A too: what one would run without sparsity; zeros draw little power, so that its',
  'clocks stay high. The full matrix has no zeros: what the tensor cores sustain. `ours / dense` and `ours / full` set our effective',
  'TFLOPS beside what those products reach with everything that they multiply. `searched`: how many of the configurations of a',
  'tuned system were timed; the others do not run on this GPU, or were not compiled in the time that the search had.',
];

/** How wide the search of the one system that is tuned was. */
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
  const rows = cases.flatMap(({ workload, own, others }) =>
    [own, ...others].flatMap((one) => {
      const { sustained, medianUs } = one;
      if (!sustained) return [];
      const { us, smClock, watts } = sustained;
      const share = `${((100 * us) / medianUs - 100).toFixed(1)} %`;
      return [[workload, one.system, kernelTime(us / 1e6), share, figure(smClock, 0), figure(watts, 0)]];
    }),
  );
  return markdownTable(['case', 'system', 'alone for a second', 'than in turns', 'SM clock, MHz', 'W'], rows);
}

function figure(value: number | undefined, digits = 1): string {
  return value === undefined ? '-' : value.toFixed(digits);
}
