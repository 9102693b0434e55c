import { availableParallelism } from 'node:os';
import type { Executor } from '../exec/executor.ts';
import type { CppSignature } from '../model/signature.ts';
import type { Slots } from '../util/limit.ts';
import type { LockOwner } from '../util/lock.ts';

/** Environment of a compile step. */
export interface CompileContext {
  readonly executor: Executor;
  /** Folder of the content-addressed artifacts. */
  readonly cacheRoot: string;
  /** Folder that holds `templates/` and `harness/`. */
  readonly packageRoot: string;
  /** The family's own folder: its headers are found there. */
  readonly familyFolder: string;
  /** Families of this package whose oracles the runner has too, for the kernels of others; absent: none. */
  readonly described?: readonly string[];
  /** For the family's headers; absent: none includes it. */
  readonly signature?: CppSignature;
  /** Absent: this one. Of a copy with a changed header: that of which it is a copy, whose precompiled header serves where it is the same. */
  readonly copyOf?: CompileContext;
  /** Bounds the compilers that run at once. */
  readonly slots: Slots;
  readonly signal?: AbortSignal;
  /** CPU time that each process of a compiler may take; two minutes if absent. */
  readonly cpuSeconds?: number;
  /** Time that passes before a compiler is given up that is short of CPU; twenty minutes if absent. */
  readonly wallSeconds?: number;
  /** Told that another process makes what is needed here. */
  readonly onWait?: (owner: LockOwner | undefined) => void;
}

/** The compilers, as far as compiling needs to know them. */
export interface Compilers {
  readonly cudaHome: string;
  readonly nvcc: string;
  readonly nvccVersion: string;
  readonly cxx: string;
  readonly cxxVersion: string;
}

/** Compilers of a runner: that of the emulated device is built without any CUDA toolkit. */
export type RunnerCompilers = Pick<Compilers, 'cxx' | 'cxxVersion'> &
  Partial<Pick<Compilers, 'cudaHome' | 'nvccVersion'>>;

export const defaultCpuSeconds = 120;
export const defaultWallSeconds = 1200;

/** Memory that one compiler call may take. */
const bytesPerJob = 1.5e9;

/** Number of compilers that run at once: as many as there are cores and memory for. */
export function defaultJobs(cores = availableParallelism(), memory = process.availableMemory()): number {
  return Math.max(1, Math.min(cores, Math.floor(memory / bytesPerJob)));
}
