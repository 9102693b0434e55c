import type { Binding } from '../../../src/model/binding.ts';
import type {
  ManifestChoice,
  ManifestImage,
  ManifestOperation,
  ManifestTiming,
  ManifestVariant,
} from '../../../src/model/manifest.ts';
import type { Operation } from '../../../src/model/operation.ts';
import { numberOf } from '../../../src/model/signature.ts';
import { keyedContext, patternsOf } from './keyed.ts';
import { operationContext } from './operation.ts';

/** Grows when a struct, a function or a number of the emitted C interface changes its meaning. */
const abiVersion = 3;

/** Sources of contexts: what finds, measures and remembers kernels. */
const tunerFiles = [
  'cache.cpp',
  'cache.hpp',
  'context.cpp',
  'context.hpp',
  'cublaslt.hpp',
  'device.hpp',
  'key.cpp',
  'measure.cpp',
  'measure.hpp',
  'memory.cpp',
  'memory.hpp',
  'promise.cpp',
  'promise.hpp',
  'race.cpp',
  'race.hpp',
  'record.cpp',
  'record.hpp',
  'request.hpp',
  'resolve.cpp',
  'scratch.cpp',
  'table.cpp',
  'table.hpp',
  'vendor.cpp',
  'vendor.hpp',
  'workspaces.cpp',
  'workspaces.hpp',
].map((name) => `src/tuner/${name}`);

const binding: Binding = {
  name: 'c',
  summary: 'C library as a CMake package: a CUDA target and an emulated one with the same interface',
  files: [
    'CMakeLists.txt.hbs',
    'README.md.hbs',
    'cmake/cuda.cmake',
    'cmake/exports.map',
    'cmake/library.cmake',
    'cmake/tilewright.pc.in',
    'cmake/tilewrightConfig.cmake.in',
    'include/tilewright/context.h',
    'include/tilewright/export.h',
    'include/tilewright/patterns.h.hbs',
    'include/tilewright/tilewright.h',
    'include/tilewright/version.h.hbs',
    'src/cuda/device.cpp',
    'src/cuda/kernels.S.hbs',
    'src/cuda/translated.hpp',
    'src/cuda/tuning.cpp',
    'src/emulated/device.cpp',
    'src/emulated/kernels.cpp.hbs',
    'src/emulated/kernels.hpp',
    'src/emulated/tuning.cpp',
    'src/emulated/types/cuda_bf16.h',
    'src/emulated/types/cuda_fp16.h',
    'src/emulated/types/number.hpp',
    'src/emulated/types/vector_functions.h',
    'src/manifest.S',
    'src/patterns.cpp.hbs',
    'src/patterns.hpp.hbs',
    'src/problem_checks.cpp',
    'src/problem_checks.hpp',
    'src/runtime.cpp',
    'src/runtime.hpp',
    'src/status.cpp',
    ...tunerFiles,
  ].map((from) => ({ from, to: from.replace(/\.hbs$/, '') })),
  copies: [
    { from: 'kit/device/tw', accept: isHeader, to: 'device/tw' },
    { from: 'kit/host/tw', to: 'device/tw' },
    { from: 'kit/device/simt', to: 'simt/include/simt' },
    { from: 'harness/simt/src', accept: isNotHooks, to: 'simt/src' },
    { from: 'harness/cuda', accept: isLauncher, to: 'src/cuda' },
    { from: 'harness/emulated', accept: isLauncher, to: 'src/emulated' },
    { from: 'LICENSE', to: 'LICENSE' },
  ],
  context: ({ operations, provenance }) => {
    const [major, minor, patch] = provenance.generator.version.split(/[.+-]/);
    const all = Object.values(operations);
    const variants = all.flatMap((one) => one.variants);
    return {
      names: Object.keys(operations).join(', '),
      operations: all.map(libraryRow),
      patterns: patternsOf(all),
      tunerSources: tunerFiles.filter((name) => name.endsWith('.cpp')),
      version: `${major}.${minor}.${patch}`,
      versionMajor: major,
      versionMinor: minor,
      versionPatch: patch,
      abiVersion,
      hasCuda: all.some(({ variants: own }) => own.every(({ images }) => images.length > 0)),
      kernels: kernelsOf(variants, true),
      cudaKernels: kernelsOf(variants, false),
      images: variants.flatMap(({ images }) => images).map(({ file }, index) => ({ file, index })),
    };
  },
  operation: {
    files: (name) => [
      { from: 'include/tilewright/operation.h.hbs', to: `include/tilewright/${name}.h` },
      { from: 'src/operation/api.cpp.hbs', to: `${sources(name)}/api.cpp` },
      { from: 'src/operation/calls.hpp.hbs', to: `${sources(name)}/calls.hpp` },
      { from: 'src/operation/operation.cpp', to: `${sources(name)}/operation.cpp` },
      { from: 'src/operation/keyed.cpp.hbs', to: `${sources(name)}/keyed.cpp` },
      { from: 'src/operation/selection.cpp.hbs', to: `${sources(name)}/selection.cpp` },
    ],
    signature: (name) => `${sources(name)}/operation.hpp`,
    copies: (name) => [
      { from: 'launch.hpp', withIncludes: true, to: sources(name) },
      { from: 'features.hpp', optional: true, withIncludes: true, to: sources(name) },
      { from: 'cost.hpp', optional: true, withIncludes: true, to: sources(name) },
      { from: 'vendor_calls.hpp', optional: true, withIncludes: true, to: sources(name) },
      { from: 'bindings', optional: true, to: `bindings/${name}` },
    ],
    context: (operation) => {
      const choices = withoutRepeats(operation.policy);
      return {
        ...keyedContext(operation.signature),
        ...operationContext(operation.signature),
        variants: operation.variants.map((variant, index) => variantRow(operation, variant, index)),
        variantCount: operation.variants.length,
        choices: choices.map((choice, index) => choiceRow(operation, choice, index)),
        choiceCount: choices.length,
        hasCosts: operation.costs !== undefined,
        timings: (operation.timings ?? []).map((timing, index) => timingRow(operation, timing, index)),
      };
    },
    proof: (name) => ({
      // Two units, since the first is the same whichever kernels were selected.
      units: [['api.cpp', 'keyed.cpp'], ['selection.cpp']].map((unit) =>
        unit.map((file) => `${sources(name)}/${file}`),
      ),
      folders: ['include', 'src', sources(name), 'device', 'simt/include', 'simt/src'],
      flags: ['-std=c++20', '-DTW_EMULATED'],
    }),
  },
};
export default binding;

/** Folder of an operation's C++ inside the package. */
function sources(operation: string): string {
  return `src/operations/${operation}`;
}

/** An operation as the files say it that the library has once. */
function libraryRow(operation: ManifestOperation) {
  const { signature, family, summary, provenance, untimed, wisdom = [] } = operation;
  return {
    ...{ name: signature.name, family, summary, provenance, untimed },
    wisdom: wisdom
      .map(({ gpu, driver, date, id }) => `${gpu} (driver ${driver}, ${date.slice(0, 10)}, ${id})`)
      .join(', '),
    variants: sourcesOf(operation, true),
    cudaVariants: sourcesOf(operation, false),
    choices: withoutRepeats(operation.policy).map(({ variant, workload }) => ({ variant, workload })),
  };
}

/** Kernels that the emulated library holds, or those that it does not. */
function kernelsOf(variants: readonly ManifestVariant[], emulated: boolean): string[] {
  return variants.filter((variant) => variant.emulated === emulated).flatMap(({ kernels }) => kernels);
}

/** Their sources. */
function sourcesOf({ variants }: ManifestOperation, emulated: boolean): string[] {
  return variants.filter((variant) => variant.emulated === emulated).map(({ source }) => source);
}

/** Headers, without what generates one. */
function isHeader(path: string): boolean {
  return !path.endsWith('.ts');
}

/** The library's kernels are not instrumented, and ThreadSanitizer's names must stay the consumer's own. */
function isNotHooks(path: string): boolean {
  return path !== 'hooks.cpp';
}

function isLauncher(path: string): boolean {
  return /^launcher\.(cpp|hpp)$/.test(path);
}

/** Leaves out workloads that dispatch cannot tell from an earlier one. */
function withoutRepeats(policy: readonly ManifestChoice[]): ManifestChoice[] {
  const told = (choice: ManifestChoice) => JSON.stringify([choice.features, choice.values]);
  const first = new Map(policy.toReversed().map((choice) => [told(choice), choice]));
  return policy.filter((choice) => first.get(told(choice)) === choice);
}

function imageRow({ arch, file }: ManifestImage): string {
  const capability = Number.parseInt(arch.replace(/^(sm|compute)_/, ''), 10);
  const reach = arch.startsWith('compute_') ? 'later' : arch.endsWith('a') ? 'this_chip' : 'later_minors';
  return `{"${file}", ${capability}, Reach::${reach}}`;
}

function variantRow({ signature }: ManifestOperation, variant: ManifestVariant, index: number) {
  const parameters = Object.entries({ ...variant.parameters, ...variant.derived });
  return {
    index,
    id: variant.id,
    symbol: variant.symbol,
    parameters: parameters.map(([name, value]) =>
      typeof value === 'string'
        ? `{"${name}", 0, ${JSON.stringify(value)}}`
        : `{"${name}", ${Number(value)}, nullptr}`,
    ),
    count: parameters.length,
    images: variant.images.map(imageRow),
    imageCount: variant.images.length,
    ...servedRows(signature, variant),
    fallback: variant.fallback,
    deterministic: variant.deterministic,
    sharedBytes: variant.sharedBytes,
    hash: variant.hash,
    weights: (variant.weights ?? []).join(', '),
    weightCount: variant.weights?.length ?? 0,
  };
}

/** Masks of the values that a variant serves of each choice, and the sizes that it is made for. */
function servedRows({ choices, sizes }: Operation, { serves }: ManifestVariant) {
  const masks = Object.entries(choices).map(([name, { kind }]) =>
    (serves[name] ?? []).reduce<number>((mask, value) => mask | (1 << numberOf(kind, String(value))), 0),
  );
  const fixed = Object.keys(sizes).flatMap((name) =>
    (serves[name] ?? []).map((value) => `{"${name}", ${Number(value)}}`),
  );
  return { served: masks.join(', '), fixed: fixed.join(', '), fixedCount: fixed.length };
}

function choiceRow({ signature, variants }: ManifestOperation, choice: ManifestChoice, index: number) {
  const features = Object.entries(choice.features);
  const merits = variants.flatMap(({ id }, at) => {
    const merit = choice.merits?.[id];
    return merit ? [`{${at}, ${merit}}`] : [];
  });
  return {
    index,
    workload: choice.workload,
    name: choice.variant,
    evidence: evidence(choice),
    features: features.map(([name, value]) => `{"${name}", ${value}}`),
    count: features.length,
    variant: variants.findIndex(({ id }) => id === choice.variant),
    timed: choice.median !== undefined,
    alone: choice.alone === true,
    values: choice.values && valueNumbers(signature, choice.values),
    merits: merits.join(', '),
    meritCount: merits.length,
  };
}

/** `0, 1, 2`: the number of each choice's value. */
function valueNumbers({ choices }: Operation, values: Readonly<Record<string, string>>): string {
  const numbers = Object.entries(choices).map(([name, { kind }]) => numberOf(kind, values[name] ?? ''));
  return numbers.join(', ');
}

function timingRow({ variants }: ManifestOperation, timing: ManifestTiming, index: number) {
  const speeds = variants.map(({ id }) => timing.speeds[id] ?? 0);
  return {
    ...{ index, name: timing.name, source: timing.source },
    features: Object.entries(timing.features)
      .map(([name, value]) => `{"${name}", ${value}}`)
      .join(', '),
    count: Object.keys(timing.features).length,
    fastest: speeds.indexOf(Math.max(...speeds)),
    speeds: speeds.join(', '),
  };
}

/** One line for the reader of the policy, e.g. `41.8 us hot, 1.012x the best of ours; cusparse-bsr 55.0 us`. */
function evidence(choice: ManifestChoice): string {
  const { median, variantMedian, vendorFaster, l2, slowdown, baseline, measured, accuracy } = choice;
  const own = vendorFaster ? variantMedian : median;
  const rank = accuracy ? `; rank ${accuracy} of accuracy` : '';
  if (own === undefined) return `untimed: first by the priority of its family${rank}`;
  const time = `${microseconds(own)} ${l2 ?? ''}`.trimEnd();
  const behind = slowdown === undefined ? '' : `, ${slowdown.toFixed(3)}x the best of ours`;
  const elsewhere = measured === undefined ? '' : `, measured in run ${measured}`;
  const vendor = baseline ? `; ${baseline.name} ${microseconds(baseline.median)}` : '';
  return time + behind + elsewhere + vendor + (vendorFaster ? ', which is faster' : '') + rank;
}

function microseconds(seconds: number): string {
  return `${(seconds * 1e6).toFixed(1)} us`;
}
