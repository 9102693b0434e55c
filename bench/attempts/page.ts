import type { EvidenceMeasurement, RunEvidence } from '../../src/model/evidence.ts';
import type { Defects } from './defects.ts';
import { type Idea, ideas, ladder } from './ideas.ts';

/** Evidence of the three sets, by name. */
export type Sets = Readonly<Record<Idea['set'], RunEvidence>>;

/** A variant that passed, with its time. */
interface Timed {
  readonly id: string;
  readonly seconds: number;
  readonly spread: number;
  /** Of a few samples: much slower than the fastest, the vendor's libraries included. */
  readonly brief: boolean;
  readonly tflops: number;
}

const workload = '4096.d12.b64';

/** The page of the six ideas as Markdown, every figure from evidence. */
export function attemptsPage(sets: Sets, defects: Defects): string {
  const { mma } = sets;
  return `${[
    '# The six attempts',
    introduction,
    measured(mma),
    `The defects were gated on the emulated device at depth \`${defects.depth}\` on ${defects.date.slice(0, 10)}, commit ${commitText(defects.commit)}. Every variant passes there without its defect.`,
    ...ideas.map((idea, index) => ideaSection(idea, index + 1, sets, defects)),
    '## The ladder before them',
    'TFLOPS as reported on another machine and matrix, beside the variant with the same idea:',
    table(['step', 'reported', 'here', 'variant'], ladderRows(sets)),
    'Written by `node --import jiti/register bench/attempts.ts --page`; do not edit.',
  ].join('\n\n')}\n`;
}

const introduction =
  'This project began with six ideas to make a block-sparse kernel faster. Each of them "failed with error 24.01". Six unlike kernels do not fail with one error. An output that nothing has written is wrong by the largest value of the reference, whatever the kernel: the launches had failed, and nobody had checked them. Here each idea is a parameter of `bsr-spmm` and correct. Each has its time beside the same variant without it, and its typical defect gets the verdict that names the cause.';

function measured({ environment, date, commit, depth = 'quick' }: RunEvidence): string {
  const { name = 'a GPU', driver = '-' } = environment?.gpu ?? {};
  return [
    `Measured on ${name} (driver ${driver}) on ${date.slice(0, 10)} at commit ${commitText(commit)}, by \`bench/attempts.ts\`:`,
    '',
    `- workload ${workload}: a random matrix of 4096 x 4096 with an eighth of its blocks of 64 x 64, times a dense one of 4096 columns, f16 in and out`,
    `- every variant had passed the gate at depth \`${depth}\` on that GPU`,
    '- the variants of a table ran in one process, in turns sample by sample; times are medians, L2 hot',
    "- brief: few samples, since the variant is much slower than the fastest of the run, vendor's libraries included",
  ].join('\n');
}

function ideaSection(idea: Idea, number: number, sets: Sets, { defects }: Defects): string {
  const told = defects.find(({ idea: name }) => name === idea.name);
  if (!told) throw new Error(`no defect was gated for ${idea.name}`);
  const where = told.case === undefined ? '' : ` in the case \`${told.case}\``;
  return [
    `## ${number}. ${capital(idea.name)}`,
    idea.what,
    table([...idea.parameters, 'time', '± MAD', 'TFLOPS', 'worth'], pairRows(idea, sets[idea.set])),
    `Its defect, ${told.defect}: **${told.verdict}**${where}.`,
    `> ${told.message.replaceAll(told.variant, '…').replaceAll('\n', ' ')}`,
  ].join('\n\n');
}

/** Variants that differ from the first in the idea's parameters alone, the plainest first; `worth`: its time over theirs. */
function pairRows({ parameters, defect }: Idea, evidence: RunEvidence): string[][] {
  const timed = timesOf(evidence);
  const own = (id: string) => evidence.variants[id]?.parameters ?? {};
  const others = (id: string) =>
    JSON.stringify(Object.entries(own(id)).filter(([name]) => !parameters.includes(name)));
  const like = timed.filter(({ id }) => others(id) === others(defect.variant));
  const rank = ({ id }: Timed) => parameters.map((name) => Number(own(id)[name]));
  const sorted = like.toSorted((a, b) => compare(rank(a), rank(b)));
  const [plain] = sorted;
  if (!plain || sorted.length < 2) throw new Error(`too few variants for ${parameters.join(', ')}`);
  return sorted.map((one) => [
    ...parameters.map((name) => String(own(one.id)[name])),
    `${(one.seconds * 1e6).toFixed(1)} us`,
    `${((100 * one.spread) / one.seconds).toFixed(1)} %${one.brief ? ', brief' : ''}`,
    one.tflops.toFixed(1),
    one === plain ? '' : `${(plain.seconds / one.seconds).toFixed(2)}x`,
  ]);
}

function compare(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((value, at) => value !== b[at]);
  return index < 0 ? 0 : (a[index] ?? 0) - (b[index] ?? 0);
}

function timesOf({ workloads }: RunEvidence): Timed[] {
  const here = workloads.find(({ id }) => id === workload)?.measurements ?? [];
  const counts = ({ kind, l2, rejected }: EvidenceMeasurement) =>
    kind === 'variant' && l2 === 'hot' && rejected === undefined;
  return here.filter(counts).map(({ subject, median, mad, tflops, stoppedEarly = false }) => ({
    ...{ id: subject, seconds: median, spread: mad, tflops, brief: stoppedEarly },
  }));
}

function ladderRows(sets: Sets): string[][] {
  const timed = [...timesOf(sets.simt), ...timesOf(sets.mma)];
  const best = timed.toSorted((a, b) => a.seconds - b.seconds)[0];
  const steps = ladder.map((step) => {
    if (!('variant' in step)) return [step.name, String(step.told), 'not measured', step.remark];
    const own = timed.find(({ id }) => id === step.variant);
    return [
      step.name,
      'told' in step ? String(step.told) : '-',
      own?.tflops.toFixed(1) ?? '-',
      `\`${step.variant}\``,
    ];
  });
  return best
    ? [...steps, ['the best of these tables', '-', best.tflops.toFixed(1), `\`${best.id}\``]]
    : steps;
}

function commitText(commit: string | undefined): string {
  return commit?.slice(0, 7) ?? 'not recorded';
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (row: readonly string[]) => `| ${row.join(' | ')} |`;
  return [line(head), `|${head.map(() => ' --- |').join('')}`, ...rows.map(line)].join('\n');
}
