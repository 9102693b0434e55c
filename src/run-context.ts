import { backends, wantsGpu } from './backends/index.ts';
import { sweepTemporaries } from './compile/cache.ts';
import type { CompileContext } from './compile/context.ts';
import { compileOnce } from './compile/once.ts';
import { buildPtx } from './compile/variant.ts';
import type { Check } from './device/protocol.ts';
import type { DeviceSession } from './device/session.ts';
import { Devices } from './devices.ts';
import type { Installation, LibraryRequest, LibraryRun } from './emit/request.ts';
import { EnvironmentError } from './errors.ts';
import type { Arch } from './model/arch.ts';
import type { Artifact, DeviceName } from './model/artifact.ts';
import type { Event, Summary } from './model/event.ts';
import { gpuSchema } from './model/gpu.ts';
import type { Measurement } from './model/measurement.ts';
import type { Selection } from './model/selection.ts';
import type { Stage } from './model/stage.ts';
import type { Variant } from './model/variant.ts';
import type { Verdict } from './model/verdict.ts';
import type { Workload } from './model/workload.ts';
import { reproduction } from './reproduce.ts';
import type { Host, Request } from './request.ts';
import {
  type ChosenDevices,
  chooseDevices,
  commitOf,
  compileContext,
  environmentOf,
  withoutGpu,
} from './setup.ts';
import { Recorder } from './store/recorder.ts';
import type { Toolchain } from './toolchain/find.ts';
import { findGpus } from './toolchain/gpu.ts';
import { cachePaths } from './toolchain/paths.ts';
import { type EnsureOptions, ensureToolchain, withVendorLibraries } from './toolchain/toolchain.ts';
import { Stopwatch } from './util/stopwatch.ts';
import { atMostEvery } from './util/throttle.ts';

const secondsBetweenNotes = 2;

/** Size of the search space, for the last line. */
type Space = Pick<Summary['funnel'], 'points' | 'legal'>;

/** State that the stages of one run share: compilers, devices, slots, journal and clock. Made on demand. */
export class RunContext {
  readonly request: Request;
  readonly host: Host;
  readonly context: CompileContext;
  readonly recorder: Recorder;
  readonly watch = new Stopwatch();
  readonly toolchain: () => Promise<Toolchain>;
  readonly opened: () => Promise<ChosenDevices>;
  readonly #chosen: () => Promise<ChosenDevices>;
  readonly #devices: Devices;

  constructor(request: Request, host: Host) {
    this.request = request;
    this.host = host;
    const soFar = this.nowAndThen();
    this.context = compileContext(request, host, soFar);
    this.recorder = new Recorder(host.run, host.send, this.does('render'));
    this.toolchain = once(() => this.watch.measure('toolchain', () => this.#ensureToolchain()));
    this.#chosen = once(() => chooseDevices(request, host));
    this.opened = once(() => this.watch.measure('devices', () => this.#openChosen()));
    this.#devices = new Devices({
      ...{ request, host, context: this.context, toolchain: this.toolchain },
      note: (message) => this.note(message),
      nowAndThen: () => this.nowAndThen(),
    });
    sweepTemporaries(this.context.cacheRoot);
  }

  /** Variants under way at a time: enough that one waits for each device while others are compiled. */
  async lanes(): Promise<number> {
    const gpus = this.does('gate') ? (await this.#chosen()).gpus.length : 0;
    return 2 * Math.max(this.request.jobs, gpus);
  }

  does(stage: Stage): boolean {
    return this.request.stages.has(stage);
  }

  send(event: Event): void {
    this.recorder.record(event);
  }

  note(message: string): void {
    this.send({ event: 'note', message });
  }

  built({ source, device, arch, key, cached, seconds, resources }: Artifact): void {
    const registers = resources && { registers: resources.registers };
    this.send({
      event: 'artifact',
      variant: source.variant.id,
      device,
      arch,
      key,
      cached,
      seconds,
      ...registers,
      source: source.hash,
    });
  }

  /** Records a verdict; `key` names what was judged, so that a resumed run can tell whether it is still the same. */
  judged(variant: Variant, verdict: Verdict, key: string): void {
    this.host.signal.throwIfAborted();
    const { gate, only, settings } = this.request;
    const again = () => reproduction(variant, verdict, { ...gate, file: only?.source?.path, settings });
    const reproduce = verdict.verdict === 'passed' ? {} : { reproduce: again() };
    const evidence = { ...verdict.evidence, ...reproduce };
    this.send({ event: 'verdict', ...verdict, parameters: variant.parameters, evidence, key, gate });
  }

  /** Takes the checks of a workload as they come, and tells now and then how many of its variants have had theirs. */
  checksOf({ id }: Workload, variants: number): (check: Check) => void {
    const soFar = this.nowAndThen();
    const subjects = new Set<string>();
    return (check) => {
      this.host.signal.throwIfAborted();
      this.send({ event: 'check', ...check });
      if (check.kind !== 'variant') return;
      subjects.add(check.subject);
      soFar(`${id}: ${subjects.size} of ${variants} checked`);
    };
  }

  /** Records the figures of a workload. */
  timed(measurements: readonly Measurement[]): void {
    this.host.signal.throwIfAborted();
    for (const measurement of measurements) this.send({ event: 'measurement', ...measurement });
  }

  /** Begins to open the devices where variants are gated; whoever needs them gets their error. Waits where all is about times. */
  async begin(): Promise<void> {
    if (this.does('gate')) this.opened().catch(() => {});
    else if (this.does('time')) await this.opened();
  }

  async finish(space: Space, library: string | null): Promise<Summary> {
    return this.#end(space, library, await this.#whyUntimed());
  }

  /** Ends a run that has nothing to look at: no compiler is looked for and no device opened to learn that. */
  finishEmpty(space: Space, why: string): Summary {
    this.note(why);
    return this.#end(space, null, 'there is no variant to time');
  }

  #end({ points, legal }: Space, library: string | null, untimed: string | undefined): Summary {
    const seconds = this.watch.seconds();
    const installed = library === null ? undefined : this.request.prefix?.path;
    const summary = this.recorder.summary({
      ...{ points, legal, seconds, library },
      ...(installed !== undefined && { prefix: installed }),
      ...(untimed !== undefined && { untimed }),
    });
    this.host.run.writeJson('summary.json', summary);
    this.send(summary);
    return summary;
  }

  async #whyUntimed(): Promise<string | undefined> {
    if (this.does('time')) return (await this.opened()).untimed;
    if (this.recorder.measurements().length > 0) return undefined;
    return this.does('select')
      ? 'this run has none; `npx gen time` takes them where there is a GPU'
      : 'timing was not asked for';
  }

  /** Everything that the library is made of. `artifacts`: of at least the selected variants; `portable`: for whose PTX a fallback serves later GPUs. */
  async libraryRequest(
    selection: Selection,
    artifacts: readonly Artifact[],
    portable: (variant: Variant) => Arch | undefined,
  ): Promise<LibraryRequest> {
    const { family, folder, out } = this.request;
    const { executor } = this.host;
    const toolchain = await this.toolchain();
    const run = await this.#provenance(toolchain);
    const install = await this.#installation(toolchain);
    const { cudaHome, cxx } = toolchain;
    return {
      ...{ family, folder, selection, artifacts, run, out, executor, cudaHome, cxx },
      ptxOf: (source) => buildPtx(source, portable(source.variant), toolchain, this.context),
      once: (what, attempt) => compileOnce(what, toolchain, this.context, attempt),
      remark: (message) => this.note(message),
      signal: this.host.signal,
      ...(install && { install }),
    };
  }

  /** Lends a session of a device that is open. */
  use<T>(device: DeviceName, task: (session: DeviceSession) => Promise<T>): Promise<T> {
    return this.#devices.use(device, task);
  }

  close(): Promise<void> {
    return this.#devices.close();
  }

  /** Provenance of the library of this run. */
  async #provenance(toolchain: Toolchain): Promise<LibraryRun> {
    const { run, executor } = this.host;
    const gpu = run.readJson('gpu.json', gpuSchema.omit({ id: true }));
    return {
      id: run.id,
      date: run.info.started,
      verdicts: this.recorder.verdicts(),
      commit: await commitOf(executor, this.request.folder),
      nvcc: toolchain.nvccVersion,
      cxx: toolchain.cxxVersion,
      ...(gpu && { gpu: { name: gpu.name, driver: gpu.driver, uuid: gpu.uuid } }),
    };
  }

  /** Installing takes CMake, which a machine without it gets as it gets the compiler. */
  async #installation({ cudaHome }: Toolchain): Promise<Installation | undefined> {
    const { prefix, jobs } = this.request;
    if (prefix === undefined) return undefined;
    await ensureToolchain({ ...this.#toolchainOptions, with: ['cmake'] });
    const { path, shared } = prefix;
    this.note(
      `building the library and installing it into ${path}; find it with -DCMAKE_PREFIX_PATH=${path}`,
    );
    const soFar = this.nowAndThen();
    return {
      ...{ prefix: path, shared, cudaHome, jobs },
      toolFolders: [cachePaths(this.host.environment).bin],
      onProgress: (share) => soFar(`library: ${share} built`),
    };
  }

  /** Notes of how far a long job is. */
  nowAndThen(): (message: string) => void {
    return atMostEvery(secondsBetweenNotes, (message: string) =>
      this.send({ event: 'note', message, passing: true }),
    );
  }

  get #toolchainOptions(): EnsureOptions {
    const { executor, environment, signal } = this.host;
    const { install } = this.request;
    return { executor, environment, signal, install, progress: (line) => this.note(line) };
  }

  async #ensureToolchain(): Promise<Toolchain> {
    const options = this.#toolchainOptions;
    const toolchain = await ensureToolchain(options);
    const asksGpu = this.does('gate') || this.does('time');
    if (!asksGpu || !wantsGpu(this.request.device)) return toolchain;
    const gpus = await findGpus(options.executor);
    return gpus.length > 0 ? withVendorLibraries(toolchain, options) : toolchain;
  }

  async #openChosen(): Promise<ChosenDevices> {
    const wanted = await this.#chosen();
    for (const why of wanted.leftOut) this.note(why);
    if (wanted.untimed !== undefined && !this.does('gate')) throw cannotTime(wanted.untimed);
    const opened = await this.#openDevices(wanted);
    this.send(await environmentOf(this.request, this.host, await this.toolchain(), this.#devices.gpus));
    return opened;
  }

  async #openDevices(wanted: ChosenDevices): Promise<ChosenDevices> {
    if (wanted.untimed !== undefined && this.does('time')) this.note(`not timing: ${wanted.untimed}`);
    for (const device of wanted.devices) {
      const refused = await this.#devices.open(device, wanted.gpus);
      if (refused === undefined) continue;
      if (!(backends[device].gpu && this.request.device.gpuOptional)) throw new EnvironmentError(refused);
      if (!this.does('gate')) throw cannotTime(refused);
      this.note(`not timing: ${refused}`);
      return withoutGpu(wanted.devices, refused);
    }
    const gpus = wanted.gpus.filter(({ id }) => this.#devices.gpus.has(id));
    if (gpus[0]) this.host.run.writeJson('gpu.json', gpus[0]);
    return { ...wanted, gpus };
  }
}

/** The error of a run without a gate that cannot time: nothing else was asked of its devices. */
function cannotTime(why: string): EnvironmentError {
  return new EnvironmentError(
    `cannot time: ${why}; \`npx gen time --device auto\` uses a GPU if there is one, \`npx gen select\` and \`npx gen emit\` need no times`,
  );
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
