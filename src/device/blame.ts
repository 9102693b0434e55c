import { signalsFromOutside } from '../model/verdict.ts';
import type { GateAnswer, GateJob } from './protocol.ts';
import { describeEnding, type Ending } from './worker.ts';

/** Lines of a worker that tell what it is about to do. */
export const phases = ['preparing', 'case', 'checking'] as const;
export type Phase = (typeof phases)[number];

/** A worker's last announcement. */
export interface Suspect {
  readonly case?: string | undefined;
  readonly schedule?: number | undefined;
  readonly phase?: Phase;
  /** Whether a kernel has run in this job. */
  readonly launched?: boolean;
}

/** The end of a worker in the middle of a job. */
export interface Crash {
  readonly ending: Ending;
  readonly suspect: Suspect;
}

const duringPhase: Readonly<Record<Phase, string>> = {
  preparing: "while the family's C++ prepared it: operands and references (oracle.hpp), launch (launch.hpp)",
  case: 'while the kernel ran',
  checking: 'while its result was checked',
};

/** Whether two workers ended in one way at one place. */
export function isSameCrash(one: Crash, other: Crash): boolean {
  return fingerprint(one) === fingerprint(other);
}

function fingerprint({ ending, suspect }: Crash): string {
  const how = ending.kind === 'died' ? [ending.signal, ending.code] : [];
  return JSON.stringify([ending.kind, ...how, suspect.case, suspect.schedule]);
}

/** Whether somebody else may have ended the worker, or stopped it: no kernel sends itself such a signal. */
export function isFromOutside(ending: Ending): boolean {
  if (ending.kind === 'silent') return ending.idle;
  return ending.kind === 'died' && signalsFromOutside.has(ending.signal ?? '');
}

/** The verdict on a variant that took its worker down. `doubtful`: it may have been something else that did. */
export function blame({ ending, suspect }: Crash, job: GateJob, doubtful = false): GateAnswer {
  const item = job.cases.find(({ id }) => id === suspect.case);
  const seed = job.schedules[suspect.schedule ?? -1]?.seed;
  const where = item ? ` in case '${item.id}'` : '';
  const when = duringPhase[suspect.phase ?? 'checking'];
  const doubt = doubtful
    ? '; something else may have ended it (is memory short?), so --resume asks again'
    : '';
  return {
    verdict: ending.kind === 'silent' ? 'hang' : 'fault',
    evidence: {
      message: `the worker ${describeEnding(ending)}${where}, ${when}${doubt}`,
      ...(item && { case: item.id, tier: item.tier }),
      ...(suspect.schedule !== undefined && { schedule: suspect.schedule }),
      ...(seed !== undefined && { seed }),
      ...(ending.kind === 'died' && { signal: ending.signal, exitCode: ending.code }),
      ...(doubtful && { doubtful }),
    },
  };
}
