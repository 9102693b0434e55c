// Kinds of calls, and the variants of a library that serve each: asked of the family's own launch code.
import { z } from 'zod';
import { EnvironmentError } from './errors.ts';
import type { Executor } from './exec/executor.ts';
import type { Arch } from './model/arch.ts';
import { type AnyFamily, type Cell, isCandidate } from './model/family.ts';
import type { Variant } from './model/variant.ts';
import type { FamilyWisdom } from './model/wisdom.ts';
import { select } from './select/policy.ts';
import { parseJson } from './util/json.ts';

/** A kind of call with the variants that take it. */
export interface ServedCell extends Cell {
  readonly variants: readonly Variant[];
  /** Templates of those on tensor cores, with their numbers. */
  readonly onTensorCores: readonly (readonly [template: string, variants: number])[];
}

const answerSchema = z.union([
  z.object({ refusals: z.array(z.string()) }).strict(),
  z.object({ error: z.string() }).strict(),
]);

/** Variants of the library that would be emitted if all of `variants` passed, and nothing but wisdom were known of their times. */
export function libraryOf(
  family: AnyFamily,
  variants: readonly Variant[],
  workloads: readonly string[],
  wisdom?: FamilyWisdom,
): readonly Variant[] {
  const asked = family.workloads.filter(({ id }) => workloads.includes(id));
  const ids = new Set(variants.map(({ id }) => id));
  const records = (wisdom?.records ?? []).filter(({ variant }) => ids.has(variant));
  const known = { records, runs: wisdom?.runs ?? [] };
  const selection = select(family, variants, [], { workloads: asked, known });
  return variants.filter(({ id }) => selection.variants.includes(id));
}

/** Asks `program`, made by `buildProblemWriter`, which of the variants take each of the family's cells. */
export async function serveCells(
  family: AnyFamily,
  variants: readonly Variant[],
  arch: Arch,
  program: string,
  executor: Executor,
): Promise<readonly ServedCell[]> {
  const asked = (family.cells ?? []).map((cell) => ({ cell, able: ableTo(family, variants, cell) }));
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

/** Variants that may be offered the cell at all. */
function ableTo(family: AnyFamily, variants: readonly Variant[], { row, problem }: Cell): Variant[] {
  return variants.filter(({ parameters }) => isCandidate(family, parameters, { id: row, problem }));
}

function served(family: AnyFamily, cell: Cell, variants: readonly Variant[]): ServedCell {
  const counts = new Map<string, number>();
  for (const { parameters } of variants) {
    if (!family.tensorCores?.(parameters)) continue;
    const template = family.template(parameters).replace(/\..*$/, '');
    counts.set(template, (counts.get(template) ?? 0) + 1);
  }
  return { ...cell, variants, onTensorCores: [...counts] };
}
