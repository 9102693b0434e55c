import { UsageError } from '../errors.ts';
import type { Verdict } from '../model/verdict.ts';
import type { Plan } from './plan.ts';

/**
 * The verdict, with a line to put into the description if that, and not the kernel, may be wrong. Throws a UsageError where only
 * a guess failed: the sizes of the first case suit most kernels.
 */
export function withAdvice(verdict: Verdict, plan: Plan, firstCase: string | undefined): Verdict {
  const { evidence } = verdict;
  mustSaySizes(verdict, plan, firstCase);
  const advice = adviceOn(verdict, plan, firstCase);
  return advice === undefined ? verdict : { ...verdict, evidence: { ...evidence, advice } };
}

function mustSaySizes(
  { verdict, evidence }: Verdict,
  { guesses }: Plan,
  firstCase: string | undefined,
): void {
  const [access, name = ''] =
    /\S+ of \d+ bytes at byte \d+ of '(\w+)' \(\d+ bytes\)/.exec(evidence.message) ?? [];
  if (verdict !== 'out-of-bounds' || evidence.case !== firstCase || !guesses.includes(name)) return;
  const [, place = ''] = / at (\S+:\d+)\]/.exec(evidence.message) ?? [];
  throw new UsageError(
    `how many elements '${name}' has is not known, and a guess is too small (${place}: ${access}); say it above the kernel: /* tilewright arguments: { ${name}: [256] } */`,
  );
}

function adviceOn(
  { verdict, evidence }: Verdict,
  plan: Plan,
  firstCase: string | undefined,
): string | undefined {
  const { message } = evidence;
  const [, name] = /^uninitialised: byte \d+ of '(\w+)'/.exec(message) ?? [];
  const tensor = plan.arguments.find(
    (one) => one.kind === 'tensor' && one.role === 'out' && one.name === name,
  );
  if (tensor)
    return `if the kernel is meant to read '${name}', say ${name}: { role: inout } in the description`;
  if (verdict === 'passed' || (verdict === 'race' && !isBetweenBlocks(message, plan))) return undefined;
  const [, beyond = ''] = / of '(\w+)' \(\d+ bytes\)/.exec(message) ?? [];
  if (verdict === 'out-of-bounds' && plan.guesses.includes(beyond))
    return `how many elements '${beyond}' has is a guess; if it is wrong, say it above the kernel: /* tilewright arguments: { ${beyond}: [${shapeOf(beyond, plan)}] } */`;
  if (plan.guesses.includes('sizes') && evidence.case !== firstCase && verdict !== 'race')
    return `it passes with ${firstCase}; if it is meant for such sizes alone, say so above the kernel: /* tilewright where: ${example(plan)} */`;
  const guessed = plan.guesses.filter((one) => one !== 'sizes' && matters(one, verdict, message));
  if (guessed.length > 0)
    return `guessed, for want of a description: ${guessed.join(', ')}; \`npx gen describe\` writes one to correct`;
  return undefined;
}

/** An array that the kernel declares is as large as it says, and floats in a symbol change results alone. */
function matters(guessed: string, verdict: string, message: string): boolean {
  if (/^shared-out-of-bounds: .* of shared '/.test(message)) return guessed === 'block';
  return guessed !== 'symbols' || /^(wrong|nonfinite|nondeterministic)$/.test(verdict);
}

function shapeOf(name: string, plan: Plan): string {
  const tensor = plan.arguments.find((one) => one.kind === 'tensor' && one.name === name);
  return tensor?.kind === 'tensor' ? tensor.shape.join(', ') : '256';
}

/** Blocks that write the same place may be more than the kernel is meant to have. */
function isBetweenBlocks(message: string, { guesses }: Plan): boolean {
  const blocks = message.match(/ of block \(\d+,\d+,\d+\)/g) ?? [];
  return guesses.includes('grid') && new Set(blocks).size > 1;
}

function example({ sizes }: Plan): string {
  return `${Object.keys(sizes[0] ?? {}).at(-1) ?? 'n'} % 64 == 0`;
}
