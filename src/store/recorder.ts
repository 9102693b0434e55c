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
import type { Result } from '../model/strategy.ts';
import type { Variant } from '../model/variant.ts';
import { type GateScope, isDoubtful, type Verdict } from '../model/verdict.ts';
import { printableValue } from '../util/printable.ts';
import type { Run } from './run.ts';

/** As far as an artifact says what a verdict is of. */
type Judged = Pick<Artifact, 'device' | 'key'> & {
  readonly source: { readonly variant: { readonly id: string } };
};

/** Hands every event of a run to whoever shows it, keeps in the journal what took work, and counts. */
export class Recorder {
  readonly run: Run;
  readonly #sink: (event: Event) => void;
  readonly #judges: boolean;
  readonly #rendered = new Set<string>();
  readonly #built = new Map<string, boolean>();
  /** Last verdict of each variant in this part of the run. */
  readonly #last = new Map<string, VerdictEvent>();

  /**
   * `judges`: false where a command stands on verdicts of before, such as `gen emit`. What it compiles anew, or fails to compile
   * for want of memory, then takes the place of no verdict in the journal.
   */
  constructor(run: Run, sink: (event: Event) => void, judges = true) {
    this.run = run;
    this.#sink = sink;
    this.#judges = judges;
  }

  record(said: Event): void {
    const event = printableValue(said); // compilers and kernels write what they like
    // Parsed, so that fields stand in one order: records that say the same are then equal as text.
    if (isRecord(event)) this.#keep(recordSchema.parse(event));
    if (event.event === 'artifact') this.#built.set(`${event.variant} ${event.device}`, event.cached);
    if (event.event === 'verdict') this.#last.set(event.variant, event);
    this.#sink(event);
  }

  #keep(record: JournalRecord): void {
    const judged = record.event === 'artifact' || record.event === 'verdict';
    if (judged && !this.#judges) this.run.suppose(record);
    else this.run.append(record);
  }

  rendered(variant: string): void {
    this.#rendered.add(variant);
  }

  /**
   * The verdict of an earlier, interrupted part of this run on the very same artifact, by the same gate. One that may say more
   * of the machine than of the variant is none.
   */
  earlier({ source, device, key }: Judged, gate: GateScope): VerdictEvent | undefined {
    const verdicts = this.run.recordsOf(source.variant.id).filter((one) => one.event === 'verdict');
    return verdicts.find(
      (one) =>
        one.device === device && one.key === key && isSameGate(one.gate, gate) && !isDoubtful(one.evidence),
    );
  }

  /**
   * Tells again what the journal knows of these very artifacts; true where they passed wherever they were asked. What
   * passed a part of the gate alone has not passed.
   */
  passedBefore(artifacts: readonly Artifact[]): boolean {
    const gate = { depth: this.run.info.depth };
    const passes = this.#saidBefore(artifacts, gate).filter(({ verdict }) => verdict === 'passed');
    for (const word of passes) this.record(word);
    // The last word on a variant counts, so an objection comes last.
    return !this.objectedBefore(artifacts, gate) && passes.length > 0;
  }

  /** Whether a device has objected to these very artifacts, also one that is not asked now; tells again what it said. */
  objectedBefore(artifacts: readonly Judged[], gate: GateScope): boolean {
    const objections = this.#saidBefore(artifacts, gate).filter(({ verdict }) => verdict !== 'passed');
    for (const word of objections) this.record(word);
    return objections.length > 0;
  }

  #saidBefore(artifacts: readonly Judged[], gate: GateScope): readonly VerdictEvent[] {
    return artifacts.flatMap((one) => this.earlier(one, gate) ?? []);
  }

  /** Whether the journal has a time, or a reason for none, of every one of these on a workload. */
  isTimed(workload: string, artifacts: readonly Artifact[]): boolean {
    const subjects = new Set(
      this.run.records().flatMap((one) => {
        const refused = one.event === 'check' && one.verdict !== 'passed' && !isDoubtful(one.evidence);
        const settled = one.event === 'measurement' || refused;
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

  /** Outcomes of variants in this part of the run. */
  resultsOf(variants: readonly Variant[]): readonly Result[] {
    const passed = this.passed();
    const times = new Map<string, Measurement[]>();
    for (const one of this.measurements()) times.set(one.subject, [...(times.get(one.subject) ?? []), one]);
    return variants.map((variant) => ({
      variant,
      passed: passed.has(variant.id),
      measurements: times.get(variant.id) ?? [],
    }));
  }

  /** Ids of the variants that passed on every device that was asked, in this part of the run. */
  passed(): ReadonlySet<string> {
    const all = [...this.#last.values()].filter(({ verdict }) => verdict === 'passed');
    return new Set(all.map(({ variant }) => variant));
  }

  verdicts(): readonly Verdict[] {
    return this.run.records().flatMap((record) => {
      if (record.event !== 'verdict') return [];
      const { event: _, parameters: _p, key: _k, gate: _g, ...verdict } = record;
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
        compiled: new Set(built.map(([name]) => name.split(' ')[0])).size,
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
}

/** Records of earlier versions do not say; all that were kept were of a whole gate. */
function isSameGate(one: GateScope | undefined, wanted: GateScope): boolean {
  if (!one) return wanted.case === undefined && wanted.seed === undefined;
  return one.depth === wanted.depth && one.case === wanted.case && one.seed === wanted.seed;
}
