import type { EvidenceGate, EvidenceMeasurement, RunEvidence } from '../model/evidence.ts';
import type { Rival } from '../model/rival.ts';
import { grouped } from '../util/grouped.ts';
import { inCommon } from './common.ts';
import { comparedSection } from './compared.ts';
import { effectsSection } from './effects.ts';
import { bandwidth, brief, duration, kernelTime, plural, spread } from './format.ts';
import { type Case, casesOf, headline } from './headline.ts';
import { code, markdownTable, section } from './markdown.ts';
import { baselinesOf, bestSoFar, coldOf, fastest, reached, type Step, topCount } from './ranking.ts';
import { slowerSection } from './slower.ts';

const failuresShown = 10;

/** Addresses of pictures that belong to a page. */
export interface Plots {
  /** Plot of the search for the best figures. */
  readonly search?: string;
  /** Ours beside other systems. */
  readonly systems?: string;
}

/** Evidence of one or several runs as a page of Markdown. `rivals`: files of other systems' times beside ours. */
export function resultsPage(
  evidences: readonly RunEvidence[],
  rivals: readonly Rival[] = [],
  plots: Plots = {},
): string {
  const cases = casesOf(evidences);
  const families = [...new Set(evidences.map(({ family }) => family))];
  const sections = [
    ...section(`# Results: ${families.join(', ')}`, summaryLine(evidences)),
    ...(cases.length > 0 ? headline(cases) : ['No times were taken.', '']),
    ...comparedSection(rivals, cases, plots.systems),
    ...slowerSection(cases, rivals),
    ...effectsSection(cases),
    ...section('## Variants tried until the best was found', searchTable(cases), plotLines(plots.search)),
    ...(cases.length > 0 ? [`## The ${topCount} fastest variants of each case`, ''] : []),
    ...cases.flatMap(fastestOf),
    ...evidences.flatMap((evidence, index) =>
      runSection(evidence, evidences.length > 1 ? ` ${index + 1}` : ''),
    ),
  ];
  return `${sections.join('\n').trimEnd()}\n`;
}

function summaryLine(evidences: readonly RunEvidence[]): string[] {
  const gpus = [...new Set(evidences.flatMap(({ environment }) => environment?.gpu?.name ?? []))];
  const dates = [...new Set(evidences.map(({ date }) => date.slice(0, 10)))];
  const depths = [...new Set(evidences.map(depthOf))];
  const where = gpus.length > 0 ? ` on ${gpus.join(', ')}` : '';
  return [
    `Runs of ${dates.join(', ')}${where}, behind the gate at depth ${depths.join(' and ')}. Written by \`gen report\`; do not edit.`,
  ];
}

/** Depth of the gate: `quick` unless the file says otherwise, or the command where the file is older than the field. */
function depthOf({ depth, command }: RunEvidence): 'quick' | 'full' {
  return depth ?? (/--depth[ =]full\b/.test(command) ? 'full' : 'quick');
}

function plotLines(plot: string | undefined): string[] {
  return plot === undefined ? [] : [`![best figure so far over the number of variants tried](${plot})`];
}

function searchTable(cases: readonly Case[]): string[] {
  const rows = cases.map(({ name, workload }) => {
    const steps = bestSoFar(workload);
    return [name, String(workload.tried), ...[0.95, 0.99, 1].map((share) => when(reached(steps, share)))];
  });
  return markdownTable(['case', 'variants tried', 'within 5 % of the best', 'within 1 %', 'the best'], rows);
}

/** `37, after 2.1 s`: number of the variant in the order in which they were tried, and time until it had a figure. */
function when(step: Step | undefined): string {
  if (!step) return '-';
  return step.elapsed === undefined ? `${step.trial}` : `${step.trial}, after ${duration(step.elapsed)}`;
}

function fastestOf({ name, workload, evidence }: Case): string[] {
  const top = fastest(workload).slice(0, topCount);
  const baselines = baselinesOf(workload);
  const chosen = evidence.selection?.choices.find((one) => one.workload === workload.id)?.variant;
  const rows = [...top, ...baselines].map((one) => {
    const cold = coldOf(workload, one.subject);
    return [
      one.kind === 'variant' ? code(one.subject) : one.subject,
      kernelTime(one.median),
      spread(one.mad, one.median),
      cold && one.l2 === 'hot' ? kernelTime(cold.median) : '-',
      one.tflops.toFixed(1),
      bandwidth(workload.bytes, one.median),
      String(evidence.variants[one.subject]?.registers ?? '-'),
      one.subject === chosen ? 'shipped' : remarkOn(one),
    ];
  });
  const titles = ['variant', 'time', '± MAD', 'cold L2', 'TFLOPS', 'GB/s', 'registers', ''];
  const { same, differs } = inCommon(
    top.map(({ subject }) => subject),
    evidence.variants,
  );
  const common = [
    ...(same.length > 0 ? [`- in common: ${same.join(', ')}`] : []),
    ...(differs.length > 0 ? ['- different, with the number of variants:'] : []),
    ...differs.map((one) => `  - ${one}`),
    ...workload.untimed
      .filter(isBaseline(evidence))
      .map(({ subject, message }) => `- ${subject}: ${message}`),
  ];
  return section(`### ${name}`, markdownTable(titles, rows), common);
}

/** Remark on what is no variant, and on a figure that was not taken as usual. */
function remarkOn({ kind, stoppedEarly, graph }: EvidenceMeasurement): string {
  return [
    ...(kind === 'baseline' ? ['baseline'] : []),
    ...(graph === false ? ['without a CUDA graph'] : stoppedEarly ? ['timed briefly'] : []),
  ].join(', ');
}

function isBaseline({ family }: RunEvidence) {
  const prefix = `${family.replaceAll('-', '_')}.`;
  return ({ subject }: { readonly subject: string }) => !subject.startsWith(prefix);
}

function runSection(evidence: RunEvidence, number: string): string[] {
  const { environment, funnel, seconds, rejected } = evidence;
  const gpu = environment?.gpu;
  const several = environment?.gpus ? `${environment.gpus.length} x ` : '';
  const rows = [
    ['command', code(evidence.command)],
    ['commit', evidence.commit ?? 'not recorded'],
    ['run', `${evidence.run}, ${evidence.date}`],
    ['architecture', evidence.arch],
    ...(gpu
      ? [['GPU', `${several}${gpu.name}, ${gpu.smCount} SMs, up to ${gpu.maxSmClock} MHz${clocks(evidence)}`]]
      : []),
    ...(gpu ? [['driver, runtime', `${gpu.driver}, CUDA ${gpu.runtime}`]] : []),
    ...(environment ? [['compilers', `nvcc ${environment.nvcc ?? '-'}, g++ ${environment.cxx ?? '-'}`]] : []),
    ...(environment
      ? [['host', `${environment.host.cores} cores, ${environment.host.cpu}, Node ${environment.host.node}`]]
      : []),
    ['depth of the gate', depthOf(evidence)],
    ['funnel', funnelLine(funnel)],
    ['verdicts', list(evidence.verdicts)],
    ...(evidence.gate ?? []).map((gate) => [`gate on ${gate.device}`, gateLine(gate)]),
    [
      'seconds',
      Object.entries(seconds)
        .map(([stage, spent]) => `${stage} ${duration(spent)}`)
        .join(', ') || '-',
    ],
    ['variants per minute', String(evidence.variantsPerMinute ?? '-')],
    ...(Object.keys(rejected).length > 0 ? [['points ruled out by', list(rejected)]] : []),
  ];
  return section(`## Run${number}`, markdownTable(['', ''], rows, 'left'), failures(evidence));
}

function gateLine({ variants, passed, cases, maxErrorOverBound, vendor }: EvidenceGate): string {
  const libraries = Object.entries(vendor).map(([name, { agreed, disagrees }]) => {
    const wrong = disagrees.length > 0 ? `, wrong itself in ${disagrees.join(', ')}` : '';
    return `; ${name} agrees in ${grouped(agreed)}${wrong}`;
  });
  const passes = `${grouped(passed)} of ${grouped(variants)} pass`;
  return `${passes}, ${grouped(cases)} cases, error / bound up to ${maxErrorOverBound.toFixed(3)}${libraries.join('')}`;
}

/** SM clocks while samples were taken. */
function clocks({ workloads }: RunEvidence): string {
  const seen = workloads.flatMap(({ measurements }) =>
    measurements.flatMap(({ meanSmClock }) => meanSmClock ?? []),
  );
  if (seen.length === 0) return '';
  const [low, high] = seen.reduce(([a, b], clock) => [Math.min(a, clock), Math.max(b, clock)], [Infinity, 0]);
  return ` (${low} to ${high} MHz while samples were taken)`;
}

function funnelLine(funnel: RunEvidence['funnel']): string {
  const steps = ['points', 'legal', 'rendered', 'compiled', 'passed', 'timed'] as const;
  return steps.map((step) => `${grouped(funnel[step])} ${step}`).join(' → ');
}

function list(counts: Readonly<Partial<Record<string, number>>>): string {
  const entries = Object.entries(counts)
    .filter(([, count = 0]) => count > 0)
    .sort(([, a = 0], [, b = 0]) => b - a);
  return entries.map(([name, count = 0]) => `${grouped(count)} ${name}`).join(', ') || '-';
}

function failures({ failures }: RunEvidence): string[] {
  if (failures.length === 0) return [];
  const lines = failures
    .slice(0, failuresShown)
    .map(
      ({ variant, verdict, case: id, message }) =>
        `- ${code(variant)}: **${verdict}**${id === undefined ? '' : ` in ${code(id)}`}, ${brief(message, variant)}`,
    );
  const more = failures.length - failuresShown;
  return [
    `${plural(failures.length, 'variant')} failed:`,
    '',
    ...lines,
    ...(more > 0 ? [`- and ${grouped(more)} more in the evidence file`] : []),
  ];
}
