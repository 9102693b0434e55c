// Choices of a library for calls of which it knows no times: of the recorded times, whole groups of workloads are left out, the
// library's choices and the weights of the cost model are made of the rest, and each workload that was left out is asked for. A share is
// the time of the fastest of the library's variants that were timed there over that of the chosen one.
// Run: node --import jiti/register bench/held-out.ts [--family bsr-spmm] [--arch sm_90a] [--below 0.9] [--only shape]...
//   [--json file] docs/results/h200-*.json
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { archNamed } from '../src/arch/index.ts';
import { libraryOf } from '../src/cells.ts';
import { byAnyId, ofCalls } from '../src/cli/costs.ts';
import { loadFamily } from '../src/discover.ts';
import { type RunEvidence, runEvidenceSchema } from '../src/model/evidence.ts';
import { allWorkloads, isCandidate, namedWorkloads } from '../src/model/family.ts';
import type { Selection } from '../src/model/selection.ts';
import type { Variant } from '../src/model/variant.ts';
import type { Workload } from '../src/model/workload.ts';
import { costsOf, costTimes } from '../src/report/costs.ts';
import { jsonText } from '../src/report/json-text.ts';
import { dispatchOrder } from '../src/select/dispatch.ts';
import { fitCosts } from '../src/select/fit.ts';
import { enumerate, presetOf } from '../src/space/enumerate.ts';
import { groupings } from './held-out/groups.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    family: { type: 'string', default: 'bsr-spmm' },
    arch: { type: 'string', default: 'sm_90a' },
    below: { type: 'string', default: '0.9' },
    only: { type: 'string', multiple: true, default: Object.keys(groupings) },
    json: { type: 'string' },
  },
});
const { family, wisdom } = await loadFamily(values.family);
const arch = archNamed(values.arch);
const known = wisdom.find((one) => one.arch === arch.name);
if (!known) throw new Error(`${family.name} has no wisdom for ${arch.name}`);
const { variants } = enumerate(family, { arch, preset: 'shipped' });
const variantOf = byAnyId(family, variants);
const evidences = positionals.flatMap(readEvidence);
const parts = costTimes(family, evidences, variantOf);
const costs = family.cost && costsOf(family, evidences, variantOf);
const problems = new Map(allWorkloads(family).map(({ id, problem }) => [id, problem]));
const timed = timesByWorkload(evidences);

/** Runs of the family. */
function readEvidence(file: string): RunEvidence[] {
  const { data } = runEvidenceSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  const own = data?.family === family.name && data.arch === arch.name && data.workloads.length > 0;
  return own ? [ofCalls(family, data)] : [];
}

interface TimedWorkload {
  readonly workload: Workload;
  /** Seconds by variant of the library, L2 hot. */
  readonly times: ReadonlyMap<string, number>;
}

/** Workloads on which several variants of the library were timed. */
function timesByWorkload(runs: readonly RunEvidence[]): TimedWorkload[] {
  const all = new Map<string, { workload: Workload; times: Map<string, number> }>();
  for (const { workloads } of runs)
    for (const { id, problem, measurements } of workloads)
      for (const { subject, kind, l2, rejected, median } of measurements) {
        const variant = kind === 'variant' && l2 === 'hot' && !rejected ? variantOf(subject) : undefined;
        if (!variant || !problem) continue;
        const workload = { id, problem: problems.get(id) ?? problem };
        const known = all.get(id) ?? { workload, times: new Map<string, number>() };
        all.set(id, known);
        known.times.set(
          variant.id,
          Math.min(median, known.times.get(variant.id) ?? Number.POSITIVE_INFINITY),
        );
      }
  return [...all.values()].filter(({ times }) => times.size > 1);
}

/** The library of the family's wisdom without what is known of some workloads. */
function libraryWithout(left: ReadonlySet<string>): Selection {
  const { timings: _ofKeys, ...choices } = everything;
  // All variants stay in the library: how well it chooses is asked, not what is in it.
  return {
    ...choices,
    choices: choices.choices.filter(({ workload }) => !left.has(workload)),
    ...(costs && { costs: { ...costs, ...fitCosts(parts.filter(({ workload }) => !left.has(workload))) } }),
  };
}

const { workloads, guessed } = presetOf(family, 'shipped') ?? {};
const everything = libraryOf(
  family,
  variants,
  { timed: namedWorkloads(family, workloads), guessed: namedWorkloads(family, guessed) },
  known,
).selection;

interface Share {
  readonly group: string;
  readonly workload: string;
  readonly chosen: string;
  readonly fastest: string;
  /** Absent where the chosen variant was not timed on the workload. */
  readonly share?: number;
}

/** A variant that was timed binds; of others the family's guess says whether lines suit their copies: 0 where they do not. */
function takes({ workload, times }: TimedWorkload, variant: Variant): boolean {
  const { id, parameters } = variant;
  return (
    isCandidate(family, parameters, workload) && (times.has(id) || family.priority(parameters, workload) > 0)
  );
}

function shareOf(group: string, one: TimedWorkload, order: readonly string[]): Share {
  const [fastest] = [...one.times].toSorted(([, a], [, b]) => a - b);
  const named = new Map(variants.map((variant) => [variant.id, variant]));
  const chosen = order.find((id) => {
    const variant = named.get(id);
    return variant && takes(one, variant);
  });
  if (!chosen || !fastest) throw new Error(`nobody serves ${one.workload.id}`);
  const seconds = one.times.get(chosen);
  return {
    ...{ group, workload: one.workload.id, chosen, fastest: fastest[0] },
    ...(seconds !== undefined && { share: Number((fastest[1] / seconds).toFixed(3)) }),
  };
}

function sharesOf({ of, kind }: (typeof groupings)[string], byCost: boolean): Share[] {
  const groups = new Map<string, TimedWorkload[]>();
  for (const one of timed) {
    const group = of(one.workload);
    groups.set(group, [...(groups.get(group) ?? []), one]);
  }
  return [...groups].flatMap(([group, own]) => {
    const left = new Set(own.map(({ workload }) => workload.id));
    const { costs, ...rest } = libraryWithout(left);
    const selection: Selection = byCost && costs ? { ...rest, costs } : rest;
    const orderOf = dispatchOrder(family, selection, shippedVariants);
    const others = timed.filter(({ workload }) => !left.has(workload.id));
    const kinds = kind && new Set(others.map(({ workload }) => kind(workload)));
    const asked = kinds ? own.filter(({ workload }) => kinds.has(kind(workload))) : own;
    return asked.map((one) => shareOf(group, one, orderOf(one.workload)));
  });
}

const shipped = new Set(everything.variants);
const shippedVariants = variants.filter(({ id }) => shipped.has(id));
const limit = Number(values.below);

/** Shares that are known, the least first, and what they come to. */
function summary(shares: readonly Share[]) {
  const known = shares.flatMap(({ share }) => share ?? []).toSorted((a, b) => a - b);
  const at = (part: number) => known[Math.floor(part * (known.length - 1))] ?? 0;
  const below = shares.filter(({ share }) => share !== undefined && share < limit);
  return {
    groups: new Set(shares.map(({ group }) => group)).size,
    timed: known.length,
    untimed: shares.length - known.length,
    ...{ least: at(0), percent1: at(0.01), percent5: at(0.05), below: below.length },
    choices: below.toSorted((a, b) => (a.share ?? 0) - (b.share ?? 0)),
  };
}

function row(words: string, how: string, of: ReturnType<typeof summary>): string {
  const shares = [of.least, of.percent1, of.percent5].map((share) => share.toFixed(2));
  return `| ${[words, of.groups, how, of.timed, of.untimed, ...shares, of.below].join(' | ')} |`;
}

console.log(
  `| left out at a time | groups | chosen by | workloads | chosen untimed | least share | 1 % | 5 % | below ${limit} |`,
);
console.log('| --- | --: | --- | --: | --: | --: | --: | --: | --: |');
const results = values.only.map((name) => {
  const grouping = groupings[name];
  if (!grouping) throw new Error(`no grouping ${name}: there are ${Object.keys(groupings).join(', ')}`);
  const [nearest, model] = [false, true].map((byCost) => summary(sharesOf(grouping, byCost)));
  if (nearest) console.log(row(grouping.words, 'nearest workload', nearest));
  if (model && family.cost) console.log(row(grouping.words, 'cost model', model));
  const { choices: _ofNearest, ...byNearest } = nearest ?? summary([]);
  return { leftOut: grouping.words, nearest: byNearest, model };
});
if (values.json) writeFileSync(values.json, `${jsonText({ below: limit, results })}\n`);
