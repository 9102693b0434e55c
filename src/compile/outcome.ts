import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { EnvironmentError } from '../errors.ts';
import type { RunResult } from '../exec/executor.ts';
import { compiledKernelSchema, type DeviceName, resourcesSchema } from '../model/artifact.ts';
import type { Verdict } from '../model/verdict.ts';
import type { Entry } from './cache.ts';
import { type CompileContext, defaultTimeoutMs } from './context.ts';
import { diagnose, ending, firstError } from './diagnosis.ts';

/** What an entry of the cache says of one compiled source; a refusal is kept too, so that it is not asked for again. */
export const outcomeSchema = z.object({
  seconds: z.number(),
  command: z.string(),
  resources: resourcesSchema.optional(),
  kernels: z.record(z.string(), compiledKernelSchema).optional(),
  refusal: z.object({ verdict: z.enum(['compile', 'resources']), message: z.string() }).optional(),
});
export type Outcome = z.infer<typeof outcomeSchema>;

/** Runs a compiler in the time that the context grants. */
export function callCompiler(
  argv: readonly string[],
  context: CompileContext,
  cwd: string,
): Promise<RunResult> {
  return context.executor.run(argv, {
    cwd,
    timeoutMs: context.timeoutMs ?? defaultTimeoutMs,
    // A cache of ours makes another compiler's cache needless, and messages are parsed.
    env: { LC_ALL: 'C', CCACHE_DISABLE: '1', NVCC_APPEND_FLAGS: undefined, NVCC_PREPEND_FLAGS: undefined },
    ...(context.signal && { signal: context.signal }),
  });
}

/**
 * Turns a failed compiler call into a refusal. `works` compiles something known to be good: where even that fails, the
 * compiler is to blame and an EnvironmentError is thrown.
 */
export async function refusalOf(
  result: RunResult,
  context: CompileContext,
  works: () => Promise<RunResult>,
): Promise<Outcome['refusal']> {
  const refusal = diagnose(result, (context.timeoutMs ?? defaultTimeoutMs) / 1000);
  if (refusal) return refusal;
  const proof = await works();
  const said = firstError(result.stderr);
  if (proof.exitCode === 0) return { verdict: 'compile', message: `the compiler ${ending(result)}: ${said}` };
  throw new EnvironmentError(
    `the compiler does not work, not even on an empty kernel: it ${ending(proof)}: ${firstError(proof.stderr)}; see \`npx gen doctor\``,
  );
}

/** Keeps what the compiler said beside what it made. */
export function writeLog(folder: string, command: string, result: RunResult): void {
  writeFileSync(join(folder, 'log.txt'), `$ ${command}\n${result.stdout}${result.stderr}`);
}

/** The verdict of a refused source. */
export function refused(
  entry: Entry<Outcome>,
  refusal: NonNullable<Outcome['refusal']>,
  variant: string,
  device: DeviceName,
): Verdict {
  return {
    variant,
    device: device === 'cuda' ? 'none' : device,
    verdict: refusal.verdict,
    evidence: {
      message: refusal.message,
      seconds: entry.meta.seconds,
      command: entry.meta.command,
      log: join(entry.folder, 'log.txt'),
      cached: entry.cached,
    },
  };
}
