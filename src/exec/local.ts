import { readFileSync } from 'node:fs';
import { ExecaError, execa, type Options } from 'execa';
import { EnvironmentError } from '../errors.ts';
import type { Executor, LineProcess, RunOptions, RunResult } from './executor.ts';

const tailBytes = 8192;
const maxOutputBytes = 64 << 20;

/** Process groups that are alive: killed when this process ends, so that no compiler or worker outlives it. */
const alive = new Set<number>();
process.once('exit', () => {
  for (const pid of alive) killGroup(pid);
});

/** Runs commands on this machine. Each gets a process group of its own, which dies as a whole. */
export const localExecutor: Executor = { run, open };

/** Children lead their own group: a kill reaches grandchildren, and Ctrl-C reaches only us. */
function optionsOf(options: RunOptions) {
  return {
    detached: true,
    reject: false,
    stripFinalNewline: false,
    maxBuffer: maxOutputBytes,
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    ...(options.env && { env: options.env }),
  } satisfies Options;
}

async function run(argv: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const [file = '', ...args] = argv;
  options.signal?.throwIfAborted();
  const started = performance.now();
  const child = execa(file, args, { ...optionsOf(options), input: options.input ?? '' });
  const killed = killLater(child.pid, options);
  if (options.onStdout) void forwardLines(child.iterable({ from: 'stdout' }), options.onStdout);
  if (options.onStderr) void forwardLines(child.iterable({ from: 'stderr' }), options.onStderr);
  const result = await child.finally(() => killed.cancel());
  forget(child.pid);
  options.signal?.throwIfAborted();
  if (child.pid === undefined) throw cannotStart(file, result);
  return {
    exitCode: result.exitCode,
    ...(result.signal && { endedBy: result.signal }),
    stdout: result.stdout,
    stderr: result.stderr,
    timedOut: killed.timedOut(),
    seconds: (performance.now() - started) / 1000,
  };
}

/** Arms the time limit and the abort signal of a running command. */
function killLater(pid: number | undefined, { timeoutMs, signal }: RunOptions) {
  let timedOut = false;
  const kill = () => pid !== undefined && killGroup(pid);
  const expire = () => {
    timedOut = kill();
  };
  const timer = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs);
  if (pid !== undefined) alive.add(pid);
  signal?.addEventListener('abort', kill);
  return {
    timedOut: () => timedOut,
    cancel: () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', kill);
    },
  };
}

function open(argv: readonly string[], options: Pick<RunOptions, 'cwd' | 'env'> = {}): LineProcess {
  const [file = '', ...args] = argv;
  const child = execa(file, args, { ...optionsOf(options), stdin: 'pipe', buffer: false });
  const { pid } = child;
  if (pid === undefined) {
    child.catch(() => {});
    throw new EnvironmentError(`cannot start ${file}: no such file, or it may not be executed`);
  }
  alive.add(pid);
  let tail = '';
  child.stderr.on('data', (chunk: Buffer) => {
    tail = (tail + chunk.toString()).slice(-tailBytes);
  });
  // A worker that died while we were writing to it is seen as its end, not as EPIPE.
  child.stdin.on('error', () => {});
  const exited = child.then(
    ({ exitCode, signal }) => ({ code: exitCode, signal }),
    () => ({ code: undefined, signal: undefined }),
  );
  void exited.then(() => forget(pid));
  return {
    pid,
    send: (line) => void child.stdin.write(`${line}\n`),
    lines: child.iterable(),
    stderrTail: () => tail,
    cpuSeconds: () => readCpuSeconds(pid),
    kill: () => void killGroup(pid),
    exited,
  };
}

/** From Linux's /proc, in its hundredths of a second. */
function readCpuSeconds(pid: number): number | undefined {
  try {
    const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    const [user, system] = fields.split(' ').slice(11, 13);
    return (Number(user) + Number(system)) / 100;
  } catch {
    return undefined;
  }
}

async function forwardLines(lines: AsyncIterable<string>, sink: (line: string) => void): Promise<void> {
  try {
    for await (const line of lines) sink(line);
  } catch {
    // The command was killed: its result says so.
  }
}

function forget(pid: number | undefined): void {
  if (pid !== undefined) alive.delete(pid);
}

function killGroup(pid: number): boolean {
  try {
    return process.kill(-pid, 'SIGKILL');
  } catch {
    return false; // already gone
  }
}

function cannotStart(file: string, result: unknown): EnvironmentError {
  const code = result instanceof ExecaError ? result.code : undefined;
  if (code === 'ENOENT') return new EnvironmentError(`cannot start ${file}: there is no such program`);
  if (code === 'EACCES') return new EnvironmentError(`cannot start ${file}: it may not be executed`);
  const why = result instanceof Error ? result.message.split('\n')[0] : 'unknown reason';
  return new EnvironmentError(`cannot start ${file}: ${why}`);
}
