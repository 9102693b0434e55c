import type { Verdict } from '../model/verdict.ts';
import { described } from './examples.ts';
import { productOf, type Sizes } from './expression.ts';
import type { Plan } from './plan.ts';

/** The verdict, with a line to put into the description if that, and not the kernel, may be wrong. */
export function withAdvice(verdict: Verdict, plan: Plan, firstCase: string | undefined): Verdict {
  const { evidence } = verdict;
  const advice = adviceOn(verdict, plan, firstCase);
  return advice === undefined ? verdict : { ...verdict, evidence: { ...evidence, advice } };
}

function adviceOn(verdict: Verdict, plan: Plan, firstCase: string | undefined): string | undefined {
  const {
    verdict: word,
    evidence: { message },
  } = verdict;
  if (word === 'passed' || word === 'divergence') return onBarrier(verdict, plan);
  return (
    onKept(verdict, plan) ??
    onSlow(verdict, plan) ??
    onRole(message, plan) ??
    onGuesses(verdict, plan, firstCase)
  );
}

function onBarrier({ evidence }: Verdict, { guesses }: Plan): string | undefined {
  if (!evidence.message.startsWith('early-exit:')) return undefined;
  const sizes = guesses.includes('sizes') ? `; the sizes are a guess (${evidence.case})` : '';
  return `GPUs since Volta do not wait for threads that have ended; if that is intended, say allow: [early-exit] in the description${sizes}`;
}

/** Elements of all arrays from which a launch may end for want of time alone. */
const many = 2 ** 22;

/** A launch that took too long may have had too much to do. */
function onSlow({ verdict, evidence }: Verdict, plan: Plan): string | undefined {
  if (verdict !== 'hang' || !/has run for more than|made no progress/.test(evidence.message))
    return undefined;
  const [sizes = {}] = plan.sizes;
  const elements = plan.arguments.reduce(
    (sum, one) => sum + (one.kind === 'tensor' ? productOf(one.shape, sizes) : 0),
    0,
  );
  if (elements < many) return undefined;
  return `the arrays have up to ${elements} elements, and the emulated device is slow: if the kernel's loops end, say smaller sizes`;
}

/** Host code that is not there may set variables before each launch. */
function onKept({ verdict }: Verdict, { kept }: Plan): string | undefined {
  if (verdict !== 'stateful' || kept.length === 0) return undefined;
  const each = kept.map((name) => `${name}: 0`).join(', ');
  const names = kept.map((name) => `'${name}'`).join(', ');
  return `a launch finds in ${names} what the one before has left there; if host code sets that before each launch, say so in the description: symbols: { ${each} }`;
}

/** Outputs that the kernel reads, or writes in part, are none. */
function onRole(message: string, plan: Plan): string | undefined {
  const isOutput = (name: string) =>
    plan.arguments.some((one) => one.kind === 'tensor' && one.role === 'out' && one.name === name);
  const [, read = ''] = /^uninitialised: byte \d+ of '(\w+)'/.exec(message) ?? [];
  if (isOutput(read))
    return `if the kernel is meant to read '${read}', say ${described(read, '{ role: inout }')} in the description`;
  const [, left = ''] = /^'([\w.]+)': .*never written/.exec(message) ?? [];
  if (isOutput(left))
    return `if the kernel is meant to leave elements of '${left}' as they are, say ${described(left, '{ role: inout }')} in the description, or unspecified: true where the reference leaves them too and they may hold anything`;
  return undefined;
}

function onGuesses(
  { verdict, evidence }: Verdict,
  plan: Plan,
  firstCase: string | undefined,
): string | undefined {
  const { message } = evidence;
  const isFirst = evidence.case === firstCase;
  const [, beyond = ''] = / of '(\w+)' \(\d+ bytes\)/.exec(message) ?? [];
  const isLengthGuessed = verdict === 'out-of-bounds' && plan.guesses.includes(beyond);
  const length = `how many elements '${beyond}' has is a guess; if it is wrong, say it above the kernel: /* tilewright arguments: { ${beyond}: [${shapeOf(beyond, plan)}] } */`;
  if (plan.guesses.includes('sizes') && !isFirst) {
    const sizes = `it passes with ${firstCase}; if it is meant for such sizes alone, say so above the kernel: /* tilewright where: ${example(plan)} */`;
    return isLengthGuessed ? `${sizes}; ${length}` : sizes;
  }
  if (isLengthGuessed) return length;
  if (verdict === 'race' && !isBetweenBlocks(message, plan)) return undefined;
  const guessed = plan.guesses.filter((one) => matters(one, verdict, message));
  if (guessed.length === 0) return undefined;
  const shown = guessed.map((one) => (one === 'sizes' ? `sizes (${evidence.case})` : one));
  return `guessed, for want of a description: ${shown.join(', ')}; \`npx gen describe\` writes one to correct`;
}

/** An array that the kernel declares is as large as it says, and floats in a symbol change results alone. */
function matters(guessed: string, verdict: string, message: string): boolean {
  if (/^shared-out-of-bounds: .* of shared '/.test(message)) return /^(block|shared)$/.test(guessed);
  return guessed !== 'symbols' || /^(wrong|nonfinite|nondeterministic)$/.test(verdict);
}

function shapeOf(name: string, plan: Plan): string {
  const tensor = plan.arguments.find((one) => one.kind === 'tensor' && one.name === name);
  return tensor?.kind === 'tensor' ? tensor.shape.join(', ') : '256';
}

/** Blocks that write the same place may be more than the kernel is meant to have. */
function isBetweenBlocks(message: string, { guesses }: Plan): boolean {
  const blocks = message.match(/ of block \(\d+,\d+,\d+\)/g) ?? [];
  return (guesses.includes('grid') || guesses.includes('sizes')) && new Set(blocks).size > 1;
}

/** Condition that the sizes of the first case fulfil: multiples of a power of two. */
function example({ sizes: [first = {}] }: Pick<Plan, 'sizes'>): string {
  return multiplesIn(first).join(' && ') || `${Object.keys(first).at(-1) ?? 'n'} % 64 == 0`;
}

function multiplesIn(sizes: Sizes): string[] {
  return Object.entries(sizes).flatMap(([name, value]) => {
    const divisor = [128, 64, 32].find((one) => value % one === 0);
    return divisor === undefined ? [] : [`${name} % ${divisor} == 0`];
  });
}
