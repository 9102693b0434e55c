import type { Executor, LineProcess } from '../exec/executor.ts';
import { parseWorkerLine, type WorkerLine } from './protocol.ts';

/** A worker that computes gets at most so many times its time: one that sleeps would wait for ever. */
const mostWaits = 20;

/** Seconds without any CPU after which it counts as stopped, unless another limit is given. */
const mostIdle = 300;

/** A timer that comes so much later than asked for says that this process was stopped itself, by Ctrl-Z for one. */
const mostLateMs = 2000;

/** End of a worker: it exited, or was killed after too long a silence. */
export type Ending =
  | {
      readonly kind: 'died';
      readonly code: number | undefined;
      readonly signal: string | undefined;
      readonly stderr: string;
    }
  /** `idle`: it got hardly any CPU, as one that is stopped; what it was at is not to blame. */
  | { readonly kind: 'silent'; readonly seconds: number; readonly idle: boolean };

/** One worker process, spoken to line by line, with a watchdog on its silence. */
export class Worker {
  readonly #process: LineProcess;
  readonly #lines: AsyncIterator<string>;

  /** `env` is added to the environment of this process. */
  constructor(argv: readonly string[], executor: Executor, env: Readonly<Record<string, string>> = {}) {
    this.#process = executor.open(argv, { env });
    this.#lines = this.#process.lines[Symbol.asyncIterator]();
  }

  send(job: unknown): void {
    this.#process.send(JSON.stringify(job));
  }

  /**
   * The next line, or how the worker ended. Silence of more than `seconds` ends it; while `computing`, of so many CPU
   * seconds, since a busy machine is no fault of the variant. Time in which this process was stopped does not count.
   */
  async next(seconds: number, computing = false, idleSeconds = mostIdle): Promise<WorkerLine | Ending> {
    let silent: Extract<Ending, { kind: 'silent' }> | undefined;
    let watch = this.#watch(computing);
    let timer: NodeJS.Timeout | undefined;
    const lookIn = (wait: number) => {
      const due = performance.now() + wait * 1000;
      timer = setTimeout(() => look(due), wait * 1000);
    };
    const look = (due: number) => {
      if (performance.now() > due + mostLateMs) watch = this.#watch(computing);
      const { waited, left, idle } = watch(seconds);
      const stopped = computing && left > 0 && (idle >= idleSeconds || waited >= mostWaits * seconds);
      if (left > 0 && !stopped) return lookIn(Math.min(left, idleSeconds));
      silent = { kind: 'silent', seconds: stopped ? Math.round(waited) : seconds, idle: stopped };
      this.#process.kill();
    };
    lookIn(Math.min(seconds, computing ? idleSeconds : seconds));
    try {
      const line = await this.#nextLine();
      if (line !== undefined) return parseWorkerLine(line);
    } finally {
      clearTimeout(timer);
    }
    if (silent) return silent;
    const { code, signal } = await this.#process.exited;
    return { kind: 'died', code, signal, stderr: this.#process.stderrTail() };
  }

  /** A clock from now on: seconds that passed, that are left of those allowed, and for which the worker has had no CPU. */
  #watch(computing: boolean) {
    const cpu = () => (computing ? (this.#process.cpuSeconds() ?? Number.POSITIVE_INFINITY) : 0);
    const [started, used] = [performance.now(), cpu()];
    let busy = { at: started, cpu: used };
    return (allowed: number) => {
      const now = { at: performance.now(), cpu: cpu() };
      if (now.cpu > busy.cpu) busy = now;
      const waited = (now.at - started) / 1000;
      const spent = computing ? now.cpu - used : waited;
      return { waited, left: allowed - spent, idle: (now.at - busy.at) / 1000 };
    };
  }

  async #nextLine(): Promise<string | undefined> {
    try {
      const { done, value } = await this.#lines.next();
      return done ? undefined : value;
    } catch {
      return undefined; // the stream of a killed process may end with an error
    }
  }

  async kill(): Promise<void> {
    this.#process.kill();
    await this.#process.exited;
  }
}

/** `died of SIGSEGV`, `ended with code 1`, with what it said last. */
export function describeEnding(ending: Ending): string {
  if (ending.kind === 'silent') {
    const why = ending.idle ? ', though it was given hardly any CPU time (was it stopped?),' : '';
    return `made no progress for ${ending.seconds} s${why} and was killed`;
  }
  const how = ending.signal ? `died of ${ending.signal}` : `ended with code ${ending.code}`;
  const said = ending.stderr.trim().split('\n').slice(-3).join(' | ');
  return said === '' ? how : `${how}; it said: ${said}`;
}
