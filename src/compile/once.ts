import { z } from 'zod';
import type { Compilation } from '../model/compilation.ts';
import { hashOf } from '../util/hash.ts';
import { type CacheContext, obtain } from './cache.ts';
import type { Compilers } from './context.ts';
import { includeHash } from './includes.ts';

/** Calls `attempt` unless it has succeeded before on the same text, headers, flags and compiler. What it throws is passed on. */
export async function compileOnce(
  { text, folders, flags }: Compilation,
  { cxxVersion }: Pick<Compilers, 'cxxVersion'>,
  context: CacheContext,
  attempt: () => Promise<void>,
): Promise<void> {
  const key = hashOf('compiles', includeHash(text, folders), flags.join(' '), cxxVersion);
  await obtain(context, key, z.object({}), async () => {
    await attempt();
    return {};
  });
}
