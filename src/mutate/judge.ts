import { isDoubtful, type Verdict } from '../model/verdict.ts';
import type { GpuResult, MutantResult } from './result.ts';

/** A device's first objection, or that it has none, and the depth at which that was. */
export interface Word {
  readonly verdict: Verdict;
  readonly depth: 'quick' | 'full';
}

/** A mutant that the machine kept from an answer: it counts as survived, and is tried again when the command goes on. */
function undecided(result: Omit<MutantResult, 'outcome'>, { evidence }: Verdict): MutantResult {
  return { ...result, outcome: 'survived', undecided: evidence.message };
}

/**
 * Outcome of a mutant that a compiler objects to: one that is no valid kernel is refused, one that a check of the source or of
 * ptxas's figures catches is killed. A compiler that ran out of time decides nothing.
 */
export function refusal(result: Omit<MutantResult, 'outcome'>, refused: Verdict): MutantResult {
  const { verdict, evidence } = refused;
  const { message } = evidence;
  if (verdict === 'machine' || /had not finished after/.test(message)) return undecided(result, refused);
  const caught = verdict === 'resources' || /^ptxas changed|static assertion failed/.test(message);
  return {
    ...result,
    outcome: caught ? 'killed' : 'refused',
    verdict,
    message,
    ...(caught && { depth: 'quick' }),
  };
}

export function judged(result: Omit<MutantResult, 'outcome'>, word: Word): MutantResult {
  return isDoubtful(word.verdict.evidence) ? undecided(result, word.verdict) : { ...result, ...wordOf(word) };
}

/** A device's word as results have it. */
export function wordOf({ verdict: { verdict, evidence }, depth }: Word): GpuResult {
  if (verdict === 'passed') return { outcome: 'survived', depth };
  const { tier, case: id, message } = evidence;
  return {
    outcome: 'killed',
    ...{ depth, verdict, message },
    ...(tier !== undefined && { tier }),
    ...(id !== undefined && { case: id }),
  };
}

/** Whether a result is of a kernel that runs, and so has something to say to a device. */
export function isGated({ outcome, verdict }: MutantResult): boolean {
  return outcome === 'survived' || (outcome === 'killed' && verdict !== 'compile' && verdict !== 'resources');
}
