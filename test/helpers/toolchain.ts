import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type CompileContext, defaultJobs } from '../../src/compile/context.ts';
import type { DiscoveredFamily } from '../../src/discover.ts';
import { localExecutor } from '../../src/exec/local.ts';
import { cppSignature } from '../../src/render/operation.ts';
import type { Toolchain } from '../../src/toolchain/find.ts';
import { findToolchain } from '../../src/toolchain/toolchain.ts';
import { Slots } from '../../src/util/limit.ts';
import { packageRoot } from '../../src/util/package-root.ts';
import scale from '../fixtures/kernels/scale/family.ts';

/** Artifacts of tests, kept between runs of the tests. */
export const testCache = join(packageRoot, 'node_modules/.cache/tilewright');

const slots = new Slots(defaultJobs());

/** The family with planted defects. */
export const scaleFolder = join(packageRoot, 'test/fixtures/kernels/scale');

/** The real compilers; `npm test` installs them first. */
export async function testToolchain(): Promise<Toolchain> {
  const found = await findToolchain(localExecutor);
  if (!found) throw new Error('no CUDA toolkit: run `node dist/cli.js toolchain install` first');
  return found;
}

/** Context in which the family with planted defects is compiled. */
export function testContext(cacheRoot: string = testCache): CompileContext {
  return contextOf({ family: scale, folder: scaleFolder }, cacheRoot);
}

/** The same for another family. */
export function contextOf(
  { family, folder }: Pick<DiscoveredFamily, 'family' | 'folder'>,
  cacheRoot: string = testCache,
): CompileContext {
  mkdirSync(cacheRoot, { recursive: true });
  const signature = cppSignature(family.operation);
  return { executor: localExecutor, cacheRoot, packageRoot, familyFolder: folder, signature, slots };
}
