import { backends } from '../backends/index.ts';
import type { JournalRecord } from '../model/event.ts';
import { isDoubtful } from '../model/verdict.ts';

type VerdictRecord = Extract<JournalRecord, { event: 'verdict' }>;
type ArtifactRecord = Extract<JournalRecord, { event: 'artifact' }>;

/**
 * Records of a journal that still hold. Kernels change between the parts of a run, and variants are judged anew: verdicts
 * and times of code that is no more are left out, and so is a verdict that another has replaced.
 */
export class Current {
  /** In the order in which they were added. */
  readonly #records = new Set<JournalRecord>();
  readonly #about = new Map<string, readonly JournalRecord[]>();

  /** False where an equal record holds already, or one that says more. */
  add(record: JournalRecord): boolean {
    const subject = subjectOf(record);
    const about = this.about(subject);
    if (about.some((old) => old.event === record.event && identity(old) === identity(record))) return false;
    if (isJudgedBefore(record, about)) return false;
    const outdated = new Set(outdatedBy(record, about));
    for (const old of outdated) this.#records.delete(old);
    this.#about.set(subject, [...about.filter((old) => !outdated.has(old)), record]);
    this.#records.add(record);
    return true;
  }

  records(): readonly JournalRecord[] {
    return [...this.#records];
  }

  /** Valid records about one variant or baseline. */
  about(subject: string): readonly JournalRecord[] {
    return this.#about.get(subject) ?? [];
  }
}

function subjectOf(record: JournalRecord): string {
  if ('variant' in record) return record.variant;
  return 'subject' in record ? record.subject : record.event;
}

/** Equal for records that say the same of the same thing: what a resumed run finds again is not written again. */
function identity(record: JournalRecord): string {
  const { event } = record;
  if (event === 'artifact') return [record.device, record.key].join(' ');
  if (event === 'verdict') {
    const { device, key, verdict, gate, evidence } = record;
    return [device, key, verdict, JSON.stringify(gate), isDoubtful(evidence)].join(' ');
  }
  return JSON.stringify(record);
}

function outdatedBy(record: JournalRecord, about: readonly JournalRecord[]): readonly JournalRecord[] {
  if (record.event === 'artifact') return about.filter(outdatedByArtifact(record, about));
  if (record.event === 'verdict') return outdatedByVerdict(record, about);
  return [];
}

/** Whether a verdict is about the machine, where one about the kernel from the same source holds: that one stands. */
function isJudgedBefore(record: JournalRecord, about: readonly JournalRecord[]): boolean {
  if (record.event !== 'verdict' || record.verdict !== 'machine' || record.device !== 'none') return false;
  const { key } = record;
  const artifacts = new Set(
    about.flatMap((old) =>
      old.event === 'artifact' && old.source === key ? [`${old.device} ${old.key}`] : [],
    ),
  );
  return about.some((old) => {
    if (old.event !== 'verdict' || old.verdict === 'machine' || isDoubtful(old.evidence)) return false;
    return old.device === 'none' ? old.key === key : artifacts.has(`${old.device} ${old.key}`);
  });
}

/** Test for records of another artifact: made, judged or timed. */
function outdatedByArtifact({ device, key, source }: ArtifactRecord, about: readonly JournalRecord[]) {
  const replaced = about.some((old) => old.event === 'artifact' && old.device === device);
  return (old: JournalRecord): boolean => {
    if (old.event === 'artifact') return old.device === device;
    if (old.event === 'verdict' && old.device === 'none') return isOther(old.key, source);
    if (old.event === 'verdict') return old.device === device && isOther(old.key, key);
    return replaced && backends[device].times; // a time or a check
  };
}

/**
 * A verdict takes the place of the former one of its device, and of those that devices gave that are asked after it. One that
 * no device gave (`none`: it does not build) takes the place of everything that was made of other sources.
 */
function outdatedByVerdict({ device, key }: VerdictRecord, about: readonly JournalRecord[]): JournalRecord[] {
  if (device === 'none') return about.filter((old) => old.event !== 'artifact' || isOther(old.source, key));
  const verdicts = about.filter((old): old is VerdictRecord => old.event === 'verdict');
  const at = verdicts.findIndex((old) => old.device === device);
  return verdicts.filter((old, index) => old.device === 'none' || (at >= 0 && index >= at));
}

/** Records of early versions do not say what they are of. */
function isOther(one: string | undefined, another: string | undefined): boolean {
  return one !== undefined && another !== undefined && one !== another;
}
