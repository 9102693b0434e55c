// SearchSpace -> Variant[] -> Source -> Artifact -> Verdict -> Measurement -> Selection -> Library
//  family.ts     space/       render/   compile/    gate/      measure/       select/      emit/
import { type Built, buildVariant } from './compile/variant.ts';
import type { DeviceSession } from './device/session.ts';
import { emitLibrary } from './emit/emit.ts';
import { gateVariant } from './gate/gate.ts';
import { Line } from './line.ts';
import { measureWorkload } from './measure/measure.ts';
import type { Artifact } from './model/artifact.ts';
import type { Summary } from './model/event.ts';
import type { Selection } from './model/selection.ts';
import type { Source, Variant } from './model/variant.ts';
import { mustLint } from './render/lint.ts';
import { renderVariant } from './render/render.ts';
import { writeSource } from './render/write.ts';
import { type Host, type Request, workloadsOf } from './request.ts';
import { selectPassed } from './select/passed.ts';
import { alone, enumerate, whyEmpty } from './space/enumerate.ts';
import { mapLimit } from './util/limit.ts';

/** A variant that passed the gate, with everything that was built of it. */
type Passed = { readonly variant: Variant; readonly artifacts: readonly Artifact[] };

/** Takes a search space through the stages that are asked for and says what came of it. */
export async function runPipeline(request: Request, host: Host): Promise<Summary> {
  const { family, folder, only, space } = request;
  const line = new Line(request, host);
  try {
    const { variants, ...counts } = only ? alone(only.variant) : enumerate(family, space);
    line.emit({ event: 'space', ...counts, variants: variants.length });
    if (variants.length === 0) return line.finishEmpty(counts, whyEmpty(family, space, counts));
    mustLint(family, folder, variants);
    await line.begin();
    const judged = await mapLimit(variants, line.lanes, (variant) => judge(variant, line));
    const passed = judged.filter((one) => one !== undefined);
    if (line.does('time')) await time(passed, line);
    const selection = line.does('select') && passed.length > 0 ? choose(passed, line) : undefined;
    const library = selection && line.does('emit') ? await emit(selection, passed, line) : null;
    return await line.finish(counts, library);
  } finally {
    await line.close();
  }
}

/** Takes one variant as far as it goes: one that fails has a verdict that says why. */
async function judge(variant: Variant, line: Line): Promise<Passed | undefined> {
  const source = await line.watch.measure('render', () => render(variant, line));
  if (!line.does('build')) return undefined;
  const { artifacts, verdict } = await build(source, line);
  for (const artifact of artifacts) line.built(artifact);
  if (verdict) line.judged(variant, verdict, source.hash);
  if (verdict) return undefined;
  const passed = line.does('gate') ? await gate(artifacts, line) : line.recorder.passedBefore(artifacts);
  return passed ? { variant, artifacts } : undefined;
}

function render(variant: Variant, line: Line): Source {
  const { family, folder, only, out } = line.request;
  const source = only?.source ?? renderVariant(family, folder, variant, out);
  if (source !== only?.source) writeSource(source);
  line.recorder.rendered(variant.id);
  return source;
}

async function build(source: Source, line: Line): Promise<Built> {
  const toolchain = await line.toolchain();
  const { arch, device } = line.request;
  return line.watch.measure('compile', () =>
    buildVariant(source, arch, device !== 'cuda', toolchain, line.context),
  );
}

/** Asks every device in turn; the first that objects settles it. What an interrupted run has settled is not asked again, and stands. */
async function gate(artifacts: readonly Artifact[], line: Line): Promise<boolean> {
  const { family } = line.request;
  for (const device of (await line.bench()).devices) {
    const artifact = artifacts.find((one) => one.device === device);
    if (!artifact) throw new Error(`nothing was built for ${device}`);
    const { variant } = artifact.source;
    const ask = (session: DeviceSession) =>
      line.watch.measure('gate', () => gateVariant(session, artifact, family, line.request.gate));
    const verdict = line.recorder.earlier(artifact, line.request.gate) ?? (await line.use(device, ask));
    line.judged(variant, verdict, artifact.key);
    if (verdict.verdict !== 'passed') return false;
  }
  return !line.recorder.objectedBefore(artifacts, line.request.gate);
}

/** Times what passed, on a GPU only: times of the emulated device would be times of this program. */
async function time(passed: readonly Passed[], line: Line): Promise<void> {
  if ((await line.bench()).untimed !== undefined) return;
  const { family } = line.request;
  const cubins = passed.flatMap(({ artifacts }) => artifacts.filter(({ device }) => device === 'cuda'));
  for (const workload of workloadsOf(line.request)) {
    const able = cubins.filter(({ source }) => family.applies(source.variant.parameters, workload));
    if (able.length === 0 || line.recorder.isTimed(workload.id, able)) continue;
    line.note(`timing ${able.length} variants on ${workload.id}`);
    const onCheck = line.checksOf(workload, able.length);
    const measurements = await line.use('cuda', (session) =>
      line.watch.measure('time', () => measureWorkload(session, workload, able, onCheck)),
    );
    line.timed(measurements);
  }
}

function choose(passed: readonly Passed[], line: Line): Selection {
  const { family, wisdom } = line.request;
  const options = { workloads: workloadsOf(line.request), wisdom, remark: (text: string) => line.note(text) };
  const selection = selectPassed(family, passed, line.recorder.measurements(), options);
  line.host.run.writeJson('selection.json', selection);
  return selection;
}

async function emit(selection: Selection, passed: readonly Passed[], line: Line): Promise<string> {
  const request = await line.libraryRequest(
    selection,
    passed.flatMap(({ artifacts }) => artifacts),
  );
  return (await line.watch.measure('emit', () => emitLibrary(request))).path;
}
