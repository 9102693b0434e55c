import type { Verdict } from '../model/verdict.ts';
import type { MutantResult } from './result.ts';

/**
 * What a compiler's objection makes of a mutant: one that is no valid kernel is none, one that a check of the source or of
 * ptxas's figures catches is killed. A compiler that ran out of time says nothing.
 */
export function refusal(
  result: Omit<MutantResult, 'outcome'>,
  { verdict, evidence }: Verdict,
): MutantResult | undefined {
  const { message } = evidence;
  if (/had not finished after/.test(message)) return undefined;
  const caught = verdict === 'resources' || /^ptxas changed|static assertion failed/.test(message);
  return {
    ...result,
    outcome: caught ? 'killed' : 'refused',
    verdict,
    message,
    ...(caught && { depth: 'quick' }),
  };
}

export function judged(
  result: Omit<MutantResult, 'outcome'>,
  { verdict: { verdict, evidence }, depth }: { readonly verdict: Verdict; readonly depth: 'quick' | 'full' },
): MutantResult {
  if (verdict === 'passed') return { ...result, outcome: 'survived', depth };
  const { tier, case: id, message } = evidence;
  return {
    ...result,
    outcome: 'killed',
    ...{ depth, verdict, message },
    ...(tier !== undefined && { tier }),
    ...(id !== undefined && { case: id }),
  };
}
