import type { Binding } from '../../../src/model/binding.ts';
import type { Manifest, ManifestChoice, ManifestVariant } from '../../../src/model/manifest.ts';
import type { Operation } from '../../../src/model/operation.ts';
import { numberOf } from '../../../src/model/signature.ts';
import { operationContext } from './operation.ts';

/** Grows when a struct, a function or a number of the emitted C interface changes its meaning. */
const abiVersion = 2;

const binding: Binding = {
  name: 'c',
  summary: 'C library as a CMake package: a CUDA target and an emulated one with the same interface',
  files: ({ operation }) => [
    {
      from: 'include/tilewright/operation.h.hbs',
      to: `include/tilewright/${operation.name}.h`,
    },
    ...[
      'CMakeLists.txt.hbs',
      'README.md.hbs',
      'cmake/cuda.cmake',
      'cmake/exports.map',
      'cmake/library.cmake',
      'cmake/tilewright.pc.in',
      'cmake/tilewrightConfig.cmake.in',
      'include/tilewright/export.h',
      'include/tilewright/tilewright.h',
      'include/tilewright/version.h.hbs',
      'src/cuda/device.cpp',
      'src/cuda/kernels.S.hbs',
      'src/emulated/device.cpp',
      'src/emulated/kernels.cpp.hbs',
      'src/emulated/kernels.hpp',
      'src/emulated/types/cuda_bf16.h',
      'src/emulated/types/cuda_fp16.h',
      'src/emulated/types/number.hpp',
      'src/emulated/types/vector_functions.h',
      'src/manifest.S',
      'src/operation/api.cpp.hbs',
      'src/problem_checks.cpp',
      'src/problem_checks.hpp',
      'src/runtime.cpp',
      'src/runtime.hpp',
      'src/selection.cpp.hbs',
      'src/status.cpp',
    ].map((from) => ({ from, to: from.replace(/\.hbs$/, '') })),
  ],
  copies: () => [
    { root: 'family', from: 'launch.hpp', withIncludes: true, to: 'src/operation' },
    { root: 'family', from: 'features.hpp', withIncludes: true, to: 'src/operation' },
    { root: 'package', from: 'templates/include', to: 'device' },
    { root: 'package', from: 'harness/simt/include', to: 'simt/include' },
    { root: 'package', from: 'harness/simt/src', accept: isNotHooks, to: 'simt/src' },
    { root: 'package', from: 'harness/cuda', accept: isLauncher, to: 'src/cuda' },
    { root: 'package', from: 'harness/emulated', accept: isLauncher, to: 'src/emulated' },
    { root: 'package', from: 'LICENSE', to: 'LICENSE' },
  ],
  proof: {
    sources: ['src/operation/api.cpp', 'src/selection.cpp'],
    folders: ['include', 'src', 'src/operation', 'device', 'simt/include', 'simt/src'],
    flags: ['-std=c++20', '-DTW_EMULATED'],
  },
  context: (manifest) => {
    const [major, minor, patch] = manifest.provenance.generator.version.split(/[.+-]/);
    const images = manifest.variants.flatMap(imageRows);
    const choices = withoutRepeats(manifest.policy);
    return {
      ...operationContext(manifest.operation),
      family: manifest.family,
      summary: manifest.summary,
      version: `${major}.${minor}.${patch}`,
      versionMajor: major,
      versionMinor: minor,
      versionPatch: patch,
      abiVersion,
      untimed: manifest.untimed,
      wisdom: (manifest.wisdom ?? [])
        .map(({ gpu, driver, date, id }) => `${gpu} (driver ${driver}, ${date.slice(0, 10)}, ${id})`)
        .join(', '),
      hasCuda: manifest.variants.every((variant) => variant.images.length > 0),
      variants: manifest.variants.map((variant, index) => variantRow(manifest, variant, index)),
      variantCount: manifest.variants.length,
      choices: choices.map((choice, index) => choiceRow(manifest, choice, index)),
      choiceCount: choices.length,
      kernels: manifest.variants.flatMap(({ kernels }) => kernels),
      images: images.map((image, index) => ({ ...image, index })),
      imageCount: images.length,
      provenance: manifest.provenance,
    };
  },
};
export default binding;

/** The library's kernels are not instrumented, and ThreadSanitizer's names must stay the consumer's own. */
function isNotHooks(path: string): boolean {
  return path !== 'hooks.cpp';
}

function isLauncher(path: string): boolean {
  return /^launcher\.(cpp|hpp)$/.test(path);
}

/** Leaves out workloads that dispatch cannot tell from an earlier one. */
function withoutRepeats(policy: readonly ManifestChoice[]): ManifestChoice[] {
  const first = new Map(policy.toReversed().map((choice) => [JSON.stringify(choice.features), choice]));
  return policy.filter((choice) => first.get(JSON.stringify(choice.features)) === choice);
}

function imageRows(variant: ManifestVariant) {
  return variant.images.map(({ arch, file }) => ({
    arch,
    file,
    variant: variant.id,
    computeCapability: Number.parseInt(arch.replace(/^sm_/, ''), 10),
    thisChipOnly: arch.endsWith('a'),
  }));
}

function variantRow(manifest: Manifest, variant: ManifestVariant, index: number) {
  const before = manifest.variants.slice(0, index);
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
    firstImage: before.reduce((sum, { images }) => sum + images.length, 0),
    imageCount: variant.images.length,
    ...servedRows(manifest.operation, variant),
    fallback: variant.fallback,
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

function choiceRow(manifest: Manifest, choice: ManifestChoice, index: number) {
  const features = Object.entries(choice.features);
  return {
    index,
    workload: choice.workload,
    name: choice.variant,
    evidence: evidence(choice),
    features: features.map(([name, value]) => `{"${name}", ${value}}`),
    count: features.length,
    variant: manifest.variants.findIndex(({ id }) => id === choice.variant),
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
