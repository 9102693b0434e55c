import { EnvironmentError } from '../errors.ts';
import type { Measurement } from '../model/measurement.ts';
import { type Crash, isFromOutside, isSameCrash } from './blame.ts';
import type { Check, TimeEvent, TimeJob, WorkerLine } from './protocol.ts';
import { describeEnding, type Ending } from './worker.ts';

/** Sends a job to the worker; an ending of the worker is the last thing that comes back. */
type Converse = (job: TimeJob & { readonly job: 'time' }) => AsyncIterable<WorkerLine | Ending>;

/**
 * Runs a timing job to its end, whatever its variants do: one that breaks the device twice gets the check `fault`, one that
 * hangs it `hang`, and the job is run again without it on a fresh worker.
 */
export async function* runTimeJob(converse: Converse, job: TimeJob): AsyncGenerator<TimeEvent, void> {
  const attempts = new Attempts(job);
  while (true) {
    yield* attempts.run(converse);
    if (attempts.finished) return;
  }
}

class Attempts {
  finished = false;
  readonly #job: TimeJob;
  /** The last check of each subject. */
  readonly #checks = new Map<string, Check>();
  /** The last end of a worker, by what ran then; the key of what ran before any subject is undefined. */
  readonly #crashes = new Map<string | undefined, Crash>();

  constructor(job: TimeJob) {
    this.#job = job;
  }

  async *run(converse: Converse): AsyncGenerator<TimeEvent, void> {
    const measurements: Measurement[] = [];
    let running: string | undefined;
    for await (const line of converse({ job: 'time', ...this.#remaining() })) {
      if (!('event' in line)) yield* this.#ended(line, running);
      else if (line.event === 'case' || line.event === 'sampling') running = line.subject;
      else if (line.event === 'check') yield* this.#note(line);
      else if (line.event === 'measurement') measurements.push(measurementOf(line));
      else if (line.event === 'done') this.finished = true;
    }
    if (!this.finished) return;
    for (const measurement of measurements) yield { kind: 'measurement', measurement };
  }

  /** The job without what has failed. A library that breaks the device takes the other libraries with it. */
  #remaining(): TimeJob {
    const failed = [...this.#checks.values()].filter(({ verdict }) => verdict !== 'passed');
    const names = new Set(failed.map(({ subject }) => subject));
    const broken = failed.some(({ kind, verdict }) => kind === 'baseline' && verdict !== 'unsupported');
    return {
      ...this.#job,
      variants: this.#job.variants.filter(({ id }) => !names.has(id)),
      baselines: this.#job.baselines && !broken,
    };
  }

  /** Passes a check on, unless an earlier attempt has said the same. */
  *#note({ event: _, id: __, ...check }: Extract<WorkerLine, { event: 'check' }>): Generator<TimeEvent> {
    const known = this.#checks.get(check.subject)?.verdict;
    this.#checks.set(check.subject, check);
    if (known !== check.verdict) yield { kind: 'check', check };
  }

  /** The worker is gone: who was it? */
  *#ended(ending: Ending, running: string | undefined): Generator<TimeEvent> {
    const known = running === undefined ? undefined : this.#checks.get(running)?.verdict;
    if (known !== undefined && known !== 'passed') return; // the worker said so itself before it ended
    const crash = { ending, suspect: {} };
    const before = this.#crashes.get(running);
    this.#crashes.set(running, crash);
    if (!before && (ending.kind === 'died' || ending.idle)) return; // anybody may have killed it
    const message = `the worker ${describeEnding(ending)}`;
    if (running === undefined)
      throw new EnvironmentError(`${message} before it ran anything of ${this.#job.workload.id}`);
    const repeated = before !== undefined && isSameCrash(before, crash);
    const doubtful = isFromOutside(ending) || (ending.kind === 'died' && !repeated);
    const kind = this.#job.variants.some(({ id }) => id === running) ? 'variant' : 'baseline';
    const verdict = ending.kind === 'silent' ? 'hang' : 'fault';
    const check: Check = {
      subject: running,
      kind,
      workload: this.#job.workload.id,
      verdict,
      evidence: { message, ...(doubtful && { doubtful }) },
    };
    this.#checks.set(running, check);
    yield { kind: 'check', check };
  }
}

function measurementOf({
  event: _,
  id: __,
  ...rest
}: Extract<WorkerLine, { event: 'measurement' }>): Measurement {
  return rest;
}
