import { timedArtifacts } from '../backends/index.ts';
import type { JournalRecord, VerdictEvent } from '../model/event.ts';

export type RecordOf<Name extends JournalRecord['event']> = Extract<JournalRecord, { event: Name }>;

/** The records of one kind, in order. */
export function recordsOf<Name extends JournalRecord['event']>(
  records: readonly JournalRecord[],
  name: Name,
): RecordOf<Name>[] {
  return records.filter((record): record is RecordOf<Name> => record.event === name);
}

/** Last verdict per variant: where the emulated device passed and the GPU did not, the GPU's. */
export function lastVerdicts(records: readonly JournalRecord[]): Map<string, VerdictEvent> {
  return new Map(recordsOf(records, 'verdict').map((record) => [record.variant, record]));
}

/** Artifacts of the device `cuda`, by variant; of one compiled twice, the last. */
export function cubinsOf(records: readonly JournalRecord[]): Map<string, RecordOf<'artifact'>> {
  const cubins = timedArtifacts(recordsOf(records, 'artifact'));
  return new Map(cubins.map((record) => [record.variant, record]));
}
