import type { JournalRecord, VerdictEvent } from '../model/event.ts';
import type { EvidenceGate } from '../model/evidence.ts';
import { recordsOf } from './records.ts';

type Opinions = EvidenceGate['vendor'];

/** Results of the gate on each device. `records`: those of a run that still hold, so one verdict per variant and device. */
export function gateOf(records: readonly JournalRecord[]): EvidenceGate[] {
  const judged = recordsOf(records, 'verdict').filter(({ device }) => device !== 'none');
  return [...new Set(judged.map(({ device }) => device))].map((device) => {
    const here = judged.filter((one) => one.device === device);
    const passed = here.filter(({ verdict }) => verdict === 'passed');
    return {
      ...{ device, variants: here.length, passed: passed.length },
      cases: passed.reduce((sum, { evidence }) => sum + (evidence.cases ?? 0), 0),
      maxErrorOverBound: Math.max(0, ...passed.map(({ evidence }) => evidence.maxErrorOverBound ?? 0)),
      vendor: passed.reduce(addOpinions, {}),
    };
  });
}

function addOpinions(sum: Opinions, { evidence }: VerdictEvent): Opinions {
  const next = { ...sum };
  for (const [name, opinion] of Object.entries(evidence.vendor ?? {})) {
    const before = sum[name] ?? { agreed: 0, unsupported: 0, maxErrorOverBound: 0, disagrees: [] };
    next[name] = {
      agreed: before.agreed + opinion.agreed,
      unsupported: before.unsupported + opinion.unsupported,
      maxErrorOverBound: Math.max(before.maxErrorOverBound, opinion.maxErrorOverBound),
      disagrees: [...new Set([...before.disagrees, ...opinion.disagrees])],
    };
  }
  return next;
}
