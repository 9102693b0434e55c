/** Options of one command. */
export interface RunOptions {
  readonly cwd?: string;
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The whole process tree is killed after this time, however busy the machine is. */
  readonly timeoutMs?: number;
  /** Each process of the tree is ended by SIGXCPU after so much time of a CPU; whole seconds, at least 1. */
  readonly cpuSeconds?: number;
  /** Aborting kills the whole process tree; `run` then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  readonly input?: string;
  /** Called with each line of stdout as it comes. */
  readonly onStdout?: (line: string) => void;
  /** Called with each line of stderr as it comes. */
  readonly onStderr?: (line: string) => void;
}

export interface RunResult {
  /** Undefined when the process was ended by a signal. */
  readonly exitCode: number | undefined;
  /** E.g. `SIGSEGV`. */
  readonly endedBy?: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  readonly seconds: number;
}

/** A process that is spoken to in lines. */
export interface LineProcess {
  readonly pid: number;
  send(line: string): void;
  /** Lines of stdout; ends when the process does. */
  readonly lines: AsyncIterable<string>;
  /** The last few kilobytes of stderr. */
  stderrTail(): string;
  /** CPU seconds that the process has used; undefined where that cannot be read. */
  cpuSeconds(): number | undefined;
  /** Kills the whole process tree at once. */
  kill(): void;
  readonly exited: Promise<{ readonly code: number | undefined; readonly signal: string | undefined }>;
}

/**
 * Runs commands. A command that ends with a non-zero code is an answer, not an error; a command that cannot be
 * started (no such file, not executable) is an EnvironmentError.
 */
export interface Executor {
  run(argv: readonly string[], options?: RunOptions): Promise<RunResult>;
  open(argv: readonly string[], options?: Pick<RunOptions, 'cwd' | 'env'>): LineProcess;
}
