// Kinds of calls, and the variants of a library that serve each: asked of the family's own launch code.
import { z } from 'zod';
import { EnvironmentError } from './errors.ts';
import type { Executor } from './exec/executor.ts';
import type { Arch } from './model/arch.ts';
import { type AnyFamily, type Cell, isCandidate } from './model/family.ts';
import type { Selection } from './model/selection.ts';
import type { Variant } from './model/variant.ts';
import type { FamilyWisdom } from './model/wisdom.ts';
import type { Workload } from './model/workload.ts';
import { dispatchOrder } from './select/dispatch.ts';
import { select } from './select/policy.ts';
import { parseJson } from './util/json.ts';

/** A kind of call with the variants that take it, in the order in which dispatch asks them: the plan is of the first. */
export interface ServedCell extends Cell {
  readonly variants: readonly Variant[];
  /** Template of the first. */
  readonly chosen?: string;
  /** Templates of those on tensor cores, with their numbers, in that order. */
  readonly onTensorCores: readonly (readonly [template: string, variants: number])[];
}

const answerSchema = z.union([
  z.object({ refusals: z.array(z.string()) }).strict(),
  z.object({ error: z.string() }).strict(),
]);

/** A library as far as dispatch knows it. */
export interface CellLibrary {
  readonly selection: Selection;
  readonly variants: readonly Variant[];
}

/** The library that would be emitted if all of `variants` passed, and nothing but wisdom were known of their times. */
export function libraryOf(
  family: AnyFamily,
  variants: readonly Variant[],
  workloads: Readonly<Record<'timed' | 'guessed', readonly Workload[]>>,
  wisdom?: FamilyWisdom,
): CellLibrary {
  const ids = new Set(variants.map(({ id }) => id));
  const records = (wisdom?.records ?? []).filter(({ variant }) => ids.has(variant));
  const known = { records, runs: wisdom?.runs ?? [] };
  const { timed, guessed } = workloads;
  const selection = select(family, variants, [], { workloads: timed, guessed, known });
  const { timings: shippedTimes, costs } = wisdom ?? {};
  return {
    selection: {
      ...selection,
      ...(shippedTimes && { timings: [...shippedTimes] }),
      ...(costs && { costs }),
    },
    variants: variants.filter(({ id }) => selection.variants.includes(id)),
  };
}

/** Asks `program`, made by `buildProblemWriter`, which of the variants take each of the family's cells. */
export async function serveCells(
  family: AnyFamily,
  library: CellLibrary,
  arch: Arch,
  program: string,
  executor: Executor,
): Promise<readonly ServedCell[]> {
  const ableTo = servers(family, library);
  const asked = (family.cells ?? []).map((cell) => ({ cell, able: ableTo(cell) }));
  const jobs = asked.map(({ cell: { problem }, able }) => ({
    problem,
    variants: able.map(({ parameters, derived }) => ({ ...parameters, ...derived })),
    capability: arch.capability,
  }));
  const input = jobs.map((job) => `${JSON.stringify(job)}\n`).join('');
  const { stdout, stderr } = await executor.run([program], { input });
  const lines = stdout.split('\n');
  return asked.map(({ cell, able }, index) => {
    const { data } = answerSchema.safeParse(parseJson(lines[index] ?? ''));
    if (data && 'refusals' in data)
      return served(
        family,
        cell,
        able.filter((_, at) => data.refusals[at] === ''),
      );
    const why = data && 'error' in data ? data.error : stderr;
    throw new EnvironmentError(`${family.name} does not bind ${cell.row}, ${cell.column}: ${why}`);
  });
}

/** For a cell, the variants that may be offered it at all, in the order of dispatch. */
function servers(family: AnyFamily, { selection, variants }: CellLibrary): (cell: Cell) => Variant[] {
  const orderOf = dispatchOrder(family, selection, variants);
  const named = new Map(variants.map((variant) => [variant.id, variant]));
  return ({ row: id, problem, usual = problem }) =>
    orderOf({ id, problem: usual })
      .flatMap((one) => named.get(one) ?? [])
      .filter(({ parameters }) => isCandidate(family, parameters, { id, problem }));
}

function served(family: AnyFamily, cell: Cell, variants: readonly Variant[]): ServedCell {
  const counts = new Map<string, number>();
  const templateOf = ({ parameters }: Variant) => family.template(parameters).replace(/\..*$/, '');
  for (const variant of variants) {
    if (!family.tensorCores(variant.parameters)) continue;
    const template = templateOf(variant);
    counts.set(template, (counts.get(template) ?? 0) + 1);
  }
  const [first] = variants;
  return { ...cell, variants, ...(first && { chosen: templateOf(first) }), onTensorCores: [...counts] };
}
