import { backends, timedArtifacts } from '../backends/index.ts';
import type { Artifact } from '../model/artifact.ts';
import { weightsOf } from '../model/costs.ts';
import { type AnyFamily, isCandidate } from '../model/family.ts';
import { featuresOf } from '../model/features.ts';
import {
  type Manifest,
  type ManifestChoice,
  type ManifestImage,
  type ManifestOperation,
  type ManifestTiming,
  type ManifestVariant,
  manifestVersion,
  type Provenance,
} from '../model/manifest.ts';
import { askedValues, type Operation, type OperationValues, servedValues } from '../model/operation.ts';
import type { Choice, Selection } from '../model/selection.ts';
import type { Source } from '../model/variant.ts';
import type { Verdict } from '../model/verdict.ts';
import type { Timing } from '../model/wisdom.ts';
import type { Workload } from '../model/workload.ts';
import { sha256 } from '../util/hash.ts';
import { kernelSource } from './place.ts';
import type { LibraryRun, OperationRequest } from './request.ts';

/** A selected variant with everything the package holds of it. */
export interface Shipped {
  readonly source: Source;
  /** Held by the emulated library, too. */
  readonly emulated: boolean;
  readonly images: readonly ManifestImage[];
}

/** Describes one operation of the library. Pure: the same request gives the same. */
export function describeOperation(
  request: OperationRequest,
  shipped: readonly Shipped[],
  version: string,
): ManifestOperation {
  const { family, selection, run } = request;
  return {
    family: family.name,
    summary: family.summary,
    signature: family.operation,
    untimed: !selection.timed && selection.wisdom === undefined,
    ...(selection.wisdom && { wisdom: selection.wisdom }),
    tolerance: selection.tolerance,
    parameters: describeParameters(family),
    variants: shipped.map((one) => describeVariant(one, family, run.verdicts, selection)),
    policy: selection.choices.map((choice) => describeChoice(family, choice, shipped)),
    ...(selection.timings && { timings: describeTimings(selection.timings, shipped) }),
    ...(selection.costs && { costs: describeCosts(selection.costs) }),
    unserved: selection.unserved,
    leftOut: leftOut(run.verdicts, selection.variants),
    provenance: describeProvenance(run, version),
  };
}

/** The manifest of a library of these operations, in the order of their names. */
export function buildManifest(operations: Manifest['operations'], version: string): Manifest {
  const sorted = Object.entries(operations).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    schema: manifestVersion,
    hash: sha256(JSON.stringify(sorted.map(([name, operation]) => [name, ...contentsOf(operation)]))),
    operations: Object.fromEntries(sorted),
    provenance: { generator: { name: 'tilewright', version } },
    licence: { spdx: 'MIT', file: 'LICENSE' },
  };
}

function contentsOf({ variants, policy, timings = [] }: ManifestOperation) {
  const kernels = variants.map(({ hash, images, weights }) => [
    hash,
    images.map((image) => image.hash),
    weights,
  ]);
  return [kernels, policy, timings];
}

function describeParameters(family: AnyFamily): ManifestOperation['parameters'] {
  return Object.fromEntries(
    Object.entries(family.parameters).map(([name, { label, doc, values }]) => [
      name,
      { label, doc, values: [...values] },
    ]),
  );
}

function describeVariant(
  { source, emulated, images }: Shipped,
  family: AnyFamily,
  verdicts: readonly Verdict[],
  { fallbacks, costs }: Selection,
): ManifestVariant {
  const { id, symbol, parameters, derived, budget, deterministic } = source.variant;
  const weights = costs && weightsOf(family, costs, source.variant);
  const passed = verdictsOf(id, verdicts);
  const errors = passed.flatMap(({ evidence }) => evidence.maxErrorOverBound ?? []);
  return {
    id,
    symbol,
    parameters: { ...parameters },
    derived: { ...derived },
    serves: describeServed(family.operation, family.serves(parameters)),
    threads: budget.threads,
    sharedBytes: budget.sharedBytes,
    deterministic,
    ...(family.accuracy && { accuracy: family.accuracy(parameters) }),
    fallback: fallbacks.includes(id),
    emulated,
    source: kernelSource(family.operation.name, id, emulated),
    hash: source.hash,
    kernels: kernelsIn(source),
    images: [...images],
    ...(weights && { weights: weights.map((weight) => Number(weight.toPrecision(4))) }),
    gatedOn: Object.values(backends)
      .map(({ name }) => name)
      .filter((name) => passed.some(({ device }) => device === name)),
    ...(errors.length > 0 && { maxErrorOverBound: Math.max(...errors) }),
  };
}

/** Variants that passed on every device and were not selected. */
function leftOut(verdicts: readonly Verdict[], selected: readonly string[]): string[] {
  const failed = new Set(
    verdicts.filter(({ verdict }) => verdict !== 'passed').map(({ variant }) => variant),
  );
  const passed = new Set(verdicts.map(({ variant }) => variant));
  return [...passed].filter((id) => !failed.has(id) && !selected.includes(id)).toSorted();
}

/** Copied: a manifest owns its arrays. */
function describeServed(operation: Operation, served: OperationValues): ManifestVariant['serves'] {
  return Object.fromEntries(
    Object.entries(servedValues(operation, served)).map(([name, values]) => [name, [...values]]),
  );
}

/** The verdicts that admit a variant. Shipping one that the gate never passed, or failed on any device, is a defect. */
function verdictsOf(id: string, verdicts: readonly Verdict[]): Verdict[] {
  const own = verdicts.filter(({ variant }) => variant === id);
  const failed = own.find(({ verdict }) => verdict !== 'passed');
  if (failed) throw new Error(`${id} is selected but its verdict on ${failed.device} is ${failed.verdict}`);
  if (own.length === 0) throw new Error(`${id} is selected but the run holds no verdict on it`);
  return own;
}

/** Names that the source exports to the emulated device, the variant's own first. */
function kernelsIn({ text, variant }: Source): string[] {
  const names = [...text.matchAll(/^\s*TW_EXPORT\((\w+)\)/gm)].flatMap((match) => match[1] ?? []);
  return [...new Set([variant.symbol, ...names])];
}

function describeChoice(family: AnyFamily, choice: Choice, shipped: readonly Shipped[]): ManifestChoice {
  const workload = { id: choice.workload, problem: choice.problem };
  return {
    ...choice,
    features: featuresOf(family, workload),
    values: { ...askedValues(family.operation, choice.problem) },
    vendorFaster: choice.winner !== choice.variant,
    merits: meritsOf(family, workload, shipped),
  };
}

/** Three digits are more than the guess is worth. */
function meritsOf(
  family: AnyFamily,
  workload: Workload,
  shipped: readonly Shipped[],
): Record<string, number> {
  const candidates = shipped.filter(({ source }) => isCandidate(family, source.variant.parameters, workload));
  return Object.fromEntries(
    candidates.map(({ source: { variant } }) => [
      variant.id,
      Number(family.priority(variant.parameters, workload).toPrecision(3)),
    ]),
  );
}

/** As far as they are of variants that are shipped. Three digits are more than times of another day are worth. */
function describeTimings(timings: readonly Timing[], shipped: readonly Shipped[]): ManifestTiming[] {
  const ids = new Set(shipped.map(({ source }) => source.variant.id));
  return timings.flatMap(({ name, features, source, times }) => {
    const best = Math.min(...Object.values(times));
    const own = Object.entries(times).filter(([id]) => ids.has(id));
    const speeds = Object.fromEntries(own.map(([id, time]) => [id, Number((best / time).toPrecision(3))]));
    return own.length > 0 ? [{ name, features: { ...features }, source, speeds }] : [];
  });
}

function describeCosts({ gpu, runs, times }: NonNullable<Selection['costs']>): ManifestOperation['costs'] {
  return { gpu, runs, times };
}

function describeProvenance(run: LibraryRun, version: string): Provenance {
  const { commit, nvcc, cxx, gpu } = run;
  return {
    generator: { name: 'tilewright', version, ...(commit && { commit }) },
    run: run.id,
    date: run.date,
    ...(nvcc && { nvcc }),
    ...(cxx && { cxx }),
    ...(gpu && { gpu }),
    gate: {
      digest: gateDigest(run.verdicts),
      passed: run.verdicts.filter(({ verdict }) => verdict === 'passed').length,
      verdicts: run.verdicts.length,
    },
  };
}

/** Hash over what the gate said, in an order of its own and without times: equal runs give equal digests. */
export function gateDigest(verdicts: readonly Verdict[]): string {
  const lines = verdicts.map(({ variant, device, verdict, evidence }) =>
    JSON.stringify([variant, device, verdict, evidence.case ?? null, evidence.cases ?? null]),
  );
  return sha256(lines.toSorted().join('\n'));
}

/** The artifacts of one variant that were made for a GPU. */
export function cubinsOf(id: string, artifacts: readonly Artifact[]): Artifact[] {
  return timedArtifacts(artifacts).filter(({ source }) => source.variant.id === id);
}
