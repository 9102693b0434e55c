import type { GateAnswer, GateJob } from './protocol.ts';
import { describeEnding, type Ending } from './worker.ts';

/** What a worker announced last. */
export interface Suspect {
  readonly case?: string | undefined;
  readonly schedule?: number | undefined;
  readonly inKernel?: boolean;
}

/** The verdict on a variant that took its worker down. */
export function blame(ending: Ending, suspect: Suspect, job: GateJob): GateAnswer {
  const item = job.cases.find(({ id }) => id === suspect.case);
  const seed = job.schedules[suspect.schedule ?? -1]?.seed;
  const where = item ? ` in case '${item.id}'` : '';
  const when = suspect.inKernel ? 'while the kernel ran' : 'while its result was checked';
  return {
    verdict: ending.kind === 'silent' ? 'hang' : 'fault',
    evidence: {
      message: `the worker ${describeEnding(ending)}${where}, ${when}`,
      ...(item && { case: item.id, tier: item.tier }),
      ...(suspect.schedule !== undefined && { schedule: suspect.schedule }),
      ...(seed !== undefined && { seed }),
      ...(ending.kind === 'died' && { signal: ending.signal, exitCode: ending.code }),
    },
  };
}
