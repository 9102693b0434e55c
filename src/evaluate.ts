// Variant -> Source -> Artifact -> Verdict: the part of the flow that variants go through side by side.
import { type Built, buildVariant } from './compile/variant.ts';
import type { DeviceSession } from './device/session.ts';
import { gateVariant } from './gate/gate.ts';
import type { Line } from './line.ts';
import type { Artifact } from './model/artifact.ts';
import type { Source, Variant } from './model/variant.ts';
import { renderVariant } from './render/render.ts';
import { writeSource } from './render/write.ts';

/** A variant that passed the gate, with everything that was built of it. */
export interface Passed {
  readonly variant: Variant;
  readonly artifacts: readonly Artifact[];
}

/** Takes one variant as far as it goes: one that fails has a verdict that says why. */
export async function evaluate(variant: Variant, line: Line): Promise<Passed | undefined> {
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
    buildVariant(source, arch, device.devices, toolchain, line.context),
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
      line.watch.measure('gate', () =>
        gateVariant(session, artifact, family, { ...line.request.gate, dump: line.request.dump }),
      );
    const verdict = line.recorder.earlier(artifact, line.request.gate) ?? (await line.use(device, ask));
    line.judged(variant, verdict, artifact.key);
    if (verdict.verdict !== 'passed') return false;
  }
  return !line.recorder.objectedBefore(artifacts, line.request.gate);
}
