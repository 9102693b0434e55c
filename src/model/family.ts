import type { Arch, ArchFeature, Arithmetic } from './arch.ts';
import type { FileMatrix } from './matrix.ts';
import { mayServe, type Operation, type OperationValues } from './operation.ts';
import type { Parameter, ParameterSpecs, ParameterValue, Point } from './parameter.ts';
import type { GateCase, Workload } from './workload.ts';

// All that a family's own files need, from one place: families outside this package import `tilewright/family`.
export type { Arch, ArchFeature } from './arch.ts';
export {
  type BareCase,
  CaseList,
  farApart,
  half,
  huge,
  oddOperands,
  roundUp,
  stepsAround,
  subnormal,
  third,
} from './case-list.ts';
export { combinations } from './combinations.ts';
export { cudaTypes, defineFamily } from './define-family.ts';
export { defineParameters, madeFor } from './define-parameters.ts';
export type { FileMatrix } from './matrix.ts';
export { defineOperation } from './operation.ts';
export type { Point } from './parameter.ts';
export { type ProductVariant, productCases } from './product-cases.ts';
export type { GateCase, Tier, Workload } from './workload.ts';

/** A named rule that a point must obey. `on` lists what it reads, so that enumeration can prune early. */
export interface Constraint {
  readonly name: string;
  readonly doc: string;
  readonly on: readonly string[];
  readonly holds: (point: never, arch: Arch) => boolean;
}

/** A rule that says when a parameter matters. An inactive parameter takes its first value and leaves the id. */
export interface Activation {
  readonly parameter: string;
  readonly on: readonly string[];
  readonly active: (point: never) => boolean;
}

/** A variant's launch resources, known before it is compiled. */
export interface Budget {
  /** Threads of one block. */
  readonly threads: number;
  /** Dynamic shared memory of one block, bytes. */
  readonly sharedBytes: number;
  /** Registers per thread above which the family calls a build a failure (`resources`); the arch's limit if absent. */
  readonly maxRegisters?: number;
  /** Bytes of local memory tolerated, in spilled registers (stores + loads) and in a thread's stack frame, each; 0 if absent. */
  readonly maxSpillBytes?: number;
}

/** A part of a space: some parameters narrowed to some of their values. Parameters that are inactive are not judged. */
export type Part<P extends ParameterSpecs = ParameterSpecs> = {
  readonly [K in keyof P]?: readonly P[K]['values'][number][];
};

/** A preset narrows the space: to one or several parts of it, then optionally to evenly spaced points. */
export interface Preset<P extends ParameterSpecs = ParameterSpecs> {
  readonly doc: string;
  /** A part, or several of which a point must be in one. Enumeration does not even descend into the rest. */
  readonly where?: Part<P> | readonly Part<P>[];
  /** Any further condition on a whole point; asked last of all, so say in `where` what can be said there. */
  holds?(point: Point<P>): boolean;
  /** Keep about this many points, evenly spaced over the enumeration (0 or absent: all). */
  readonly sample?: number;
  /** Ids of the workloads to time with this preset. */
  readonly workloads: readonly string[];
  /** Ids of workloads that are never timed with it, and for which a library that is made without times has a variant by priority. */
  readonly guessed?: readonly string[];
}

/** A problem that stands for a kind of call, and its place in a table of them all. */
export interface Cell {
  /** Operation values, in words. */
  readonly row: string;
  /** Class of sizes. */
  readonly column: string;
  /** As of a workload, and small: it is bound to variants and never run. */
  readonly problem: Workload['problem'];
  /** The same call at a usual size, by which dispatch orders the variants; absent: `problem`. */
  readonly usual?: Workload['problem'];
}

/**
 * A workload that is timed beside another one, to show what a kind of call costs. A preset may name it; the preset `shipped` names
 * all, those without a time as guesses.
 */
export interface Comparison extends Workload {
  /** Id of the comparison beside which it is judged; absent: only others are judged by it. */
  readonly sibling?: string;
  /** Peak rate of its arithmetic as a share of the sibling's; 1 if absent. */
  readonly rate?: number;
}

/**
 * A model of the time that a call takes: a sum of parts, each of them at a nominal rate, times weights that `gen report --costs`
 * fits to times. The emitted library has the same parts in C++, from the family's cost.hpp.
 */
export interface CostModel<P extends ParameterSpecs = ParameterSpecs> {
  /** Seconds of each part; as many for all points of a group. */
  parts(point: Point<P>, workload: Workload): readonly number[];
  /** Names of the groups of variants that have weights in common, the largest first. Where times are few, those of the group before count. */
  groups(point: Point<P>): readonly string[];
}

/**
 * Everything a kernel family says about itself. Plain data and pure functions; no I/O. The functions are written as
 * methods so that a family with exact parameter types is also an AnyFamily, which is all that the engine knows.
 */
export interface FamilyDefinition<P extends ParameterSpecs = ParameterSpecs> {
  /** Folder name, e.g. `my-op`. */
  readonly name: string;
  /** The operation in one line of mathematics. */
  readonly summary: string;
  /** Signature of what callers ask for. */
  readonly operation: Operation;
  /**
   * Values of the operation's choices that a variant serves, and of its sizes where it is made for some alone. Of a choice
   * that is left out, the value of the parameter with its name, where there is one, else the default; of a size, any. The engine never offers a variant anything else: no workload, and no call of the emitted library.
   */
  serves(point: Point<P>): OperationValues;
  readonly parameters: P;
  /** Absent: every parameter matters always. */
  readonly activations?: readonly Activation[];
  /** Beside these the budget must be within the limits of the architecture. */
  readonly constraints: readonly Constraint[];
  readonly presets: Readonly<Record<string, Preset<P>>>;
  /** Template files that the family renders; absent: `<path>.cu.hbs` for every path, `kernel.cu.hbs` where there are no paths. */
  readonly templates?: readonly string[];
  /** The one of them that a variant is rendered from; absent: that of its path. */
  template?(point: Point<P>): string;
  /**
   * Numbers that the template needs and that follow from the point: arithmetic lives here, not in the template. A parameter `input` that
   * is a choice of an element type has its C++ type as `inputType` beside it, and an activation its C++ name as `activationName`.
   */
  derive(point: Point<P>, arch: Arch): Readonly<Record<string, ParameterValue>>;
  /** Absent: `threads` and `sharedBytes` of the derived values or the parameters, as launch code reads them; without the latter, none. */
  budget?(point: Point<P>, arch: Arch): Budget;
  /** Groups of instructions that a point takes and not every architecture has; absent: none. Its budget is compared with the limits. */
  needs?(point: Point<P>): readonly ArchFeature[];
  /** Another reason that a point cannot run on an architecture; undefined if it can. */
  notSupported?(point: Point<P>, arch: Arch): string | undefined;
  readonly workloads: readonly Workload[];
  readonly comparisons?: readonly Comparison[];
  /** Kinds of calls, of which `gen cells` says who serves them; absent: none. */
  readonly cells?: readonly Cell[];
  /** Whether a variant multiplies on tensor cores; absent: those that need `mma.bf16` or `wgmma` do. */
  tensorCores?(point: Point<P>): boolean;
  /** The fastest math mode that a workload allows: no time may beat its peak. Absent: `tf32` where all types are f32, else `f16`. A family whose kernels round nothing to TF32 says `f32`. */
  arithmetic?(workload: Workload): Arithmetic;
  /** Whether a variant is worth timing on a workload whose operation values it serves, e.g. by its tile's size; absent: always. */
  applies?(point: Point<P>, workload: Workload): boolean;
  /** Cases that the gate puts a variant through, on small problems. */
  cases(point: Point<P>, depth: 'quick' | 'full'): readonly GateCase[];
  /** Problem of a variant with a sparse operand, places and values, from a Matrix Market file; absent: the family has none. */
  matrixProblem?(point: Point<P>, path: string): Workload['problem'];
  /** Workloads with that matrix as the sparse operand, places and values; absent: the family has none. */
  matrixWorkloads?(matrix: FileMatrix): readonly Workload[];
  /**
   * Numbers by which the emitted library compares a call with this workload, by their ratio: sizes of the operation and its
   * `features`, by name. Absent: the sizes that the problem has as fields.
   */
  readonly features?: (workload: Workload) => Readonly<Record<string, number>>;
  /**
   * Rank of how many problems beside its workloads a variant takes: 0, as if absent, for those that the workloads
   * happen to be like; the highest for every size, stride, alignment and scalar. For calls that its fastest variants refuse,
   * the emitted library carries for each workload the best variant of every other rank, and one for everything else that the
   * rank's variants serve. It tries lower ranks first.
   */
  generality?(point: Point<P>): number;
  /**
   * Rank of the error that a variant's bound allows: 0, as if absent, for the tightest. Where bounds differ by variant
   * (statistics in one pass or in two), one of a higher rank is chosen only where it is asked for, however fast it is.
   */
  accuracy?(point: Point<P>): number;
  /**
   * Whether a variant's launches may begin before the kernel in front of them has ended, so that a row of them takes less time than as many
   * calls: no wisdom is made of such times. Absent: none do.
   */
  overlapsLaunches?(point: Point<P>): boolean;
  /** Guess of merit, higher is better: ranks variants that nobody has timed. */
  priority(point: Point<P>, workload: Workload): number;
  /** By it the emitted library chooses for calls that are near no timed workload; absent: the nearest one's variant serves them. */
  readonly cost?: CostModel<P>;
  /**
   * Bytes that the multiprocessors must fetch from the L2 cache for work of `flops`, where they are more than each operand
   * once because on-chip memory cannot hold what is used again: a bound for reports, not for verdicts.
   */
  l2Bytes?(workload: Workload, flops: number): number;
  /** Whether a variant promises bitwise equal results on every launch; absent: all do. */
  deterministic?(point: Point<P>): boolean;
}

/** A family with everything that its definition leaves to defaults. */
export interface Family<P extends ParameterSpecs = ParameterSpecs> extends FamilyDefinition<P> {
  readonly activations: readonly Activation[];
  readonly templates: readonly string[];
  template(point: Point<P>): string;
  tensorCores(point: Point<P>): boolean;
  arithmetic(workload: Workload): Arithmetic;
  budget(point: Point<P>, arch: Arch): Budget;
  deterministic(point: Point<P>): boolean;
}

/** Everything that a preset may name and `gen` can time. */
export function allWorkloads({ workloads, comparisons = [] }: AnyFamily): readonly Workload[] {
  return [...workloads, ...comparisons];
}

/** Those of them with these ids, in the family's order. */
export function namedWorkloads(family: AnyFamily, ids: readonly string[] = []): readonly Workload[] {
  const named = new Set(ids);
  return allWorkloads(family).filter(({ id }) => named.has(id));
}

/** Whether a variant at this point may be timed and chosen for a workload. */
export function isCandidate(family: AnyFamily, point: Point, workload: Workload): boolean {
  if (!mayServe(family.operation, family.serves(point), workload.problem)) return false;
  return family.applies?.(point, workload) ?? true;
}

/** A family whose parameters are only known at run time: what the engine works with. */
export type AnyFamily = Family<Readonly<Record<string, Parameter>>>;
