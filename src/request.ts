import type { DeviceChoice } from './backends/index.ts';
import type { Executor } from './exec/executor.ts';
import type { Arch } from './model/arch.ts';
import type { Event } from './model/event.ts';
import { type AnyFamily, namedWorkloads } from './model/family.ts';
import type { Stage } from './model/stage.ts';
import type { Source, Variant } from './model/variant.ts';
import type { GateScope } from './model/verdict.ts';
import type { FamilyWisdom } from './model/wisdom.ts';
import type { Workload } from './model/workload.ts';
import type { EnumerateOptions } from './space/enumerate.ts';
import type { Run } from './store/run.ts';

/**
 * Flags that a later command needs beside its own to find and judge things as this one does: those that were given, and
 * the architecture where it would choose another.
 */
export interface Settings {
  readonly arch?: string;
  readonly config?: string;
  readonly out?: string;
  /** Seconds. */
  readonly watchdog?: number;
}

/** Settings of a run. */
export interface Request {
  readonly family: AnyFamily;
  /** The family's own folder. */
  readonly folder: string;
  readonly arch: Arch;
  /** Times of earlier runs on a GPU of this architecture, where the family ships some. */
  readonly wisdom?: FamilyWisdom;
  /** The worst rank of the family's accuracy that may be chosen where there is a better one; 0 if absent. */
  readonly accuracy?: number;
  /** Points to work on. */
  readonly space: EnumerateOptions;
  /** One variant instead of a space; `source` where its text is not what the template gives. */
  readonly only?: { readonly variant: Variant; readonly source?: Source };
  /** Workloads of files (--matrix), beside those of the family. */
  readonly further?: readonly Workload[];
  /** Workloads to time; absent: all. */
  readonly timed?: readonly Workload[];
  /** Stages to run; those that are left out take what the run's journal knows. */
  readonly stages: ReadonlySet<Stage>;
  readonly device: DeviceChoice;
  readonly gate: GateScope;
  /** Folder for what each gate case was given, gave and should have given. */
  readonly dump?: string;
  readonly watchdogSeconds: number;
  readonly settings: Settings;
  /** Compilers and emulated devices at a time. */
  readonly jobs: number;
  /** Folder of everything generated. */
  readonly out: string;
  /** Installation prefix of the emitted library, and its form: shared libraries or archives; absent: not installed. */
  readonly prefix?: { readonly path: string; readonly shared: boolean };
  /** Whether a missing toolchain may be installed. */
  readonly install: boolean;
}

/** Environment of a run: machine, run folder, cancellation. */
export interface Host {
  readonly executor: Executor;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly run: Run;
  /** Told everything that happens. */
  readonly send: (event: Event) => void;
  /** Aborted on Ctrl-C: the run stops, its journal stays. */
  readonly signal: AbortSignal;
}

/**
 * The workloads of the request's preset, of the family all but comparisons where no preset is named, and the further ones.
 */
export function workloadsOf({ family, space, further = [] }: Request): readonly Workload[] {
  const ids = space.preset === undefined ? undefined : family.presets[space.preset]?.workloads;
  if (ids === undefined) return [...family.workloads, ...further];
  return [...namedWorkloads(family, ids), ...further];
}

/** Workloads that the request's preset names, for a library that is made without times. */
export function guessedOf({ family, space }: Request): readonly Workload[] {
  return namedWorkloads(family, space.preset === undefined ? [] : family.presets[space.preset]?.guessed);
}
