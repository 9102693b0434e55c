// SearchSpace -> Variant[] -> Source -> Artifact -> Verdict -> Measurement -> Selection -> Library
//  family.ts     space/       render/   compile/    gate/      measure/       select/      emit/
import type { DeviceSession } from './device/session.ts';
import { emitLibrary } from './emit/emit.ts';
import { evaluate, type Passed } from './evaluate.ts';
import { comparisonMeasureOptions, defaultMeasureOptions, measureWorkload } from './measure/measure.ts';
import type { Artifact } from './model/artifact.ts';
import type { Summary } from './model/event.ts';
import { isCandidate } from './model/family.ts';
import type { Selection } from './model/selection.ts';
import type { Strategy } from './model/strategy.ts';
import type { Variant } from './model/variant.ts';
import type { Workload } from './model/workload.ts';
import { mustLint } from './render/lint.ts';
import { writeSignature } from './render/write.ts';
import { guessedOf, type Host, type Request, workloadsOf } from './request.ts';
import { RunContext } from './run-context.ts';
import { selectPassed } from './select/passed.ts';
import { alone, enumerateInTurns, whyEmpty } from './space/enumerate.ts';
import { portableArch } from './space/support.ts';
import { exhaustive } from './strategy/exhaustive.ts';
import { interruptible } from './util/interruptible.ts';
import { mapLimit } from './util/limit.ts';

/** Takes a search space through the stages that are asked for and says what came of it. */
export async function runPipeline(request: Request, host: Host): Promise<Summary> {
  const { family, folder, only, out, space } = request;
  const run = new RunContext(request, host);
  try {
    const { variants, ...counts } = only
      ? alone(only.variant)
      : await enumerateInTurns(family, space, run.nowAndThen(), host.signal);
    run.send({ event: 'space', ...counts, variants: variants.length });
    if (variants.length === 0) return run.finishEmpty(counts, whyEmpty(family, space, counts));
    await interruptible(() => mustLint(family, folder, variants));
    writeSignature(family, out);
    await run.begin();
    const passed = await search(exhaustive(variants), variants.length, run);
    const selection = run.does('select') && passed.length > 0 ? await choose(passed, run) : undefined;
    const library = selection && run.does('emit') ? await emit(selection, passed, run) : null;
    return await run.finish(counts, library);
  } finally {
    await run.close();
  }
}

/** Looks at what the strategy asks for, round by round, until it asks for no more or has had `most`. */
async function search(strategy: Strategy, most: number, run: RunContext): Promise<Passed[]> {
  const found: Passed[] = [];
  for (let left = most; left > 0; ) {
    const asked = strategy.ask(left);
    if (asked.length === 0) break;
    left -= asked.length;
    const judged = await mapLimit(asked, await run.lanes(), (variant) => evaluate(variant, run));
    const passed = judged.filter((one) => one !== undefined);
    if (run.does('time')) await time(passed, run);
    strategy.tell(run.recorder.resultsOf(asked));
    found.push(...passed);
  }
  return found;
}

/** Times what passed where a clock means something. GPUs share the workloads; all that is compared on one is timed on one GPU. */
async function time(passed: readonly Passed[], run: RunContext): Promise<void> {
  const { timer, gpus } = await run.opened();
  if (timer === undefined) return;
  const { family, timed = workloadsOf(run.request) } = run.request;
  const artifacts = passed.flatMap((one) => one.artifacts.filter(({ device }) => device === timer));
  await mapLimit(timed, gpus.length, async (workload) => {
    const able = artifacts.filter(({ source }) => isCandidate(family, source.variant.parameters, workload));
    if (able.length === 0 || run.recorder.isTimed(workload.id, able)) return;
    await run.use(timer, (session) => run.watch.measure('time', () => timeOn(session, workload, able, run)));
  });
}

async function timeOn(
  session: DeviceSession,
  workload: Workload,
  able: readonly Artifact[],
  run: RunContext,
) {
  run.note(`timing ${able.length} variants on ${workload.id}${session.gpu ? ` (${session.gpu})` : ''}`);
  const { family } = run.request;
  const isComparison = family.comparisons?.some(({ id }) => id === workload.id);
  const options = {
    ...(isComparison ? comparisonMeasureOptions : defaultMeasureOptions),
    arithmetic: family.arithmetic(workload),
  };
  const checks = run.checksOf(workload, able.length);
  run.timed(await measureWorkload(session, workload, able, checks, options));
}

async function choose(passed: readonly Passed[], run: RunContext): Promise<Selection> {
  const { request } = run;
  const options = {
    ...request,
    workloads: workloadsOf(request),
    guessed: guessedOf(request),
    remark: (text: string) => run.note(text),
  };
  const measured = run.recorder.measurements();
  const selection = await interruptible(() => selectPassed(request.family, passed, measured, options));
  run.host.run.writeJson('selection.json', selection);
  return selection;
}

async function emit(selection: Selection, passed: readonly Passed[], run: RunContext): Promise<string> {
  const artifacts = passed.flatMap((one) => one.artifacts);
  const { family } = run.request;
  const portable = ({ parameters }: Variant) => portableArch(family, parameters);
  const request = await run.libraryRequest(selection, artifacts, portable);
  return (await run.watch.measure('emit', () => emitLibrary(request))).path;
}
