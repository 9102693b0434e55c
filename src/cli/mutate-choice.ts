import { join } from 'node:path';
import { UsageError } from '../errors.ts';
import type { Source } from '../model/variant.ts';
import { type Planned, planMutants } from '../mutate/plan.ts';
import { spreadSample } from '../mutate/sample.ts';
import { kit, packageRoot } from '../util/package-root.ts';
import { exitCode } from './exit.ts';
import type { MutateOptions } from './mutate-options.ts';

/** Mutants, and those of them that are tried. */
export interface ChosenMutants {
  readonly all: readonly Planned[];
  readonly chosen: readonly Planned[];
}

/** The mutants of some sources that the options ask for, a sample of them spread over paths and operators. */
export function chooseMutants(
  sources: readonly Source[],
  folder: string,
  options: MutateOptions,
): ChosenMutants {
  const { sample, operator, file, mutant: ids } = options;
  const folders = [join(packageRoot, kit.device), folder];
  const planned = planMutants(sources, folders);
  mustHaveMutants(planned, file ?? []);
  mustHaveIds(planned, ids ?? []);
  const all = planned.filter(
    ({ mutant }) =>
      (operator?.includes(mutant.operator) ?? true) &&
      (file?.includes(mutant.file) ?? true) &&
      (ids?.some((id) => mutant.id.startsWith(id)) ?? true),
  );
  const group = ({ path, mutant }: Planned) => `${path} ${mutant.operator}`;
  return { all, chosen: sample === undefined ? all : spreadSample(all, sample, group) };
}

/** A name without a mutant is misspelt, or none of the variants reaches the file. */
function mustHaveMutants(planned: readonly Planned[], names: readonly string[]): void {
  const files = new Set(planned.map(({ mutant }) => mutant.file));
  const unknown = names.filter((name) => !files.has(name));
  if (unknown.length === 0) return;
  const known = [...files].sort().join(', ');
  throw new UsageError(
    `--file: these variants have no mutants of ${unknown.join(', ')}; choose from ${known}`,
  );
}

/** An id's beginning that no mutant has is a mistake too. */
function mustHaveIds(planned: readonly Planned[], ids: readonly string[]): void {
  const unknown = ids.filter((id) => !planned.some(({ mutant }) => mutant.id.startsWith(id)));
  if (unknown.length > 0)
    throw new UsageError(
      `--mutant: these variants have none whose id begins with ${unknown.join(', ')}; --list shows all`,
    );
}

/** `--list`: prints mutants instead of trying them. */
export function listMutants(chosen: readonly Planned[], { json }: MutateOptions): number {
  for (const { path, source, mutant } of chosen) {
    const { text: _, launch: __, ...described } = mutant;
    const one = { event: 'mutant', variant: source.variant.id, path, ...described };
    const { id, operator, file, line, before, after } = mutant;
    console.log(
      json ? JSON.stringify(one) : `${path} ${id} ${operator} ${file}:${line}\n- ${before}\n+ ${after}`,
    );
  }
  return exitCode.done;
}
