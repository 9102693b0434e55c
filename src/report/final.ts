import type { JournalRecord, Summary } from '../model/event.ts';
import type { Measurement } from '../model/measurement.ts';
import type { Selection } from '../model/selection.ts';
import { verdictNames } from '../model/verdict.ts';
import { grouped } from '../util/grouped.ts';
import {
  bandwidth,
  brief,
  duration,
  fold,
  kernelTime,
  plural,
  ratio,
  shortPath,
  together,
} from './format.ts';
import { cubinsOf, lastVerdicts, recordsOf } from './records.ts';
import { foldAt, type Output, type Paint, paintFor, widthOf } from './style.ts';
import { type Column, table } from './table.ts';

/** Contents of the final page. */
export interface Outcome {
  readonly summary: Summary;
  readonly records: readonly JournalRecord[];
  readonly selection?: Selection;
}

const rowsPerWorkload = 5;
const rowsUntimed = 20;
const failuresShown = 5;
const leftOutShown = 3;

/** The result of a run as a page of text: times or why there are none, the funnel, the failures, where things lie. */
export function finalReport(outcome: Outcome, output: Output): string {
  const paint = paintFor(output);
  const width = widthOf(output);
  const { summary } = outcome;
  const sections = [
    summary.funnel.timed > 0 ? timedTables(outcome, paint, width) : untimedTable(outcome, paint, width),
    lessAccurate(outcome, width),
    failures(outcome, paint, width),
    funnel(summary, paint, foldAt(output)),
    places(outcome, paint, foldAt(output)),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function timedTables({ records, selection }: Outcome, paint: Paint, width: number): string[] {
  const measured = recordsOf(records, 'measurement');
  const hot = measured.filter(({ l2 }) => l2 === 'hot');
  const workloads = [...new Set(hot.map(({ workload }) => workload))];
  return workloads.flatMap((workload, index) => {
    const here = hot.filter((one) => one.workload === workload && one.rejected === undefined);
    const cold = measured.filter((one) => one.workload === workload && one.l2 === 'cold');
    const choice = selection?.choices.find((one) => one.workload === workload);
    const lines = workloadTable(workload, here, cold, choice?.variant, paint, width);
    return index > 0 ? ['', ...lines] : lines;
  });
}

function workloadTable(
  workload: string,
  hot: readonly Measurement[],
  cold: readonly Measurement[],
  chosen: string | undefined,
  paint: Paint,
  width: number,
): string[] {
  const sorted = hot.toSorted((a, b) => a.median - b.median);
  const baselines = sorted.filter(({ kind }) => kind === 'baseline');
  const best = baselines[0];
  const variants = sorted.filter(({ kind }) => kind === 'variant');
  const columns: Column[] = [
    { title: workload },
    { title: 'hot L2', align: 'right' },
    { title: '+-', align: 'right', optional: 2 },
    { title: 'cold L2', align: 'right', optional: 1 },
    { title: 'TFLOPS', align: 'right' },
    { title: 'GB/s', align: 'right', optional: 3 },
    { title: best ? `vs ${best.subject}` : 'vs baseline', align: 'right' },
    { title: '' },
  ];
  const rows = [...variants.slice(0, rowsPerWorkload), ...baselines].map((one) => [
    one.kind === 'variant' ? one.subject : paint('faint', one.subject),
    kernelTime(one.median),
    `${((100 * one.mad) / one.median).toFixed(1)}%`,
    timeOf(cold, one.subject),
    one.tflops.toFixed(1),
    bandwidth(one.bytes, one.median),
    ratio(best?.median, one.median),
    remarkOn(one, chosen, paint),
  ]);
  const more = variants.length - rowsPerWorkload;
  return [
    ...table(columns, rows, width),
    ...(more > 0 ? [paint('faint', `and ${plural(more, 'slower variant')}`)] : []),
  ];
}

/** The last cell of a row: what is shipped, and what is no variant. */
function remarkOn({ kind, subject }: Measurement, chosen: string | undefined, paint: Paint): string {
  if (kind === 'baseline') return paint('faint', 'baseline');
  return subject === chosen ? paint('good', 'shipped') : '';
}

function timeOf(measured: readonly Measurement[], subject: string): string {
  const found = measured.find((one) => one.subject === subject);
  return found ? kernelTime(found.median) : '-';
}

function untimedTable({ records, summary, selection }: Outcome, paint: Paint, width: number): string[] {
  const passed = [...lastVerdicts(records).values()].filter(({ verdict }) => verdict === 'passed');
  const columns: Column[] = [
    { title: 'passed variant' },
    { title: 'error/bound', align: 'right' },
    { title: 'cases', align: 'right', optional: 2 },
    { title: 'regs', align: 'right', optional: 1 },
    { title: 'gate', align: 'right', optional: 3 },
    { title: '' },
  ];
  const shipped = new Set(selection?.variants);
  const cubins = cubinsOf(records);
  const rows = passed
    .toSorted((a, b) => Number(shipped.has(b.variant)) - Number(shipped.has(a.variant)))
    .map((one) => [
      one.variant,
      one.evidence.maxErrorOverBound?.toFixed(3) ?? '-',
      String(one.evidence.cases ?? '-'),
      String(cubins.get(one.variant)?.registers ?? '-'),
      one.evidence.seconds === undefined ? '-' : duration(one.evidence.seconds),
      shipped.has(one.variant) ? paint('good', 'shipped') : '',
    ]);
  if (rows.length === 0) return [];
  const more = rows.length - rowsUntimed;
  const why =
    summary.untimed === undefined ? [] : [paint('warn', fold(`No times: ${summary.untimed}.`, width))];
  return [
    ...table(columns, rows.slice(0, rowsUntimed), width),
    ...(more > 0 ? [paint('faint', `and ${more} more`)] : []),
    ...why,
  ];
}

/** Variants that would have been chosen if accuracy did not count. */
function lessAccurate({ selection }: Outcome, width: number): string[] {
  return (selection?.choices ?? []).flatMap(({ workload, variant, accuracy, lessAccurate: worse }) => {
    if (!worse) return [];
    const time = worse.median === undefined ? '' : `, ${kernelTime(worse.median)}`;
    const text = `${workload}: passed over ${worse.variant}${time}: rank ${worse.accuracy} of accuracy, ${variant} has ${accuracy}; --accuracy ${worse.accuracy} allows it`;
    return [fold(text, width, 2)];
  });
}

function failures({ records }: Outcome, paint: Paint, width: number): string[] {
  const failed = [...lastVerdicts(records).values()].filter(({ verdict }) => verdict !== 'passed');
  const names = verdictNames.filter((name) => failed.some(({ verdict }) => verdict === name));
  return names.flatMap((name) => {
    const group = failed.filter(({ verdict }) => verdict === name);
    const lines = group
      .slice(0, failuresShown)
      .flatMap((one) => [
        `  ${one.variant}${one.device === 'none' ? '' : ` (${one.device})`}`,
        fold(`    ${brief(one.evidence.message, one.variant)}`, width, 4),
        ...(one.evidence.reproduce === undefined
          ? []
          : [`    ${paint('faint', `$ ${one.evidence.reproduce}`)}`]),
      ]);
    const more = group.length - failuresShown;
    return [
      `${paint('bad', name)}: ${plural(group.length, 'variant')}`,
      ...lines,
      ...(more > 0 ? [paint('faint', `  and ${more} more in the journal`)] : []),
    ];
  });
}

function funnel({ funnel, verdicts, seconds, cache }: Summary, paint: Paint, width: number): string[] {
  const steps: readonly (readonly [keyof typeof funnel, string])[] = [
    ['points', funnel.points === 1 ? 'point' : 'points'],
    ['legal', 'selected and legal'],
    ['rendered', 'rendered'],
    ['compiled', 'compiled'],
    ['passed', 'passed'],
    ['timed', 'timed'],
  ];
  const counts = steps
    .map(([key, word]) => together(`${grouped(funnel[key])} ${word}`))
    .join(` ${together('-> ')}`);
  const words = Object.entries(verdicts).map(([name, count]) =>
    paint(name === 'passed' ? 'good' : 'bad', together(`${count} ${name}`)),
  );
  const times = Object.entries(seconds)
    .filter(([stage, spent]) => stage !== 'total' && spent >= 0.05)
    .map(([stage, spent]) => together(`${stage} ${duration(spent)}`));
  const built =
    cache.compiled === 0
      ? `compiled nothing: ${plural(cache.hits, 'artifact')} from the cache`
      : `compiled ${plural(cache.compiled, 'artifact')}, ${grouped(cache.hits)} from the cache`;
  const spent = together(duration(seconds.total ?? 0)) + (times.length > 0 ? ` (${times.join(', ')})` : '');
  const line = (name: string, text: string) => fold(`${paint('strong', name.padEnd(7))}  ${text}`, width, 9);
  return [
    line('funnel', counts),
    line('verdict', words.join(', ') || 'none'),
    line('cache', built),
    line('time', spent),
  ];
}

function places({ summary, records, selection }: Outcome, paint: Paint, width: number): string[] {
  const { run, library, prefix } = summary;
  const leftOut = [...lastVerdicts(records).values()].filter(
    ({ variant, verdict }) => verdict === 'passed' && selection?.variants.includes(variant) === false,
  );
  const left = leftOut.length > leftOutShown ? '' : `: ${leftOut.map(({ variant }) => variant).join(', ')}`;
  const without = `without ${plural(leftOut.length, 'variant')} that passed, which no workload needs${left} (leftOut in manifest.json)`;
  return [
    `${paint('strong', 'run    ')}  ${shortPath(run)}`,
    ...(library === null ? [] : [`${paint('strong', 'library')}  ${shortPath(library)}`]),
    ...(library === null || leftOut.length === 0
      ? []
      : [paint('faint', fold(`         ${without}`, width, 9))]),
    ...(prefix === undefined ? [] : [`${paint('strong', 'prefix ')}  ${shortPath(prefix)}`]),
  ];
}
