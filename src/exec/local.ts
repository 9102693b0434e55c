import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { execa, type Options } from 'execa';
import { EnvironmentError } from '../errors.ts';
import { forgetGroup, guardInput, killSession, wrap } from '../util/guard.ts';
import type { Executor, LineProcess, RunOptions, RunResult } from './executor.ts';

const tailBytes = 8192;
const maxOutputBytes = 64 << 20;

/** Process groups that are alive: killed when this process ends. Where it is killed itself, the guard does that. */
const alive = new Set<number>();
process.once('exit', () => {
  for (const pid of alive) killSession(pid);
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
  options.signal?.throwIfAborted();
  mustBeProgram(argv[0] ?? '', options);
  const started = performance.now();
  const [shell, ...args] = wrap(argv, options.cpuSeconds);
  const stdio = ['pipe', 'pipe', 'pipe', guardInput()] as const;
  const child = execa(shell, args, { ...optionsOf(options), stdio, input: options.input ?? '' });
  const killed = killLater(child.pid, options);
  if (options.onStdout) void forwardLines(child.iterable({ from: 'stdout' }), options.onStdout);
  if (options.onStderr) void forwardLines(child.iterable({ from: 'stderr' }), options.onStderr);
  const result = await child.finally(() => killed.cancel());
  forget(child.pid);
  options.signal?.throwIfAborted();
  if (child.pid === undefined) throw cannotStart(argv[0] ?? '', firstLine(result));
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
  const kill = () => pid !== undefined && killSession(pid);
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
  const [file = ''] = argv;
  mustBeProgram(file, options);
  const [shell, ...args] = wrap(argv, undefined);
  const stdio = ['pipe', 'pipe', 'pipe', guardInput()] as const;
  const child = execa(shell, args, { ...optionsOf(options), stdio, buffer: false });
  const { pid } = child;
  if (pid === undefined) {
    child.catch(() => {});
    throw cannotStart(file, 'no process can be made');
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
    kill: () => void killSession(pid),
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
  if (pid === undefined) return;
  alive.delete(pid);
  forgetGroup(pid);
}

/** A shell that cannot start a command only prints that: whoever asked has to know what is a machine's fault. */
function mustBeProgram(file: string, { cwd = '.', env }: Pick<RunOptions, 'cwd' | 'env'>): void {
  const folders = file.includes('/') ? [cwd] : (env?.PATH ?? process.env.PATH ?? '').split(delimiter);
  const paths = folders.map((folder) => (file.includes('/') ? resolve(folder, file) : join(folder, file)));
  const there = paths.filter(existsSync);
  if (there.length === 0) throw cannotStart(file, 'there is no such program');
  if (!there.some(isProgram)) throw cannotStart(file, 'it may not be executed');
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function cannotStart(file: string, why: string): EnvironmentError {
  return new EnvironmentError(`cannot start ${file}: ${why}`);
}

function firstLine(result: unknown): string {
  return (result instanceof Error && result.message.split('\n')[0]) || 'no process can be made';
}
