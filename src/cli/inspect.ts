import { existsSync } from 'node:fs';
import type { Config } from '../config.ts';
import { type DiscoveredFamily, loadFamilies, loadFamily } from '../discover.ts';
import { UsageError } from '../errors.ts';
import type { Arch } from '../model/arch.ts';
import type { JournalRecord } from '../model/event.ts';
import type { AnyFamily } from '../model/family.ts';
import type { Source } from '../model/variant.ts';
import { mustLint } from '../render/lint.ts';
import { renderVariant } from '../render/render.ts';
import { fold, kernelTime, plural, shortPath } from '../report/format.ts';
import { Progress } from '../report/progress.ts';
import { lastVerdicts } from '../report/records.ts';
import { foldAt, paintFor } from '../report/style.ts';
import { enumerateInTurns } from '../space/enumerate.ts';
import { explain } from '../space/explain.ts';
import { pointOfId } from '../space/id.ts';
import { variantOf } from '../space/variant.ts';
import { listRuns, openIfReadable, type Run } from '../store/run.ts';
import { grouped } from '../util/grouped.ts';
import { atMostEvery } from '../util/throttle.ts';
import { asCalled, inCalledWords } from './called.ts';
import { exitCode } from './exit.ts';
import type { Options } from './options.ts';
import { printLine, remark } from './output.ts';
import { archFor, configOf, refuse, runsRoot, spaceOf } from './prepare.ts';

const secondsBetweenNotes = 2;

/** `gen list`: the families, or the variants of one. */
export async function list(familyName: string | undefined, options: Options): Promise<number> {
  if (familyName === undefined)
    refuse(
      options,
      ['preset', 'where', 'limit', 'arch'],
      'is about the variants of a family: name the family',
    );
  const config = await configOf(options);
  const places = { families: config.families };
  if (familyName === undefined) {
    const families = await loadFamilies(places);
    for (const { family, folder } of families) listFamily(family, folder, options);
    return exitCode.done;
  }
  const { family } = await loadFamily(familyName, places);
  const arch = await archFor(options, config);
  const space = { arch, ...spaceOf(family, options) };
  const progress = options.quiet ? undefined : new Progress(inCalledWords(process.stderr), false);
  const tell = atMostEvery(secondsBetweenNotes, (message: string) =>
    progress?.handle({ event: 'note', message, passing: true }),
  );
  const { variants } = await enumerateInTurns(family, space, tell);
  progress?.clear();
  for (const { id, parameters } of variants) {
    printLine(options.json ? JSON.stringify({ event: 'variant', variant: id, parameters }) : id);
  }
  return exitCode.done;
}

/** Prints a line; where a terminal breaks it, what follows is indented by so many columns. */
function say(line: string, indent = 0): void {
  const width = foldAt(process.stdout);
  printLine(fold(line, width, indent));
}

function listFamily(family: AnyFamily, folder: string, options: Options): void {
  const { name, summary } = family;
  const presets = Object.keys(family.presets);
  if (options.json) printLine(JSON.stringify({ event: 'family', family: name, summary, presets, folder }));
  else {
    say(`${name}  ${summary}`, 2);
    say(`  presets: ${presets.join(', ')}`, 4);
    say(`  ${shortPath(folder)}`, 4);
  }
}

/** `gen show`: a family's parameters, constraints and presets, or one variant with what is known of it. */
export async function show(familyName: string, id: string | undefined, options: Options): Promise<number> {
  const config = await configOf(options);
  const discovered = await loadFamily(familyName, { families: config.families });
  if (id === undefined) showFamily(discovered.family, options);
  else showVariant(discovered, id, await archFor(options, config), config, options);
  return exitCode.done;
}

/** The newest run that has judged this very source: not an edited copy of it, nor what its template gave before. */
function runThatKnows({ variant, hash }: Source, root: string): Run | undefined {
  const holds = (record: JournalRecord) =>
    (record.event === 'artifact' && record.source === hash) ||
    (record.event === 'verdict' && record.key === hash);
  for (const id of listRuns(root, variant.family)) {
    const run = openIfReadable(root, id, remark);
    if (run?.recordsOf(variant.id).some(holds)) return run;
    run?.close();
  }
  return undefined;
}

function showFamily(family: AnyFamily, options: Options): void {
  const { name, summary, parameters, constraints, presets, workloads, comparisons = [] } = family;
  if (options.json) {
    const rules = constraints.map(({ name, doc, on }) => ({ name, doc, on }));
    printLine(
      JSON.stringify({
        event: 'family',
        family: name,
        summary,
        parameters,
        constraints: rules,
        workloads,
        comparisons,
      }),
    );
    return;
  }
  const strong = (text: string) => paintFor(process.stdout)('strong', text);
  say(`${strong(name)}  ${summary}`, 2);
  say(`\n${strong('parameters')}`);
  for (const [parameter, { doc, values, label }] of Object.entries(parameters)) {
    say(`  ${parameter}${label ? ` (${label})` : ''}: ${values.join(', ')}`, 4);
    say(`    ${doc}`, 4);
  }
  say(`\n${strong('constraints')}`);
  for (const { name: constraint, doc } of constraints) {
    say(`  ${constraint}`);
    say(`    ${doc}`, 4);
  }
  say(`\n${strong('presets')}`);
  for (const [preset, { doc }] of Object.entries(presets)) say(`  ${preset}: ${doc}`, 4);
  say(`\n${strong('workloads')}`);
  for (const { id, problem } of workloads) {
    say(`  ${id}`);
    say(`    ${JSON.stringify(problem).replaceAll(/([:,])(?=")/g, '$1 ')}`, 4);
  }
  if (comparisons.length > 0)
    say(
      `\n${plural(comparisons.length, 'workload')} more beside siblings, which presets name: --json lists them`,
    );
}

/** The times that the family ships of this very source, with their origin. */
function recordsOf({ variant, hash }: Source, { wisdom }: DiscoveredFamily) {
  return wisdom.flatMap(({ records, runs }) => {
    const own = records.filter((record) => record.variant === variant.id && record.source === hash);
    return runs.flatMap((run) =>
      own
        .filter((record) => record.run === run.id)
        .map(({ workload, median, tflops }) => ({ workload, median, tflops, run })),
    );
  });
}

function showVariant(
  discovered: DiscoveredFamily,
  id: string,
  arch: Arch,
  config: Config,
  options: Options,
): void {
  const { family, folder } = discovered;
  const variant = variantOf(family, pointOfId(family, id), arch);
  mustLint(family, folder, [variant]);
  const rendered = renderVariant(family, folder, variant, config.out);
  const source = rendered.path;
  const run = runThatKnows(rendered, runsRoot(config));
  const known = run?.recordsOf(id);
  const verdict = known && lastVerdicts(known).get(id);
  const measurements = known?.filter(({ event }) => event === 'measurement');
  const wisdom = recordsOf(rendered, discovered);
  if (options.json) {
    printLine(JSON.stringify({ event: 'variant', ...variant, source, verdict, measurements, wisdom }));
    return;
  }
  say(id);
  for (const name of variant.active ?? Object.keys(variant.parameters))
    printLine(`  ${name} = ${variant.parameters[name]}`);
  for (const [name, value] of Object.entries(variant.derived)) printLine(`  ${name} = ${value} (derived)`);
  const { threads, sharedBytes } = variant.budget;
  printLine(`  ${threads} threads, ${grouped(sharedBytes)} bytes of shared memory`);
  if (existsSync(source)) printLine(`source  ${shortPath(source)}`);
  if (run && verdict) {
    say(`verdict ${verdict.verdict} (${verdict.device}, run ${run.id}): ${verdict.evidence.message}`, 8);
    if (verdict.evidence.reproduce) printLine(asCalled(`        $ ${verdict.evidence.reproduce}`));
  }
  for (const { workload, median, tflops, run } of wisdom) {
    const time = `${kernelTime(median)}, ${tflops.toFixed(1)} TFLOPS`;
    const commit = run.commit ? `, commit ${run.commit}` : '';
    const origin = `${run.gpu}, ${run.date.slice(0, 10)}${commit} (run ${run.id})`;
    say(`wisdom  fastest on ${workload}: ${time} on ${origin}`, 8);
  }
}

const marks = { true: 'holds', false: 'BROKEN', undefined: 'open' } as const;

/** `gen why`: which constraint rules a point out. Exit code 1 where one does. */
export async function why(familyName: string, point: string | undefined, options: Options): Promise<number> {
  const config = await configOf(options);
  const { family } = await loadFamily(familyName, { families: config.families });
  if (point === undefined) {
    throw new UsageError(
      `gen why needs a point of ${family.name}: the id of a variant, or values, e.g. block=64; \`npx gen show ${family.name}\` lists them`,
    );
  }
  const arch = await archFor(options, config);
  const explanation = explain(family, point, arch);
  if (options.json) printLine(JSON.stringify({ event: 'explanation', family: family.name, ...explanation }));
  else print(explanation);
  return explanation.legal === false ? exitCode.no : exitCode.done;
}

function print({ id, legal, verdicts, missing, inactive }: ReturnType<typeof explain>): void {
  const paint = paintFor(process.stdout);
  // Faults come last, where the eye is when the screen is full.
  const sorted = [...verdicts].sort((a, b) => Number(a.holds === false) - Number(b.holds === false));
  for (const { constraint, doc, holds, reads } of sorted) {
    const values = Object.entries(reads).map(([name, value]) => `${name}=${value ?? '?'}`);
    const mark = marks[`${holds}`].padEnd(7);
    say(`${holds === false ? paint('bad', mark) : mark} ${constraint}: ${doc}`, 8);
    if (holds === false && values.length > 0) say(`        ${values.join(' ')}`, 8);
  }
  for (const { parameter, values } of missing) say(`open    ${parameter}: one of ${values.join(', ')}`, 8);
  if (inactive.length > 0) say(`does not matter here: ${inactive.join(', ')}`, 8);
  const words = { true: 'legal', false: 'ruled out', undefined: 'not settled' } as const;
  printLine(`${words[`${legal}`]}${id === undefined ? '' : `: ${id}`}`);
}
