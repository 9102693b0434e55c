// SearchSpace -> Variant[] -> Source -> Artifact -> Verdict -> Measurement -> Selection -> Library
//  family.ts     space/       render/   compile/    gate/      measure/       select/      emit/
import type { DeviceSession } from './device/session.ts';
import { emitLibrary } from './emit/emit.ts';
import { evaluate, type Passed } from './evaluate.ts';
import { Line } from './line.ts';
import { measureWorkload } from './measure/measure.ts';
import type { Artifact } from './model/artifact.ts';
import type { Summary } from './model/event.ts';
import { isCandidate } from './model/family.ts';
import type { Selection } from './model/selection.ts';
import type { Strategy } from './model/strategy.ts';
import type { Workload } from './model/workload.ts';
import { mustLint } from './render/lint.ts';
import { type Host, type Request, workloadsOf } from './request.ts';
import { selectPassed } from './select/passed.ts';
import { alone, enumerateInTurns, whyEmpty } from './space/enumerate.ts';
import { exhaustive } from './strategy/exhaustive.ts';
import { mapLimit } from './util/limit.ts';

/** Takes a search space through the stages that are asked for and says what came of it. */
export async function runPipeline(request: Request, host: Host): Promise<Summary> {
  const { family, folder, only, space } = request;
  const line = new Line(request, host);
  try {
    const { variants, ...counts } = only
      ? alone(only.variant)
      : await enumerateInTurns(family, space, line.nowAndThen(), host.signal);
    line.emit({ event: 'space', ...counts, variants: variants.length });
    if (variants.length === 0) return line.finishEmpty(counts, whyEmpty(family, space, counts));
    mustLint(family, folder, variants);
    await line.begin();
    const passed = await search(exhaustive(variants), variants.length, line);
    const selection = line.does('select') && passed.length > 0 ? choose(passed, line) : undefined;
    const library = selection && line.does('emit') ? await emit(selection, passed, line) : null;
    return await line.finish(counts, library);
  } finally {
    await line.close();
  }
}

/** Looks at what the strategy asks for, round by round, until it asks for no more or has had `most`. */
async function search(strategy: Strategy, most: number, line: Line): Promise<Passed[]> {
  const found: Passed[] = [];
  for (let left = most; left > 0; ) {
    const asked = strategy.ask(left);
    if (asked.length === 0) break;
    left -= asked.length;
    const judged = await mapLimit(asked, await line.lanes(), (variant) => evaluate(variant, line));
    const passed = judged.filter((one) => one !== undefined);
    if (line.does('time')) await time(passed, line);
    strategy.tell(line.recorder.resultsOf(asked));
    found.push(...passed);
  }
  return found;
}

/** Times what passed where a clock means something. GPUs share the workloads; all that is compared on one is timed on one GPU. */
async function time(passed: readonly Passed[], line: Line): Promise<void> {
  const { timer, gpus } = await line.bench();
  if (timer === undefined) return;
  const { family } = line.request;
  const artifacts = passed.flatMap((one) => one.artifacts.filter(({ device }) => device === timer));
  await mapLimit(workloadsOf(line.request), gpus.length, async (workload) => {
    const able = artifacts.filter(({ source }) => isCandidate(family, source.variant.parameters, workload));
    if (able.length === 0 || line.recorder.isTimed(workload.id, able)) return;
    await line.use(timer, (session) =>
      line.watch.measure('time', () => timeOn(session, workload, able, line)),
    );
  });
}

async function timeOn(session: DeviceSession, workload: Workload, able: readonly Artifact[], line: Line) {
  line.note(`timing ${able.length} variants on ${workload.id}${session.gpu ? ` (${session.gpu})` : ''}`);
  line.timed(await measureWorkload(session, workload, able, line.checksOf(workload, able.length)));
}

function choose(passed: readonly Passed[], line: Line): Selection {
  const { request } = line;
  const options = { ...request, workloads: workloadsOf(request), remark: (text: string) => line.note(text) };
  const selection = selectPassed(request.family, passed, line.recorder.measurements(), options);
  line.host.run.writeJson('selection.json', selection);
  return selection;
}

async function emit(selection: Selection, passed: readonly Passed[], line: Line): Promise<string> {
  const artifacts = passed.flatMap((one) => one.artifacts);
  const request = await line.libraryRequest(selection, artifacts);
  return (await line.watch.measure('emit', () => emitLibrary(request))).path;
}
