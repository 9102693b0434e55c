import type { Executor, LineProcess } from '../exec/executor.ts';
import { parseWorkerLine, type WorkerLine } from './protocol.ts';

/** A worker that computes gets at most so many times its time: one that sleeps would wait for ever. */
const mostWaits = 20;

/** End of a worker: it exited, or was killed after too long a silence. */
export type Ending =
  | {
      readonly kind: 'died';
      readonly code: number | undefined;
      readonly signal: string | undefined;
      readonly stderr: string;
    }
  | { readonly kind: 'silent'; readonly seconds: number };

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
   * seconds, since a busy machine is no fault of the variant.
   */
  async next(seconds: number, computing = false): Promise<WorkerLine | Ending> {
    let silent = false;
    const cpu = () => this.#process.cpuSeconds() ?? Number.POSITIVE_INFINITY;
    const [started, used] = [performance.now(), computing ? cpu() : 0];
    const look = () => {
      const waited = (performance.now() - started) / 1000;
      const left = computing && waited < mostWaits * seconds ? seconds - (cpu() - used) : 0;
      silent = !(left > 0);
      if (silent) this.#process.kill();
      else watchdog = setTimeout(look, left * 1000);
    };
    let watchdog = setTimeout(look, seconds * 1000);
    try {
      const line = await this.#nextLine();
      if (line !== undefined) return parseWorkerLine(line);
    } finally {
      clearTimeout(watchdog);
    }
    if (silent) return { kind: 'silent', seconds };
    const { code, signal } = await this.#process.exited;
    return { kind: 'died', code, signal, stderr: this.#process.stderrTail() };
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
  if (ending.kind === 'silent') return `made no progress for ${ending.seconds} s and was killed`;
  const how = ending.signal ? `died of ${ending.signal}` : `ended with code ${ending.code}`;
  const said = ending.stderr.trim().split('\n').slice(-3).join(' | ');
  return said === '' ? how : `${how}; it said: ${said}`;
}
