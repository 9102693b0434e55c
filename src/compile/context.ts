import { availableParallelism } from 'node:os';
import type { Executor } from '../exec/executor.ts';

/** What every compile step needs to know of its surroundings. */
export interface CompileContext {
  readonly executor: Executor;
  /** Folder of the content-addressed artifacts. */
  readonly cacheRoot: string;
  /** Folder that holds `templates/` and `harness/`. */
  readonly packageRoot: string;
  /** The family's own folder: its headers are found there. */
  readonly familyFolder: string;
  readonly signal?: AbortSignal;
  /** Limit for one compiler call; two minutes if absent. */
  readonly timeoutMs?: number;
}

/** The compilers, as far as compiling needs to know them. */
export interface Compilers {
  readonly cudaHome: string;
  readonly nvcc: string;
  readonly nvccVersion: string;
  readonly cxx: string;
  readonly cxxVersion: string;
}

/** What a runner needs of them: that of the emulated device is built without any CUDA toolkit. */
export type RunnerCompilers = Pick<Compilers, 'cxx' | 'cxxVersion'> &
  Partial<Pick<Compilers, 'cudaHome' | 'nvccVersion'>>;

export const defaultTimeoutMs = 120_000;

/** Memory that one compiler call may take. */
const bytesPerJob = 1.5e9;

/** How many compilers may run at once: as many as there are cores and memory for. */
export function defaultJobs(cores = availableParallelism(), memory = process.availableMemory()): number {
  return Math.max(1, Math.min(cores, Math.floor(memory / bytesPerJob)));
}
