import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { z } from 'zod';
import { loadFamily } from '../discover.ts';
import { UsageError } from '../errors.ts';
import { summaryEventSchema } from '../model/event.ts';
import { type RunEvidence, runEvidenceSchema } from '../model/evidence.ts';
import { type AnyFamily, allWorkloads } from '../model/family.ts';
import { type Rival, rivalSchema } from '../model/rival.ts';
import { selectionSchema } from '../model/selection.ts';
import type { Workload } from '../model/workload.ts';
import { systemsPlot } from '../report/bars.ts';
import { comparedCases } from '../report/compared.ts';
import { evidenceOf, type FamilyFacts } from '../report/evidence.ts';
import { casesOf } from '../report/headline.ts';
import { jsonText } from '../report/json-text.ts';
import { resultsPage } from '../report/page.ts';
import { searchPlot } from '../report/plot.ts';
import { enough, siblingsOf, siblingsPage } from '../report/siblings.ts';
import { commonSubject, leftOut, wisdomOf, withoutOverlapping } from '../report/wisdom.ts';
import { activeValues, findPoint, pointOfId } from '../space/id.ts';
import { findRun, openRun, type Run } from '../store/run.ts';
import { makeFolder, onDisk, rewriteFile } from '../util/disk.ts';
import { parseJson } from '../util/json.ts';
import { writeCosts } from './costs.ts';
import { exitCode } from './exit.ts';
import { furtherWorkloads } from './matrix-workloads.ts';
import { mutationPages } from './mutation-pages.ts';
import { print, remark } from './output.ts';
import { configOf, runsRoot } from './prepare.ts';
import { sourcesOfToday } from './sources-of-today.ts';
import { writeTimings } from './timings.ts';

/** Options of `gen report`. */
export interface ReportOptions {
  readonly out?: string;
  readonly config?: string;
  /** Evidence files to report on instead of a run. */
  readonly from?: readonly string[];
  /** Files of times of other systems beside ours, by `bench/compare.py`. */
  readonly rival?: readonly string[];
  readonly evidence?: string;
  readonly markdown?: string;
  readonly wisdom?: string;
  readonly timings?: string;
  readonly costs?: string;
  /** Whether to print workloads beside their siblings instead of the page. */
  readonly siblings?: boolean;
  /** Files of results of `gen mutate` to report on instead. */
  readonly mutants?: readonly string[];
  /** With `mutants`: a file with one line for each. */
  readonly table?: string;
}

/** `gen report`: a run as an evidence file, and runs or evidence files as a page of Markdown. */
export async function report(run: string | undefined, options: ReportOptions): Promise<number> {
  if (options.mutants) return mutationPages(options.mutants, options);
  if (options.table !== undefined)
    throw new UsageError('--table is about mutants: name their files with --mutants');
  if (options.from && (run !== undefined || options.evidence !== undefined)) {
    throw new UsageError('--from reads evidence files: name no run and no --evidence beside it');
  }
  const evidences = options.from ? options.from.map(readEvidence) : [await evidenceOfRun(run, options)];
  if (options.evidence !== undefined) write(options.evidence, `${jsonText(evidences[0])}\n`, '--evidence');
  if (options.wisdom !== undefined) await writeWisdom(options.wisdom, evidences, options);
  if (options.timings !== undefined) await writeTimings(options.timings, evidences);
  if (options.costs !== undefined) await writeCosts(options.costs, evidences, options);
  if (options.siblings) return printSiblings(evidences, options);
  const rivals = (options.rival ?? []).map(readRival);
  if (options.markdown !== undefined) writePage(options.markdown, evidences, rivals);
  else if (![options.evidence, options.wisdom, options.timings, options.costs].some((file) => file))
    print(resultsPage(evidences, rivals));
  return exitCode.done;
}

/** The family's comparisons as Markdown on stdout. Exit code 1 where one is below its share or not timed. */
async function printSiblings(evidences: readonly RunEvidence[], options: ReportOptions): Promise<number> {
  const { families } = await configOf({ ...options, install: false });
  const { family } = await loadFamily(commonSubject(evidences).family, { families });
  const { comparisons = [] } = family;
  if (comparisons.length === 0)
    throw new UsageError(`${family.name} lists no workloads beside others: \`comparisons\` in its family.ts`);
  const siblings = siblingsOf(evidences, comparisons);
  print(siblingsPage(siblings));
  return enough(siblings) ? exitCode.done : exitCode.no;
}

/** Times count of what the family renders today, or of what has its machine code, where its launches do not overlap. */
async function writeWisdom(
  file: string,
  evidences: readonly RunEvidence[],
  options: ReportOptions,
): Promise<void> {
  const { families } = await configOf({ ...options, install: false });
  const { family: name, arch } = commonSubject(evidences);
  const discovered = await loadFamily(name, { families });
  const { family } = discovered;
  const holds = sourcesOfToday(discovered, arch);
  const overlaps = (variant: string) => {
    const point = findPoint(family, variant);
    return point !== undefined && (family.overlapsLaunches?.(point) ?? false);
  };
  const shared = evidences.map((one) => withoutOverlapping(withoutFiles(one, family), overlaps));
  for (const sentence of leftOut(shared, holds)) remark(sentence);
  const comparisons = new Set((family.comparisons ?? []).map(({ id }) => id));
  write(file, `${jsonText(wisdomOf(shared, holds, comparisons))}\n`, '--wisdom');
}

/** The evidence without workloads on files, which others do not have. */
function withoutFiles(evidence: RunEvidence, family: AnyFamily): RunEvidence {
  const known = new Set(allWorkloads(family).map(({ id }) => id));
  const workloads = evidence.workloads.filter(({ id, problem }) => problem === undefined || known.has(id));
  return { ...evidence, workloads };
}

/** The pictures lie beside the page and have its name. */
function writePage(path: string, evidences: readonly RunEvidence[], rivals: readonly Rival[]): void {
  const cases = casesOf(evidences);
  const base = path.replace(/\.md$/, '');
  const picture = (suffix: string, svg: string | undefined) => {
    if (svg === undefined) return undefined;
    write(`${base}${suffix}.svg`, svg, '--markdown');
    return basename(`${base}${suffix}.svg`);
  };
  const search = picture('', searchPlot(cases));
  const systems = picture('-systems', systemsPlot(comparedCases(rivals), cases));
  write(
    path,
    resultsPage(evidences, rivals, { ...(search && { search }), ...(systems && { systems }) }),
    '--markdown',
  );
}

async function evidenceOfRun(id: string | undefined, options: ReportOptions): Promise<RunEvidence> {
  const config = await configOf({ ...options, install: false });
  const run = id === undefined ? newestRun(runsRoot(config)) : openRun(runsRoot(config), id);
  try {
    const { family } = await loadFamily(run.info.family, { families: config.families });
    const summary = run.readJson('summary.json', summaryEventSchema);
    const selection = run.readJson('selection.json', selectionSchema);
    const files = { info: run.info, records: run.records() };
    return evidenceOf(
      { ...files, ...(summary && { summary }), ...(selection && { selection }) },
      factsOf(family, furtherWorkloads(run)),
    );
  } finally {
    run.close();
  }
}

/** The newest run that judged variants and came to its end; where none did, the newest, and that is said. */
function newestRun(root: string): Run {
  const judged = (run: Run) => run.records().some(({ event }) => event === 'verdict');
  const ended = (run: Run) => run.readJson('summary.json', summaryEventSchema) !== undefined;
  const newest = findRun(root, judged, remark) ?? openRun(root);
  if (ended(newest)) return newest;
  const run = findRun(root, (one) => judged(one) && ended(one));
  if (!run) {
    remark(`${newest.id} did not end: reporting what it has`);
    return newest;
  }
  remark(`${newest.id} did not end: reporting ${run.id} instead`);
  newest.close();
  return run;
}

function factsOf(family: AnyFamily, further: readonly Workload[]): FamilyFacts {
  const pointOf = (id: string) => pointOfId(family, id);
  return {
    workloads: [...allWorkloads(family), ...further],
    point: pointOf,
    path: (id) => family.template(pointOf(id)).replace(/\.cu\.hbs$/, ''),
    parameters: (id) => activeValues(family, pointOf(id)),
    arithmetic: family.arithmetic.bind(family),
    ...(family.l2Bytes && { l2Bytes: family.l2Bytes.bind(family) }),
  };
}

function readEvidence(path: string): RunEvidence {
  return readAs(path, runEvidenceSchema, 'evidence file', '`npx gen report <run> --evidence <file>`');
}

function readRival(path: string): Rival {
  return readAs(path, rivalSchema, "file of rivals' times", 'bench/compare.py --out <file>');
}

/** Throws a UsageError that says what the file is not, and what writes one that is. */
function readAs<T>(path: string, schema: z.ZodType<T>, what: string, writer: string): T {
  if (!existsSync(path)) throw new UsageError(`there is no ${what} ${path}; ${writer} writes one`);
  const json = parseJson(onDisk(`read ${path}`, () => readFileSync(path, 'utf8')));
  if (json === undefined) throw new UsageError(`${path} is no JSON (cut short?): copy it again`);
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new UsageError(`${path} is no ${what}: ${z.prettifyError(parsed.error)}\n  ${writer} writes one`);
}

/** `flag`: what named the file. */
function write(path: string, text: string, flag: string): void {
  const put = () => {
    makeFolder(dirname(path));
    rewriteFile(path, text);
  };
  onDisk(`write ${path}`, put, `name another file with ${flag}`);
  remark(`wrote ${path}`);
}
