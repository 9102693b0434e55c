import { backends } from '../backends/index.ts';
import { provePackage } from '../emit/emit.ts';
import { UsageError } from '../errors.ts';
import type { Executor } from '../exec/executor.ts';
import { renderVariant } from '../render/render.ts';
import { select } from '../select/policy.ts';
import { type Subject, variantsOf } from './contract.ts';

/**
 * Compiles the interface of the library that a sweep of `quick` would emit if all of it passed. Nothing is judged, and nothing
 * is kept of the library. Throws a UsageError with the family's file and line.
 */
export async function proveInterface(subject: Subject, cxx: string, executor: Executor): Promise<void> {
  const { family, folder } = subject;
  const variants = variantsOf(family);
  if (variants.length === 0)
    throw new UsageError(`${folder}/family.ts: there is no variant of the preset quick to make a library of`);
  const sources = variants.map((variant) => renderVariant(family, folder, variant));
  await provePackage({
    family,
    folder,
    executor,
    cxx,
    out: folder,
    selection: select(family, variants, []),
    artifacts: sources.map((source) => ({
      ...{ source, device: backends.emulated.name, arch: process.arch, path: source.path, key: source.hash },
      ...{ cached: false, seconds: 0 },
    })),
    run: {
      id: 'check',
      date: new Date(0).toISOString(),
      verdicts: variants.map(({ id }) => ({
        ...{ variant: id, device: backends.emulated.name, verdict: 'passed' },
        evidence: { message: 'stands for the gate in a library that is thrown away' },
      })),
    },
  });
}
