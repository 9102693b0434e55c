import { join } from 'node:path';
import { userCache } from '../util/user-cache.ts';

/** The CUDA release that we install, as the metapackage names it. */
export const cudaRelease = '13.0';

/** Advice if that folder cannot be written. */
export const anotherCache = 'name another folder with TILEWRIGHT_CACHE';

/** Folders of our own toolkit. */
export interface CachePaths {
  readonly base: string;
  /** One folder per installed part, each as pip left it. */
  readonly parts: string;
  /** All parts in one tree with the layout that nvcc and CMake expect, made of symbolic links. */
  readonly root: string;
  /** Programs of the parts, e.g. `cmake`. */
  readonly bin: string;
  readonly lock: string;
}

export function cachePaths(environment: Readonly<Record<string, string | undefined>>): CachePaths {
  const base = join(userCache(environment), `cuda-${cudaRelease}`);
  const root = join(base, 'root');
  return { base, parts: join(base, 'parts'), root, bin: join(root, 'bin'), lock: `${base}.lock` };
}
