import type { CompileContext } from './compile/context.ts';
import { type BuiltWorker, buildWorker } from './compile/worker.ts';
import type { DeviceInfo } from './device/protocol.ts';
import { type DeviceSession, type OpenedDevice, openDevice, type Patience } from './device/session.ts';
import { EnvironmentError } from './errors.ts';
import type { DeviceName } from './model/artifact.ts';
import type { Host, Request } from './request.ts';
import { findCxx, type Toolchain } from './toolchain/find.ts';
import { Pool } from './util/pool.ts';

/** What opening devices takes of a run. */
export interface Surroundings {
  readonly request: Request;
  readonly host: Host;
  readonly context: CompileContext;
  readonly toolchain: () => Promise<Toolchain>;
  readonly note: (message: string) => void;
  /** Notes of how far a long job is, now and then. */
  readonly nowAndThen: () => (message: string) => void;
}

/** The devices that a run has opened: a runner each, built when it is needed, with as many sessions as may be busy at a time. */
export class Devices {
  /** What the runner on the GPU said of it, where one was opened. */
  gpu: DeviceInfo | undefined;
  readonly #run: Surroundings;
  readonly #pools = new Map<DeviceName, Pool<DeviceSession>>();

  constructor(run: Surroundings) {
    this.#run = run;
  }

  /** Builds a device's runner and starts one; gives the reason when there is no such device after all. */
  async open(device: DeviceName): Promise<string | undefined> {
    const { request, host } = this.#run;
    const [toolchain, worker] = await Promise.all([this.#run.toolchain(), this.#buildWorker(device)]);
    // The host may compute a reference for long; a kernel may not run for long.
    const patience: Patience = { kernel: request.watchdogSeconds, host: 300 };
    const start = () => openDevice(device, worker.path, host.executor, patience, toolchain.libraryPath);
    const first = await start();
    if (!first.available) return first.reason;
    if (device === 'cuda') this.gpu = first.session.info;
    const spare = [first.session];
    const open = async () => spare.pop() ?? another(device, await start());
    this.#pools.set(device, new Pool(device === 'cuda' ? 1 : request.jobs, open));
    return undefined;
  }

  /** Lends a session of a device; the emulated one takes a slot, since it is a CPU that does the work. */
  async use<T>(device: DeviceName, task: (session: DeviceSession) => Promise<T>): Promise<T> {
    const pool = this.#pools.get(device);
    if (!pool) throw new Error(`device ${device} was not opened`);
    return device === 'emulated' ? this.#run.context.slots.run(() => pool.use(task)) : pool.use(task);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.close()));
  }

  /** The runner of the emulated device needs no toolkit: it is built while that is being installed. */
  async #buildWorker(device: DeviceName): Promise<BuiltWorker> {
    const { host, context, note, nowAndThen } = this.#run;
    const { environment, executor } = host;
    const compilers =
      device === 'emulated' ? await findCxx(environment, executor) : await this.#run.toolchain();
    const soFar = nowAndThen();
    return buildWorker(device, compilers, context, (done, all) => {
      if (done === 0) note(`building the runner of the device ${device}: ${all} files, this once`);
      else if (done < all) soFar(`runner: ${done} of ${all} files built`);
    });
  }
}

function another(device: DeviceName, opened: OpenedDevice): DeviceSession {
  if (opened.available) return opened.session;
  throw new EnvironmentError(`device ${device} is gone: ${opened.reason}`);
}
