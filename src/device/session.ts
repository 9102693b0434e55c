import { EnvironmentError, UsageError } from '../errors.ts';
import type { Executor } from '../exec/executor.ts';
import type { DeviceName } from '../model/artifact.ts';
import { Slots } from '../util/limit.ts';
import { blame, type Suspect } from './blame.ts';
import type { DeviceInfo, GateAnswer, GateJob, TimeEvent, TimeJob, WorkerLine } from './protocol.ts';
import { runTimeJob } from './timing.ts';
import { describeEnding, type Ending, Worker } from './worker.ts';

/** Seconds of silence after which a worker counts as hung. */
export interface Patience {
  /** While a kernel runs. The emulated device looks at its own clock, and is asked to give up after this time. */
  readonly kernel: number;
  /** While the host makes inputs, references and comparisons, and while the worker starts. */
  readonly host: number;
}

export const defaultPatience: Readonly<Record<DeviceName, Patience>> = {
  cuda: { kernel: 15, host: 300 },
  emulated: { kernel: 30, host: 300 },
};

/**
 * More that a worker of the emulated device gets to say itself what hung: it knows more than that nothing was heard. A kernel
 * that never gives way does not let it.
 */
const lastWordSeconds = 2;

/**
 * A device that judges and times variants, one job at a time in the order in which they were asked. Behind it is a worker
 * process; one that a variant hangs or kills is replaced, and only that variant pays.
 */
export interface DeviceSession {
  readonly info: DeviceInfo;
  gate(job: GateJob): Promise<GateAnswer>;
  /** Checks each subject on the workload, then times what passed. A variant that breaks the device gets its check. */
  time(job: TimeJob): AsyncIterable<TimeEvent>;
  close(): Promise<void>;
}

export type OpenedDevice =
  | { readonly available: true; readonly session: DeviceSession }
  | { readonly available: false; readonly reason: string };

/**
 * Starts the worker. A worker that does not even start is an EnvironmentError; a missing device is an answer. Vendor
 * libraries are looked for in `libraryPath` first, then where the system has its own.
 */
export async function openDevice(
  name: DeviceName,
  workerPath: string,
  executor: Executor,
  patience: Patience = defaultPatience[name],
  libraryPath: readonly string[] = [],
): Promise<OpenedDevice> {
  const start = () => new Worker(workerPath, executor, libraryEnvironment(libraryPath));
  const worker = start();
  const first = await worker.next(patience.host);
  if ('event' in first && first.event === 'unavailable') return { available: false, reason: first.reason };
  const { event: _, ...info } = mustBeReady(first);
  return { available: true, session: new Session(info, worker, start, patience) };
}

function libraryEnvironment(libraryPath: readonly string[]): Record<string, string> {
  if (libraryPath.length === 0) return {};
  const { LD_LIBRARY_PATH: own } = process.env;
  return { LD_LIBRARY_PATH: [...libraryPath, ...(own ? [own] : [])].join(':') };
}

function mustBeReady(line: WorkerLine | Ending): Extract<WorkerLine, { event: 'ready' }> {
  if ('event' in line && line.event === 'ready') return line;
  const why = 'event' in line ? `wrote '${line.event}' instead of 'ready'` : describeEnding(line);
  throw new EnvironmentError(`the runner does not start: it ${why}`);
}

class Session implements DeviceSession {
  readonly info: DeviceInfo;
  readonly #start: () => Worker;
  readonly #patience: Patience;
  readonly #turns = new Slots(1);
  #worker: Worker | undefined;
  /** Jobs that the present worker has served: what they left behind may hurt the next. */
  #served = 0;
  #nextId = 1;

  constructor(info: DeviceInfo, worker: Worker, start: () => Worker, patience: Patience) {
    this.info = info;
    this.#worker = worker;
    this.#start = start;
    this.#patience = patience;
  }

  gate(job: GateJob): Promise<GateAnswer> {
    return this.#turns.run(async () => {
      const answer = (await this.#gateOnce(job)) ?? (await this.#gateOnce(job));
      if (!answer) throw new Error(`no verdict on ${job.variant.id}: fresh runners end without one`);
      return answer;
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

  /** The job's verdict; undefined when a worker died of it that had served others, which a fresh one must confirm. */
  async #gateOnce(job: GateJob): Promise<GateAnswer | undefined> {
    let suspect: Suspect = {};
    const { kernel: watchdog } = this.#patience;
    for await (const line of this.#converse({ job: 'gate', ...job, watchdog })) {
      if (!('event' in line))
        return line.kind === 'died' && this.#served > 1 ? undefined : blame(line, suspect, job);
      if (line.event === 'verdict') return { verdict: line.verdict, evidence: line.evidence };
      if (line.event === 'case' || line.event === 'checking') {
        suspect = { case: line.case, schedule: line.schedule, inKernel: line.event === 'case' };
      }
    }
    return undefined;
  }

  /**
   * Sends a job and yields its lines up to `verdict` or `done`, or to the ending of the worker, which is replaced when the
   * next job comes. An `error` line, the worker's word on a job that makes no sense, throws.
   */
  async *#converse(job: object): AsyncGenerator<WorkerLine | Ending, void> {
    const id = String(this.#nextId++);
    let worker = await this.#send({ ...job, id });
    let line = await worker.next(this.#patience.host, true);
    if (!('event' in line) && line.kind === 'died' && this.#served > 1) {
      // It had ended after the job before, whose kernel broke the device.
      this.#worker = undefined;
      worker = await this.#send({ ...job, id });
      line = await worker.next(this.#patience.host, true);
    }
    this.#worker = undefined; // stays so unless the job is seen to its end
    while (true) {
      if (!('event' in line)) return yield line;
      if (line.event === 'verdict' || line.event === 'done' || line.event === 'error') this.#worker = worker;
      if (line.event === 'error') throw refusal(line);
      yield line;
      if (this.#worker) return;
      line = await worker.next(this.#patienceAfter(line), this.#computesAfter(line));
    }
  }

  /** Whether it is the worker that takes its time: not while it waits for a GPU. */
  #computesAfter({ event }: WorkerLine): boolean {
    return this.info.device === 'emulated' || (event !== 'case' && event !== 'sampling');
  }

  #patienceAfter(line: WorkerLine): number {
    if (line.event === 'sampling') return this.#patience.kernel;
    if (line.event !== 'case') return this.#patience.host;
    const lastWord = this.info.device === 'emulated' ? lastWordSeconds : 0;
    return this.#patience.kernel + (line.seconds ?? 0) + lastWord;
  }

  async #send(job: object): Promise<Worker> {
    if (!this.#worker) {
      const worker = this.#start();
      mustBeReady(await worker.next(this.#patience.host));
      this.#served = 0;
      this.#worker = worker;
    }
    this.#served++;
    this.#worker.send(job);
    return this.#worker;
  }
}

/** Whose fault it is that a job cannot be done: of whoever wrote `family.ts` or a file that it names, or ours. */
function refusal({ message, problem }: Extract<WorkerLine, { event: 'error' }>): Error {
  if (problem) return new UsageError(`the family asks for a problem that its oracle refuses: ${message}`);
  return new Error(`the runner cannot do a job: ${message}`);
}
