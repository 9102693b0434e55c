import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { z } from 'zod';
import { backends } from '../backends/index.ts';
import { EnvironmentError } from '../errors.ts';
import type { RunResult } from '../exec/executor.ts';
import { compiledKernelSchema, type DeviceName, resourcesSchema } from '../model/artifact.ts';
import type { Verdict } from '../model/verdict.ts';
import type { Entry } from './cache.ts';
import { type CompileContext, defaultCpuSeconds, defaultWallSeconds } from './context.ts';
import { type BadEnd, badEnd, blameMachine, cureOf, diagnose, ending, firstError } from './diagnosis.ts';

/** Cached outcome of compiling one source; refusals are kept too, so that no source is compiled twice. */
export const outcomeSchema = z.object({
  seconds: z.number(),
  command: z.string(),
  resources: resourcesSchema.optional(),
  kernels: z.record(z.string(), compiledKernelSchema).optional(),
  refusal: z.object({ verdict: z.enum(['compile', 'resources']), message: z.string() }).optional(),
});
export type Outcome = z.infer<typeof outcomeSchema>;

/**
 * No answer of a compiler about a source: of a variant it becomes a verdict, else it ends the run. Since it is thrown, no
 * cache keeps it: the next sweep asks again.
 */
export class NoAnswer extends EnvironmentError {
  readonly verdict: 'compile' | 'machine';
  readonly command: string;
  readonly seconds: number;

  constructor(end: BadEnd, result: RunResult, command: string, limit: number) {
    super(describeEnd(end, result, limit));
    this.verdict = isOfMachine(end) ? 'machine' : 'compile';
    this.command = command;
    this.seconds = result.seconds;
  }
}

/** Whether the machine is to blame for a compiler's end, not what was to be compiled. */
function isOfMachine(end: BadEnd): boolean {
  return end !== 'limit' && end !== 'crash';
}

const how: Readonly<Partial<Record<BadEnd, string>>> = {
  memory: 'ran out of memory',
  system: 'was refused what it needs of the system',
};

function describeEnd(end: BadEnd, result: RunResult, limit: number): string {
  const { seconds, stderr } = result;
  const said = stderr.trim() === '' ? '' : `: ${firstError(stderr)}`;
  if (end === 'limit') return `the compiler had not finished after ${limit} s of CPU time`;
  if (end === 'crash') return `the compiler crashes on this source${said}`;
  if (end === 'stuck')
    return `the compiler had not finished after ${Math.round(seconds)} s with less than ${limit} s of CPU time: run it on a less busy machine`;
  const cure = end === 'system' ? cureOf(result) : 'free memory or lower --jobs';
  return `the compiler ${how[end] ?? 'was killed'}, also when no other ran beside it${said}; ${cure}, and ask again`;
}

/** Runs a compiler in one of the context's slots. Its time is CPU time, so that a busy machine is no fault of the source. */
export function runCompiler(
  argv: readonly string[],
  context: CompileContext,
  cwd: string,
  alone = false,
): Promise<RunResult> {
  const { executor, slots, signal, cpuSeconds = defaultCpuSeconds } = context;
  const call = (TMPDIR?: string) =>
    executor.run(argv, {
      cwd,
      cpuSeconds,
      timeoutMs: (context.wallSeconds ?? defaultWallSeconds) * 1000,
      // A cache of ours makes another compiler's cache needless, and messages are parsed.
      env: {
        LC_ALL: 'C',
        CCACHE_DISABLE: '1',
        NVCC_APPEND_FLAGS: undefined,
        NVCC_PREPEND_FLAGS: undefined,
        ...(TMPDIR !== undefined && { TMPDIR }),
      },
      ...(signal && { signal }),
    });
  const task = () => (isWithin(cwd, context.cacheRoot) ? inScratch(cwd, call) : call());
  return alone ? slots.alone(task) : slots.run(task);
}

function isWithin(path: string, folder: string): boolean {
  return path.startsWith(`${folder}${sep}`);
}

/**
 * Lends a folder for temporary files within one that is being filled. A compiler that is killed leaves them there, and they go
 * the way of the unfinished entry; in /tmp they would stay for ever.
 */
async function inScratch<T>(within: string, task: (scratch: string) => Promise<T>): Promise<T> {
  const scratch = mkdtempSync(join(within, 'scratch-'));
  try {
    return await task(scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * A compiler's answer. One that comes to a bad end is asked once more, with no other beside it, then a NoAnswer is thrown.
 * `works`: as `refusalOf` takes it, for one that crashes.
 */
export async function callCompiler(
  argv: readonly string[],
  context: CompileContext,
  cwd: string,
  { command = argv.join(' '), works }: { command?: string; works?: () => Promise<RunResult> } = {},
): Promise<RunResult> {
  const answer = await runCompiler(argv, context, cwd);
  if (badEnd(answer) === undefined) return answer;
  blameMachine(answer.stderr);
  const second = await runCompiler(argv, context, cwd, true);
  const end = badEnd(second);
  if (end === undefined) return second;
  blameMachine(second.stderr);
  if (end === 'crash' && works) await mustWork(works);
  throw new NoAnswer(end, second, command, context.cpuSeconds ?? defaultCpuSeconds);
}

/**
 * Turns a failed compiler call into a refusal. `works` compiles something known to be good: where even that fails, the
 * machine or the compiler is to blame and an EnvironmentError is thrown.
 */
export async function refusalOf(
  result: RunResult,
  works: () => Promise<RunResult>,
): Promise<NonNullable<Outcome['refusal']>> {
  const refusal = diagnose(result);
  if (refusal) return refusal;
  await mustWork(works);
  return { verdict: 'compile', message: `the compiler ${ending(result)}: ${firstError(result.stderr)}` };
}

async function mustWork(works: () => Promise<RunResult>): Promise<void> {
  const proof = await works();
  if (proof.exitCode === 0) return;
  blameMachine(`${proof.stderr}\n${proof.stdout}`);
  const end = badEnd(proof);
  if (end !== undefined && isOfMachine(end))
    throw new EnvironmentError(describeEnd(end, proof, defaultCpuSeconds));
  throw new EnvironmentError(
    `the compiler does not work, not even on an empty kernel: it ${ending(proof)}: ${firstError(proof.stderr)}; see \`npx gen doctor\``,
  );
}

/** The entry of a source that was compiled, or the verdict of one that was not. */
export async function entryOrVerdict(
  asked: Promise<Entry<Outcome>>,
  variant: string,
  device: DeviceName,
): Promise<Entry<Outcome> | Verdict> {
  const settled = backends[device].alwaysBuilt ? ('none' as const) : device;
  try {
    const entry = await asked;
    const { refusal } = entry.meta;
    return refusal ? { variant, device: settled, ...refused(entry, refusal) } : entry;
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    const { verdict, message, seconds, command } = error;
    return { variant, device: settled, verdict, evidence: { message, seconds, command, cached: false } };
  }
}

function refused(
  { folder, meta, cached }: Entry<Outcome>,
  { verdict, message }: NonNullable<Outcome['refusal']>,
): Pick<Verdict, 'verdict' | 'evidence'> {
  const { seconds, command } = meta;
  return { verdict, evidence: { message, seconds, command, log: join(folder, 'log.txt'), cached } };
}

/** Keeps what the compiler said beside what it made. */
export function writeLog(folder: string, command: string, result: RunResult): void {
  writeFileSync(join(folder, 'log.txt'), `$ ${command}\n${result.stdout}${result.stderr}`);
}
