import { UsageError } from '../errors.ts';
import type { Verdict } from '../model/verdict.ts';
import type { PlannedArgument } from './arguments.ts';
import { described, describedAll } from './examples.ts';
import type { Plan } from './plan.ts';

/** Throws a UsageError where a kernel is not to blame: it needs something that only its author knows. */
export function mustBeKnown(verdict: Verdict, plan: Plan, firstCase: string | undefined): void {
  mustHaveFunctions(verdict, plan);
  mustSayShared(verdict, plan);
  mustSayBlock(verdict, plan, firstCase);
  mustSaySizes(verdict, plan, firstCase);
  mustSayLess(verdict, plan);
}

/** A function of the host's library, or of another file, is called. */
function mustHaveFunctions({ evidence }: Verdict, { signature, kernel }: Plan): void {
  const [, symbol] = /undefined symbol: (\w+)/.exec(evidence.message) ?? [];
  if (symbol === undefined) return;
  const name = plainName(symbol);
  const call = signature.item.tokens.find(({ text }) => text === name);
  const { file, line } = call ?? signature;
  throw new UsageError(
    `${file}:${line}: ${kernel} needs '${name}', which the emulated device does not have, nor does a file that was found define it for the device`,
  );
}

/** `f` of `_Z1fPi`, `g` of `_ZN1n1gEv`. */
function plainName(symbol: string): string {
  let name = symbol;
  for (let rest = /^_ZN?L?(.*)$/.exec(symbol)?.[1] ?? ''; /^\d/.test(rest); ) {
    const length = Number.parseInt(rest, 10);
    const begin = String(length).length;
    name = rest.slice(begin, begin + length);
    rest = rest.slice(begin + length);
  }
  return name;
}

function mustSayShared({ evidence }: Verdict, { guesses }: Plan): void {
  if (!guesses.includes('shared') || !evidence.message.startsWith('shared-out-of-bounds:')) return;
  throw new UsageError(
    `how many bytes of dynamic shared memory the kernel is launched with is not known${at(evidence.message)}; say it above the kernel: /* tilewright shared: 4 * 256 */`,
  );
}

/** Arrays that a kernel declares may have a place for each warp, or thread, of a smaller block than the guessed one. */
function mustSayBlock({ evidence }: Verdict, { guesses, block }: Plan, firstCase: string | undefined): void {
  const [access, thread] =
    /^(?:shared|array)-out-of-bounds: .*\[thread (\d+) of block/.exec(evidence.message) ?? [];
  if (
    access === undefined ||
    Number(thread) < 32 ||
    !guesses.includes('block') ||
    evidence.case !== firstCase
  )
    return;
  throw new UsageError(
    `how many threads a block has is not known, and a guess of ${block.join(' x ')} does not suit the kernel (${evidence.message.split('\n')[0]}); say it above the kernel: /* tilewright block: 32 */`,
  );
}

/** Guesses of lengths alone that failed: the sizes of the first case suit most kernels. */
function mustSaySizes({ verdict, evidence }: Verdict, plan: Plan, firstCase: string | undefined): void {
  const { guesses } = plan;
  const [access, name = ''] =
    /\S+ (?:of \d+ bytes at|access to) byte -?\d+ of '(\w+)' \(\d+ bytes\)/.exec(evidence.message) ?? [];
  if (verdict !== 'out-of-bounds' || evidence.case !== firstCase) return;
  mustSayLengths(evidence.message, plan);
  if (!guesses.includes(name)) return;
  const [, place = ''] = / at (\S+:\d+)\]/.exec(evidence.message) ?? [];
  throw new UsageError(
    `how many elements '${name}' has is not known, and a guess is too small (${place}: ${access}); say it above the kernel: /* tilewright arguments: { ${name}: [256] } */`,
  );
}

/** An access far behind whatever array it was meant for. */
function mustSayLengths(message: string, plan: Plan): void {
  const names = plan.arguments.flatMap((one) =>
    one.kind === 'tensor' && plan.guesses.includes(one.name) ? [one.name] : [],
  );
  if (!message.includes('which is in no allocation') || names.length === 0) return;
  throw new UsageError(
    `how many elements ${names.map((name) => `'${name}'`).join(', ')} ${names.length > 1 ? 'have' : 'has'} is not known, and guesses are too small (${message.split('\n')[0]}); say it above the kernel: /* tilewright arguments: { ${describedAll(names, '[256]')} } */`,
  );
}

/** No deadlock, but more work than a CPU does in the time: sizes and contents of others might need less. */
function mustSayLess({ verdict, evidence }: Verdict, plan: Plan): void {
  const { message } = evidence;
  if (verdict !== 'hang' || !/has run for more than|made no progress/.test(message)) return;
  const unknown = unknownValues(plan);
  const guessed = [
    ...plan.guesses.filter((one) => /^(sizes|where|grid|block)$/.test(one)),
    ...unknown.map(({ name }) => `what '${name}' holds`),
  ];
  if (guessed.length === 0) return;
  const named = unknown[0]?.name;
  throw new UsageError(
    `the kernel does not end in time with ${evidence.case ?? 'what it is given'} (${message.split('\n')[0]}), and these are guesses: ${guessed.join(', ')}; describe smaller sizes, or contents, above the kernel: ${named === undefined ? '/* tilewright sizes: { n: 64 } */' : `/* tilewright arguments: { ${described(named, '{ values: ascending }')} } */`}`,
  );
}

function at(message: string): string {
  const [, place] = / at (\S+:\d+)\]/.exec(message) ?? [];
  return place === undefined ? '' : ` (${place})`;
}

type Tensor = Extract<PlannedArgument, { kind: 'tensor' }>;

/** Whole numbers that the kernel reads, and of which nobody says what they are: indices, lengths, divisors. */
export function unknownValues(plan: Plan): readonly Tensor[] {
  return plan.arguments.flatMap((one) =>
    one.kind === 'tensor' && one.unknownValues && one.role !== 'out' && /^[iu]/.test(one.type) ? [one] : [],
  );
}

/** A plan that tells whether the guessed contents are to blame: an index of 0 lies in every array, and 1 divides all. */
export function withHarmlessValues(plan: Plan, { verdict, evidence }: Verdict): Plan | undefined {
  const divides = verdict === 'fault' && /division/.test(evidence.message);
  const unknown = unknownValues(plan);
  if ((verdict !== 'out-of-bounds' && !divides) || unknown.length === 0) return undefined;
  const values = divides ? ('ones' as const) : ('zeros' as const);
  return {
    ...plan,
    arguments: plan.arguments.map((one) =>
      unknown.some(({ name }) => name === one.name) && one.kind === 'tensor' ? { ...one, values } : one,
    ),
  };
}

/** The question where the plan with harmless contents has no such finding. */
export function askForValues({ verdict, evidence }: Verdict, plan: Plan): UsageError {
  const least = verdict === 'fault' ? 1 : 0;
  const names = unknownValues(plan).map(({ name }) => name);
  const quoted = names.map((name) => `'${name}'`).join(', ');
  return new UsageError(
    `what ${quoted} ${names.length > 1 ? 'hold' : 'holds'} is not known, and a guess does not suit the kernel (${evidence.message.split('\n')[0]}); say it above the kernel: /* tilewright arguments: { ${described(names[0] ?? '', `{ values: { integers: [${least}, 3] } }`)} } */`,
  );
}
