import { join } from 'node:path';
import { EnvironmentError } from '../errors.ts';
import { localExecutor } from '../exec/local.ts';
import type { Event, Summary } from '../model/event.ts';
import { selectionSchema } from '../model/selection.ts';
import { runPipeline } from '../pipeline.ts';
import { finalReport } from '../report/final.ts';
import { plural, shortPath } from '../report/format.ts';
import { Progress } from '../report/progress.ts';
import { flagText } from '../util/shell.ts';
import { asCalled, inCalledWords } from './called.ts';
import { exitCode } from './exit.ts';
import { onInterrupt } from './interrupt.ts';
import type { Options } from './options.ts';
import { print, printLine } from './output.ts';
import type { Prepared } from './prepare.ts';

/** Runs what was prepared, shows it, and says the exit code: 0; where nothing passed 1, or 2 if the machine is at fault. */
export async function execute({ request, run, resumed }: Prepared, options: Options): Promise<number> {
  const gates = request.stages.has('gate');
  const progress = options.quiet ? undefined : new Progress(inCalledWords(process.stderr), gates);
  const show = (event: Event) => {
    if (options.json) printLine(JSON.stringify(event));
    progress?.handle(event);
  };
  const { preset, where } = request.space;
  const space = { ...(preset !== undefined && { preset }), ...(where !== undefined && { where }) };
  show({
    event: 'start',
    run: run.path,
    family: request.family.name,
    arch: request.arch.name,
    ...space,
    resumed,
  });
  const { arch: _, ...settings } = request.settings; // a resumed run keeps its arch
  const same = flagText(settings);
  const later = !request.stages.has('render'); // such a command stands on what a run has done before
  const goOn = later
    ? 'the same command goes on'
    : `go on with: npx gen sweep ${request.family.name} --resume ${run.id}${same}`;
  const interrupt = onInterrupt();
  try {
    const host = {
      executor: localExecutor,
      environment: process.env,
      run,
      send: show,
      signal: interrupt.signal,
    };
    const summary = await Promise.race([runPipeline(request, host), interrupt.happened]);
    if (!options.json) print(asCalled(pageOf(summary, run) + sourcesOf(request)));
    const code = codeOf(summary, request);
    const { machine } = summary.verdicts;
    if (machine && !later)
      progress?.line(`${plural(machine, 'variant')} not judged, which is this machine's fault; ${goOn}`);
    if (later && code === exitCode.no && summary.funnel.legal > 0)
      progress?.line(`nothing has passed in this run; gate it: npx gen sweep --resume ${run.id}${same}`);
    return code;
  } catch (error) {
    const kept = run.records().some(({ event }) => event === 'artifact' || event === 'verdict');
    if (!interrupt.signal.aborted) {
      if (kept && !later && error instanceof EnvironmentError)
        progress?.line(`what was done is kept; ${goOn}`);
      throw error;
    }
    progress?.line(`stopped; ${goOn}`);
    if (options.json) show({ event: 'error', kind: 'interrupted', message: `stopped; ${goOn}` });
    return exitCode.interrupted;
  } finally {
    progress?.clear();
    interrupt.release();
    run.close();
  }
}

function pageOf(summary: Summary, run: Prepared['run']): string {
  const selection = run.readJson('selection.json', selectionSchema);
  return finalReport({ summary, records: run.records(), ...(selection && { selection }) }, process.stdout);
}

/** Folder of the rendered sources, for the last lines of `gen render`. */
function sourcesOf({ stages, out, family }: Prepared['request']): string {
  return stages.has('build') ? '' : `sources  ${shortPath(join(out, 'sources', family.name))}\n`;
}

function codeOf(summary: Summary, { stages }: Prepared['request']): number {
  const { legal, passed, compiled } = summary.funnel;
  if (legal === 0) return exitCode.no;
  const failed = Object.entries(summary.verdicts).some(([name, count]) => name !== 'passed' && count > 0);
  const needsPassed = (['gate', 'time', 'select', 'emit'] as const).some((stage) => stages.has(stage));
  const nothing = needsPassed ? passed === 0 : failed && compiled === 0;
  if (!nothing) return exitCode.done;
  return summary.verdicts.machine ? exitCode.couldNotRun : exitCode.no;
}
