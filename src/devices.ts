import { backends } from './backends/index.ts';
import type { CompileContext } from './compile/context.ts';
import { type BuiltWorker, buildWorker } from './compile/worker.ts';
import type { DeviceInfo } from './device/protocol.ts';
import { type DeviceSession, type OpenedDevice, openDevice } from './device/session.ts';
import { EnvironmentError } from './errors.ts';
import type { DeviceName } from './model/artifact.ts';
import type { Gpu } from './model/gpu.ts';
import type { Host, Request } from './request.ts';
import { findCxx, type Toolchain } from './toolchain/find.ts';
import { Pool } from './util/pool.ts';

/** Run state needed to open a device. */
export interface DeviceContext {
  readonly request: Pick<Request, 'arch' | 'device' | 'folder' | 'jobs' | 'watchdogSeconds'>;
  readonly host: Pick<Host, 'environment' | 'executor'>;
  readonly context: CompileContext;
  readonly toolchain: () => Promise<Toolchain>;
  readonly note: (message: string) => void;
  /** Notes of how far a long job is, now and then. */
  readonly nowAndThen: () => (message: string) => void;
}

type Opener = (gpu?: Gpu) => Promise<OpenedDevice>;

/** The devices that a run has opened: a runner each, built when it is needed, with as many sessions as may be busy at a time. */
export class Devices {
  /** Properties that the runner on each GPU reported, by the GPU's id. */
  readonly gpus = new Map<string, DeviceInfo>();
  readonly #run: DeviceContext;
  readonly #pools = new Map<DeviceName, Pool<DeviceSession>>();

  constructor(run: DeviceContext) {
    this.#run = run;
  }

  /** Builds a device's runner and starts it; gives the reason when there is no such device after all. */
  async open(device: DeviceName, gpus: readonly Gpu[]): Promise<string | undefined> {
    const { request, host } = this.#run;
    const [{ libraryPath }, worker] = await Promise.all([this.#run.toolchain(), this.#buildWorker(device)]);
    // The host may compute a reference for long; a kernel may not run for long.
    const patience = { kernel: request.watchdogSeconds, host: 300 };
    const { arch, folder } = request;
    const start: Opener = (gpu) =>
      openDevice(device, worker.path, host.executor, patience, {
        ...{ libraryPath, gpu, workers: gpus.length, arch, folder },
      });
    return backends[device].gpu ? this.#openGpus(device, gpus, start) : this.#openOne(device, start);
  }

  /** Lends a session of a device; one whose work the CPU does takes a slot. */
  async use<T>(device: DeviceName, task: (session: DeviceSession) => Promise<T>): Promise<T> {
    const pool = this.#pools.get(device);
    if (!pool) throw new Error(`device ${device} was not opened`);
    return backends[device].gpu ? pool.use(task) : this.#run.context.slots.run(() => pool.use(task));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.close()));
  }

  /** One worker for each GPU; the run does without one that cannot be opened, unless it was named or is the last. */
  async #openGpus(device: DeviceName, gpus: readonly Gpu[], start: Opener): Promise<string | undefined> {
    const opened = await Promise.all(gpus.map(start));
    const sessions = opened.flatMap((one) => (one.available ? [one.session] : []));
    const refused = opened.flatMap((one, index) =>
      one.available ? [] : [`${gpus[index]?.id}: ${one.reason}`],
    );
    if (sessions.length === 0 || (refused.length > 0 && this.#run.request.device.numbers)) {
      await Promise.all(sessions.map((session) => session.close()));
      return refused.join('; ');
    }
    for (const why of refused) this.#run.note(`not used: ${why}`);
    for (const { gpu, info } of sessions) if (gpu !== undefined) this.gpus.set(gpu, info);
    this.#pools.set(device, poolOf(sessions));
    return undefined;
  }

  /** As many workers as there are jobs; all but the first are started when they are needed. */
  async #openOne(device: DeviceName, start: Opener): Promise<string | undefined> {
    const first = await start();
    if (!first.available) return first.reason;
    const spare = [first.session];
    const open = async () => spare.pop() ?? another(device, await start());
    this.#pools.set(device, new Pool(this.#run.request.jobs, open));
    return undefined;
  }

  /** The runner of a device that needs no toolkit is built while that is being installed. */
  async #buildWorker(device: DeviceName): Promise<BuiltWorker> {
    const { host, context, note, nowAndThen } = this.#run;
    const { environment, executor } = host;
    const { toolkit } = backends[device].runner;
    const compilers = toolkit ? await this.#run.toolchain() : await findCxx(environment, executor);
    const soFar = nowAndThen();
    return buildWorker(device, compilers, context, (done, all) => {
      if (done === 0) note(`building the runner of the device ${device}: ${all} parts, once`);
      else if (done < all) soFar(`runner: ${done} of ${all} parts built`);
    });
  }
}

/** Sessions that are open: each is lent from the start. */
function poolOf(sessions: readonly DeviceSession[]): Pool<DeviceSession> {
  const left = [...sessions];
  return new Pool(sessions.length, async () => {
    const session = left.shift();
    if (!session) throw new Error('the pool asks for more sessions than there are');
    return session;
  });
}

function another(device: DeviceName, opened: OpenedDevice): DeviceSession {
  if (opened.available) return opened.session;
  throw new EnvironmentError(`device ${device} is gone: ${opened.reason}`);
}
