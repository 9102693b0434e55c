// Contexts in which mutants are compiled, and whether the compiler made another kernel of them.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { backends } from '../backends/index.ts';
import type { CompileContext } from '../compile/context.ts';
import type { Artifact } from '../model/artifact.ts';
import { machineCode } from '../mutate/cubin.ts';
import { overlay } from '../mutate/overlay.ts';
import type { Planned } from '../mutate/plan.ts';
import { kit } from '../util/package-root.ts';
import { inTemporary } from '../util/temporary.ts';

/** Lends a task the context in which a mutant is compiled; what is made in it is gone afterwards, but for what the cache keeps. */
export async function inContextOf<T>(
  planned: Planned,
  context: CompileContext,
  task: (context: CompileContext) => Promise<T>,
): Promise<T> {
  return inTemporary('mutant', (folder) => task(contextOf(planned, context, folder)));
}

/** A changed header lies in a copy of its folder, and what is made of it is not kept: it would fill the cache. */
function contextOf({ mutant, header }: Planned, context: CompileContext, folder: string): CompileContext {
  if (!header || mutant.text === undefined) return context;
  const copy = join(folder, 'copy');
  mkdirSync(copy);
  const changed = { ...context, cacheRoot: join(folder, 'artifacts'), copyOf: context };
  if (header.folder === context.familyFolder) {
    overlay(context.familyFolder, copy, header.file, mutant.text);
    return { ...changed, familyFolder: copy };
  }
  overlay(context.packageRoot, copy, join(kit.device, header.file), mutant.text);
  return { ...changed, packageRoot: copy };
}

/** Whether two builds have the same machine code. */
export function sameCode(artifacts: readonly Artifact[], original: readonly Artifact[]): boolean {
  const [mutated, sound] = [artifacts, original].map((list) =>
    list.find(({ device }) => backends[device].gpu),
  );
  return mutated !== undefined && sound !== undefined && codeOf(mutated) === codeOf(sound);
}

const codeOf = ({ path }: Artifact) => machineCode(readFileSync(path));
