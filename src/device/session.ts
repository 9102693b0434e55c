import { defaultArch } from '../arch/index.ts';
import { backends } from '../backends/index.ts';
import { EnvironmentError } from '../errors.ts';
import type { Executor } from '../exec/executor.ts';
import type { Arch } from '../model/arch.ts';
import type { DeviceName } from '../model/artifact.ts';
import type { Patience } from '../model/backend.ts';
import type { Gpu } from '../model/gpu.ts';
import { Slots } from '../util/limit.ts';
import { blame, type Crash, isFromOutside, isSameCrash, type Phase, phases, type Suspect } from './blame.ts';
import type { DeviceInfo, GateAnswer, GateJob, TimeEvent, TimeJob, WorkerLine } from './protocol.ts';
import { mustBeOfKernel, refusal } from './refusal.ts';
import { runTimeJob } from './timing.ts';
import { describeEnding, type Ending, Worker } from './worker.ts';

export type { Patience } from '../model/backend.ts';

/** Workers that a job, or the start of a worker, gets at most: anybody may have killed one. */
const mostAttempts = 3;

/**
 * A device that judges and times variants, one job at a time in the order in which they were asked. Behind it is a worker
 * process; one that a variant hangs or kills is replaced, and only that variant pays. A job whose worker died is repeated in
 * a fresh one: `fault` is what happens twice.
 */
export interface DeviceSession {
  readonly info: DeviceInfo;
  /** `cuda:1` where it is a GPU that was chosen among several. */
  readonly gpu?: string | undefined;
  gate(job: GateJob): Promise<GateAnswer>;
  /** Checks each subject on the workload, then times what passed. A variant that breaks the device gets its check. */
  time(job: TimeJob): AsyncIterable<TimeEvent>;
  close(): Promise<void>;
}

export type OpenedDevice =
  | { readonly available: true; readonly session: DeviceSession }
  | { readonly available: false; readonly reason: string };

/** Settings of a worker from its start on. */
export interface Start {
  /** Folders in which vendor libraries are looked for before those of the system. */
  readonly libraryPath?: readonly string[];
  /** The GPU that it shall see alone, and how many such workers share the memory of the host. */
  readonly gpu?: Gpu | undefined;
  readonly workers?: number;
  /** The architecture that the emulated device stands for. */
  readonly arch?: Arch;
  /** The family's, for messages about its C++. */
  readonly folder?: string;
}

/** Starts the worker. A worker that does not even start is an EnvironmentError; a missing device is an answer. */
export async function openDevice(
  name: DeviceName,
  workerPath: string,
  executor: Executor,
  patience: Patience = backends[name].patience,
  { libraryPath = [], gpu, workers = 1, arch = defaultArch, folder = '' }: Start = {},
): Promise<OpenedDevice> {
  const argv = [workerPath, ...(backends[name].playsArch ? [JSON.stringify(arch)] : [])];
  const pinned = gpu && { CUDA_VISIBLE_DEVICES: gpu.uuid, TW_WORKERS: String(workers) };
  const env = { ...libraryEnvironment(libraryPath), ...pinned };
  const start = () => new Worker(argv, executor, env);
  const [worker, first] = await greeted(start, patience.host);
  if ('event' in first && first.event === 'unavailable') return { available: false, reason: first.reason };
  const { event: _, ...info } = mustBeReady(first);
  return { available: true, session: new Session({ info, gpu: gpu?.id, start, patience, folder }, worker) };
}

function libraryEnvironment(libraryPath: readonly string[]): Record<string, string> {
  if (libraryPath.length === 0) return {};
  const { LD_LIBRARY_PATH: own } = process.env;
  return { LD_LIBRARY_PATH: [...libraryPath, ...(own ? [own] : [])].join(':') };
}

/** A new worker and its first line. One that was killed before it said anything is replaced. */
async function greeted(start: () => Worker, seconds: number): Promise<[Worker, WorkerLine | Ending]> {
  for (let attempt = 1; ; attempt++) {
    const worker = start();
    const first = await worker.next(seconds);
    const killed = !('event' in first) && isFromOutside(first);
    if (!killed || attempt === mostAttempts) return [worker, first];
  }
}

function mustBeReady(line: WorkerLine | Ending): Extract<WorkerLine, { event: 'ready' }> {
  if ('event' in line && line.event === 'ready') return line;
  if ('event' in line && line.event === 'unavailable')
    throw new EnvironmentError(`the runner does not start again: ${line.reason}`);
  const why = 'event' in line ? `wrote '${line.event}' instead of 'ready'` : describeEnding(line);
  throw new EnvironmentError(`the runner does not start: it ${why}`);
}

/** A job as it is sent, but for its id. */
type Job = (GateJob | TimeJob) & { readonly job: 'gate' | 'time'; readonly watchdog?: number };

/** A session's first start, with all that a restart needs. */
interface Opening {
  readonly info: DeviceInfo;
  readonly gpu: string | undefined;
  readonly start: () => Worker;
  readonly patience: Patience;
  readonly folder: string;
}

class Session implements DeviceSession {
  readonly info: DeviceInfo;
  readonly gpu: string | undefined;
  readonly #start: () => Worker;
  readonly #patience: Patience;
  readonly #folder: string;
  readonly #turns = new Slots(1);
  #worker: Worker | undefined;
  /** Jobs that the present worker has served: what they left behind may hurt the next. */
  #served = 0;
  #nextId = 1;

  constructor({ info, gpu, start, patience, folder }: Opening, worker: Worker) {
    this.info = info;
    this.gpu = gpu;
    this.#worker = worker;
    this.#start = start;
    this.#patience = patience;
    this.#folder = folder;
  }

  gate(job: GateJob): Promise<GateAnswer> {
    return this.#turns.run(async () => {
      const crashes: Crash[] = [];
      while (true) {
        const result = await this.#gateOnce(job);
        if ('verdict' in result) return result;
        const repeated = crashes.some((crash) => isSameCrash(crash, result));
        crashes.push(result);
        const doubtful = !repeated || isFromOutside(result.ending);
        if (!repeated && crashes.length < mostAttempts) continue;
        mustBeOfKernel(result, job, this.#folder);
        return blame(result, job, doubtful);
      }
    });
  }

  async *time(job: TimeJob): AsyncGenerator<TimeEvent, void> {
    const release = await this.#turn();
    try {
      yield* runTimeJob((request) => this.#converse(request), job);
    } finally {
      release();
    }
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.kill();
  }

  /** Waits for the jobs before this one; the caller ends its own with the function that it gets. */
  #turn(): Promise<() => void> {
    return new Promise((begin) => void this.#turns.run(() => new Promise<void>((end) => begin(end))));
  }

  /** The job's verdict, or how its worker died of it. */
  async #gateOnce(job: GateJob): Promise<GateAnswer | Crash> {
    let suspect: Suspect = {};
    const { kernel: watchdog } = this.#patience;
    for await (const line of this.#converse({ job: 'gate', ...job, watchdog })) {
      if (!('event' in line)) {
        const crash = { ending: line, suspect };
        return line.kind === 'silent' && !line.idle ? blame(crash, job) : crash;
      }
      if (line.event === 'verdict') return { verdict: line.verdict, evidence: line.evidence };
      if (isPhase(line)) {
        const launched = line.event === 'case' || suspect.launched === true;
        suspect = { case: line.case, schedule: line.schedule, phase: line.event, launched };
      }
    }
    throw new Error(`the runner ended its job on ${job.variant.id} without a verdict`);
  }

  /**
   * Sends a job and yields its lines up to `verdict` or `done`, or to the ending of the worker, which is replaced when the
   * next job comes. An `error` line, the worker's word on a job that makes no sense, throws.
   */
  async *#converse(job: Job): AsyncGenerator<WorkerLine | Ending, void> {
    const id = String(this.#nextId++);
    let worker = await this.#send({ ...job, id });
    let line = await worker.next(this.#patience.host, true, this.#patience.idle);
    if (!('event' in line) && line.kind === 'died' && this.#served > 1) {
      // It had ended after the job before, whose kernel broke the device.
      [worker, line] = await this.#anew({ ...job, id });
    }
    this.#worker = undefined; // stays so unless the job is seen to its end
    let item: string | undefined;
    while (true) {
      if (!('event' in line)) return yield line;
      if (this.#isFull(line, job)) {
        await worker.kill();
        [worker, line] = await this.#anew({ ...job, id });
        continue;
      }
      if (line.event === 'verdict' || line.event === 'done' || line.event === 'error') this.#worker = worker;
      if (line.event === 'error') throw refusal(line, { job, case: item, folder: this.#folder });
      if (isPhase(line)) item = line.case;
      yield line;
      if (this.#worker) return;
      line = await worker.next(this.#patienceAfter(line), this.#computesAfter(line), this.#patience.idle);
    }
  }

  /** Whether a worker has no memory left for a gate's job, after others: a fresh one has it all. */
  #isFull(line: WorkerLine, { job }: Job): boolean {
    return line.event === 'error' && line.blame === 'memory' && job === 'gate' && this.#served > 1;
  }

  /** Sends a job to a fresh worker; with its first line. */
  async #anew(job: object): Promise<[Worker, WorkerLine | Ending]> {
    this.#worker = undefined;
    const worker = await this.#send(job);
    this.#worker = undefined;
    return [worker, await worker.next(this.#patience.host, true, this.#patience.idle)];
  }

  /** Whether it is the worker that takes its time: not while it waits for a GPU. */
  #computesAfter({ event }: WorkerLine): boolean {
    return !backends[this.info.device].gpu || (event !== 'case' && event !== 'sampling');
  }

  #patienceAfter(line: WorkerLine): number {
    if (line.event === 'sampling') return this.#patience.kernel;
    if (line.event !== 'case') return this.#patience.host;
    const { lastWordSeconds } = backends[this.info.device];
    return this.#patience.kernel + (line.seconds ?? 0) + lastWordSeconds;
  }

  async #send(job: object): Promise<Worker> {
    if (!this.#worker) {
      const [worker, first] = await greeted(this.#start, this.#patience.host);
      mustBeReady(first);
      this.#served = 0;
      this.#worker = worker;
    }
    this.#served++;
    this.#worker.send(job);
    return this.#worker;
  }
}

/** Whether a line tells what the worker is about to do. */
function isPhase(line: WorkerLine): line is Extract<WorkerLine, { event: Phase }> {
  return phases.includes(line.event as Phase);
}
