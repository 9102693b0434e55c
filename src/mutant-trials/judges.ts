// Devices that mutants are gated on: the emulated one, and GPUs where they are asked for.
import { backends, cuda, emulated, emulatedOnly } from '../backends/index.ts';
import type { CompileContext } from '../compile/context.ts';
import type { GateAnswer } from '../device/protocol.ts';
import { Devices } from '../devices.ts';
import { EnvironmentError } from '../errors.ts';
import type { Executor } from '../exec/executor.ts';
import { askRules, gateVariant } from '../gate/gate.ts';
import type { Arch } from '../model/arch.ts';
import type { Artifact, DeviceName } from '../model/artifact.ts';
import type { AnyFamily } from '../model/family.ts';
import type { Gpu } from '../model/gpu.ts';
import type { Verdict } from '../model/verdict.ts';
import type { Word } from '../mutate/judge.ts';
import type { Toolchain } from '../toolchain/find.ts';

/** Settings of the devices, and what opening them takes. */
export interface JudgesOptions {
  readonly family: AnyFamily;
  readonly arch: Arch;
  readonly context: CompileContext;
  readonly toolchain: Toolchain;
  readonly executor: Executor;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly jobs: number;
  readonly watchdogSeconds: number;
  /** GPUs that defects are put to as well. */
  readonly gpus: readonly Gpu[];
  readonly note: (message: string) => void;
}

type Depth = 'quick' | 'full';
/** Depths at which is asked, one after the other. */
type Depths = readonly [Depth, ...Depth[]];

/**
 * Jobs for each worker on a GPU. Several workers: while one waits for a kernel that hangs, or is replaced, the others go on. Few:
 * each takes memory for a context, and for its cases.
 */
const jobsPerGpuWorker = 4;
/** A kernel of the gate's small cases takes milliseconds on a GPU. */
const gpuWatchdogSeconds = 5;

export class Judges {
  readonly #options: JudgesOptions;
  readonly #devices: Readonly<Record<DeviceName, Devices>>;

  constructor(options: JudgesOptions) {
    this.#options = options;
    const { executor, environment, context, toolchain, note, watchdogSeconds } = options;
    const devices = (seconds: number) =>
      new Devices({
        request: { ...options, folder: context.familyFolder, device: emulatedOnly, watchdogSeconds: seconds },
        host: { executor, environment },
        ...{ context, note },
        toolchain: async () => toolchain,
        nowAndThen: () => () => {},
      });
    this.#devices = { emulated: devices(watchdogSeconds), cuda: devices(gpuWatchdogSeconds) };
  }

  /** The devices that are asked. */
  get names(): readonly DeviceName[] {
    return this.#options.gpus.length > 0 ? [emulated.name, cuda.name] : [emulated.name];
  }

  async open(): Promise<void> {
    const { gpus, jobs } = this.#options;
    const perGpu = Math.ceil(jobs / jobsPerGpuWorker);
    const workers = gpus.flatMap((gpu) => Array<Gpu>(perGpu).fill(gpu));
    const refused = await Promise.all(
      this.names.map((name) => this.#devices[name].open(name, backends[name].gpu ? workers : [])),
    );
    for (const why of refused) if (why !== undefined) throw new EnvironmentError(why);
  }

  async close(): Promise<void> {
    await Promise.all(this.names.map((name) => this.#devices[name].close()));
  }

  /** A device's first objection, at one depth after the other. */
  async word(
    device: DeviceName,
    artifacts: readonly Artifact[],
    [depth, next, ...rest]: Depths,
  ): Promise<Word> {
    const verdict = await this.gate(artifacts, depth, device);
    if (verdict.verdict !== 'passed' || next === undefined) return { verdict, depth };
    return this.word(device, artifacts, [next, ...rest]);
  }

  gate(artifacts: readonly Artifact[], depth: Depth, device: DeviceName, seed?: number): Promise<Verdict> {
    const artifact = artifactFor(artifacts, device);
    const scope = { depth, vendor: false, ...(seed !== undefined && { seed }) };
    return this.#devices[device].use(device, (session) =>
      gateVariant(session, artifact, this.#options.family, scope),
    );
  }

  /** Answers of other projects' acceptance rules on one case on the emulated device. */
  askRules(artifacts: readonly Artifact[], id: string): Promise<GateAnswer> {
    const artifact = artifactFor(artifacts, emulated.name);
    return this.#devices.emulated.use(emulated.name, (session) =>
      askRules(session, artifact, this.#options.family, id),
    );
  }
}

/** The depths at which is asked, one after the other, where the last is given. */
export function depthsUpTo(last: Depth): Depths {
  return last === 'full' ? ['quick', 'full'] : ['quick'];
}

function artifactFor(artifacts: readonly Artifact[], device: DeviceName): Artifact {
  const artifact = artifacts.find((one) => one.device === device);
  if (!artifact) throw new Error(`nothing was built for the device ${device}`);
  return artifact;
}
