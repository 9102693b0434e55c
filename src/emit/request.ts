import type { Executor } from '../exec/executor.ts';
import type { Artifact } from '../model/artifact.ts';
import type { Compilation } from '../model/compilation.ts';
import type { AnyFamily } from '../model/family.ts';
import type { Provenance } from '../model/manifest.ts';
import type { Selection } from '../model/selection.ts';
import type { Source } from '../model/variant.ts';
import type { Verdict } from '../model/verdict.ts';
import type { InstallOptions } from './install.ts';

/** Facts of the run that the library records. */
export interface LibraryRun {
  readonly id: string;
  /** Start of the run, ISO 8601, UTC. */
  readonly date: string;
  /** All of the run's verdicts, passed and failed. */
  readonly verdicts: readonly Verdict[];
  /** Commit of the generator's checkout, where it is one. */
  readonly commit?: string | undefined;
  readonly nvcc?: string | undefined;
  readonly cxx?: string | undefined;
  readonly gpu?: Provenance['gpu'] | undefined;
}

/** Destination and options of an installation. */
export interface Installation extends InstallOptions {
  /** Absolute. Afterwards `find_package(tilewright)` finds it with this folder in CMAKE_PREFIX_PATH. */
  readonly prefix: string;
}

/** One operation with its kernels, as a run leaves it. */
export interface OperationRequest {
  readonly family: AnyFamily;
  /** The family's folder. */
  readonly folder: string;
  readonly selection: Selection;
  /** Artifacts of at least the selected variants; several archs and devices may be mixed. */
  readonly artifacts: readonly Artifact[];
  readonly run: LibraryRun;
}

/** An operation to put into the library of a folder. */
export interface LibraryRequest extends OperationRequest {
  /** Root of the generated files; the library goes to `<out>/library`. */
  readonly out: string;
  readonly executor: Executor;
  /** Root of the CUDA toolkit: its `fatbinary` packs the kernels, and the library's CMake looks there last. */
  readonly cudaHome?: string | undefined;
  /** C++ compiler that the library is tried with before it is handed out; absent: it is not. */
  readonly cxx?: string | undefined;
  /** PTX of a fallback for GPUs that no cubin is for, or why nvcc made none; undefined where only GPUs of one architecture can run it. */
  readonly ptxOf?: (source: Source) => Promise<Artifact | Verdict | undefined>;
  /** Calls `attempt` unless it has succeeded before on the same text, headers, flags and compiler; absent: always. */
  readonly once?: (what: Compilation, attempt: () => Promise<void>) => Promise<void>;
  /** Told what of the former library stays or goes, and when another process that emits into the same folder is waited for. */
  readonly remark?: (message: string) => void;
  /** Aborting ends such a wait. */
  readonly signal?: AbortSignal;
  /** Also build the library and install it. */
  readonly install?: Installation | undefined;
}
