import { join } from 'node:path';
import { buildProblemWriter } from '../compile/worker.ts';
import type { Config } from '../config.ts';
import type { DiscoveredFamily } from '../discover.ts';
import { localExecutor } from '../exec/local.ts';
import { cppSignature } from '../render/operation.ts';
import { findCxx } from '../toolchain/find.ts';
import { Slots } from '../util/limit.ts';
import { packageRoot } from '../util/package-root.ts';
import { remark } from './output.ts';

/** Path of the program that answers about a family's problems, harness/problem/main.cpp; `what` it is, for who waits for its compiler. */
export async function problemProgram(
  { folder, family }: Pick<DiscoveredFamily, 'folder' | 'family'>,
  { out, jobs }: Config,
  what: string,
  quiet = false,
): Promise<string> {
  const context = {
    executor: localExecutor,
    cacheRoot: join(out, 'artifacts'),
    packageRoot,
    familyFolder: folder,
    signature: cppSignature(family.operation),
    slots: new Slots(jobs),
  };
  const cxx = await findCxx(process.env, localExecutor);
  const { path } = await buildProblemWriter(cxx, context, (done, all) => {
    if (done === 0 && !quiet) remark(`building ${what} of ${family.name}: ${all} parts, once`);
  });
  return path;
}
