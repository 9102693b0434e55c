import type { Artifact } from '../model/artifact.ts';
import {
  type Event,
  isRecord,
  type JournalRecord,
  recordSchema,
  type Summary,
  type VerdictEvent,
} from '../model/event.ts';
import type { Measurement } from '../model/measurement.ts';
import type { Verdict } from '../model/verdict.ts';
import type { Run } from './run.ts';

/** Hands every event of a run to whoever shows it, keeps in the journal what took work, and counts. */
export class Recorder {
  readonly run: Run;
  readonly #sink: (event: Event) => void;
  readonly #known = new Set<string>();
  readonly #rendered = new Set<string>();
  readonly #built = new Map<string, boolean>();
  /** Last verdict of each variant in this part of the run. */
  readonly #last = new Map<string, VerdictEvent>();
  /** Last verdict of each variant on each device that the journal holds. */
  readonly #judged = new Map<string, VerdictEvent>();

  constructor(run: Run, sink: (event: Event) => void) {
    this.run = run;
    this.#sink = sink;
    for (const record of run.records()) this.#know(record);
  }

  emit(event: Event): void {
    // Parsed, so that fields stand in one order: records that say the same are then equal as text.
    if (isRecord(event)) this.#keep(recordSchema.parse(event));
    if (event.event === 'artifact') this.#built.set(`${event.variant} ${event.device}`, event.cached);
    if (event.event === 'verdict') this.#last.set(event.variant, event);
    this.#sink(event);
  }

  rendered(variant: string): void {
    this.#rendered.add(variant);
  }

  /** The verdict of an earlier, interrupted part of this run on the very same artifact. */
  earlier(variant: string, device: Verdict['device'], key: string): VerdictEvent | undefined {
    const record = this.#judged.get(`${variant} ${device}`);
    return record?.key === key ? record : undefined;
  }

  /** Tells again what the journal knows of these very artifacts; true where they passed wherever they were asked. */
  passedBefore(artifacts: readonly Artifact[]): boolean {
    const words = artifacts.flatMap((one) => this.earlier(one.source.variant.id, one.device, one.key) ?? []);
    const failed = words.filter(({ verdict }) => verdict !== 'passed');
    // The last word on a variant counts, so an objection comes last.
    for (const word of [...words.filter((one) => !failed.includes(one)), ...failed]) this.emit(word);
    return words.length > 0 && failed.length === 0;
  }

  /** Whether the journal has a time, or a reason for none, of every one of these on a workload. */
  isTimed(workload: string, artifacts: readonly Artifact[]): boolean {
    const subjects = new Set(
      this.run.records().flatMap((one) => {
        const settled = one.event === 'measurement' || (one.event === 'check' && one.verdict !== 'passed');
        return settled && one.workload === workload ? [one.subject] : [];
      }),
    );
    return artifacts.every(({ source }) => subjects.has(source.variant.id));
  }

  measurements(): readonly Measurement[] {
    return this.run.records().flatMap((record) => {
      if (record.event !== 'measurement') return [];
      const { event: _, ...measurement } = record;
      return [measurement];
    });
  }

  /** Ids of the variants that passed on every device that was asked, in this part of the run. */
  passed(): ReadonlySet<string> {
    const all = [...this.#last.values()].filter(({ verdict }) => verdict === 'passed');
    return new Set(all.map(({ variant }) => variant));
  }

  verdicts(): readonly Verdict[] {
    return this.run.records().flatMap((record) => {
      if (record.event !== 'verdict') return [];
      const { event: _, parameters: _p, key: _k, ...verdict } = record;
      return [verdict];
    });
  }

  summary(
    rest: Pick<Summary, 'seconds' | 'library' | 'prefix' | 'untimed'> & { points: number; legal: number },
  ): Summary {
    const { points, legal, ...others } = rest;
    const verdicts: Record<string, number> = {};
    for (const { verdict } of this.#last.values()) verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
    const built = [...this.#built.entries()];
    const timed = this.measurements().filter((one) => one.kind === 'variant' && one.rejected === undefined);
    return {
      event: 'summary',
      funnel: {
        points,
        legal,
        rendered: this.#rendered.size,
        compiled: built.filter(([name]) => name.endsWith(' cuda')).length,
        passed: this.passed().size,
        timed: new Set(timed.map(({ subject }) => subject)).size,
      },
      verdicts,
      cache: {
        hits: built.filter(([, cached]) => cached).length,
        compiled: built.filter(([, cached]) => !cached).length,
      },
      run: this.run.path,
      ...others,
    };
  }

  #keep(record: JournalRecord): void {
    if (this.#known.has(identity(record))) return;
    this.run.append(record);
    this.#know(record);
  }

  #know(record: JournalRecord): void {
    this.#known.add(identity(record));
    if (record.event === 'verdict') this.#judged.set(`${record.variant} ${record.device}`, record);
  }
}

/** Equal for records that say the same of the same thing: what a resumed run finds again is not written again. */
function identity(record: JournalRecord): string {
  const { event } = record;
  if (event === 'artifact') return [event, record.variant, record.device, record.key].join(' ');
  if (event === 'verdict')
    return [event, record.variant, record.device, record.key, record.verdict].join(' ');
  return JSON.stringify(record);
}
