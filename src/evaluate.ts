// Variant -> Source -> Artifact -> Verdict: the part of the flow that variants go through side by side.
import { type Built, buildVariant } from './compile/variant.ts';
import type { DeviceSession } from './device/session.ts';
import { gateVariant } from './gate/gate.ts';
import type { Artifact } from './model/artifact.ts';
import type { Source, Variant } from './model/variant.ts';
import { renderVariant } from './render/render.ts';
import { writeSource } from './render/write.ts';
import type { RunContext } from './run-context.ts';

/** A variant that passed the gate, with everything that was built of it. */
export interface Passed {
  readonly variant: Variant;
  readonly artifacts: readonly Artifact[];
}

/** Takes one variant as far as it goes: one that fails has a verdict that says why. */
export async function evaluate(variant: Variant, run: RunContext): Promise<Passed | undefined> {
  const source = await run.watch.measure('render', () => render(variant, run));
  if (!run.does('build')) return undefined;
  const { artifacts, verdict } = await build(source, run);
  for (const artifact of artifacts) run.built(artifact);
  if (verdict) run.judged(variant, verdict, source.hash);
  if (verdict) return undefined;
  const passed = run.does('gate') ? await gate(artifacts, run) : run.recorder.passedBefore(artifacts);
  return passed ? { variant, artifacts } : undefined;
}

function render(variant: Variant, run: RunContext): Source {
  const { family, folder, only, out } = run.request;
  const source = only?.source ?? renderVariant(family, folder, variant, out);
  if (source !== only?.source) writeSource(source);
  run.recorder.rendered(variant.id);
  return source;
}

async function build(source: Source, run: RunContext): Promise<Built> {
  const toolchain = await run.toolchain();
  const { arch, device } = run.request;
  return run.watch.measure('compile', () =>
    buildVariant(source, arch, device.devices, toolchain, run.context),
  );
}

/** Asks every device in turn; the first that objects settles it. What an interrupted run has settled is not asked again, and stands. */
async function gate(artifacts: readonly Artifact[], run: RunContext): Promise<boolean> {
  const { family } = run.request;
  for (const device of (await run.opened()).devices) {
    const artifact = artifacts.find((one) => one.device === device);
    if (!artifact) throw new Error(`nothing was built for ${device}`);
    const { variant } = artifact.source;
    const ask = (session: DeviceSession) =>
      run.watch.measure('gate', () =>
        gateVariant(session, artifact, family, { ...run.request.gate, dump: run.request.dump }),
      );
    const verdict = run.recorder.earlier(artifact, run.request.gate) ?? (await run.use(device, ask));
    run.judged(variant, verdict, artifact.key);
    if (verdict.verdict !== 'passed') return false;
  }
  return !run.recorder.objectedBefore(artifacts, run.request.gate);
}
