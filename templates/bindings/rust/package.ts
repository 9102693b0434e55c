import type { PackageBinding, PackageFile } from '../../../src/model/binding.ts';
import type { Manifest } from '../../../src/model/manifest.ts';
import { operationContext, statuses, vocabulary } from './operation.ts';
import { patternsOf } from './patterns.ts';

/** Files that a package has once. */
const shared = [
  'Cargo.toml.hbs',
  'tilewright/Cargo.toml',
  'tilewright/examples/library.rs',
  'tilewright/src/context.rs',
  'tilewright/src/cuda.rs',
  'tilewright/src/error.rs',
  'tilewright/src/lib.rs.hbs',
  'tilewright/src/library.rs',
  'tilewright/src/memory.rs',
  'tilewright/src/number.rs',
  'tilewright/src/vocabulary.rs.hbs',
  'tilewright/src/wide.rs',
  'tilewright-sys/Cargo.toml',
  'tilewright-sys/build.rs',
  'tilewright-sys/examples/version.rs',
  'tilewright-sys/src/context.rs.hbs',
  'tilewright-sys/src/lib.rs.hbs',
  'tilewright-sys/src/shared.rs.hbs',
  'tilewright-sys/tests/layout.rs.hbs',
];

const rust: PackageBinding = {
  name: 'rust',
  summary: 'Cargo workspace: tilewright-sys, which vendors the library, and tilewright, its safe interface',
  library: 'tilewright-sys/vendor',
  // Crates of its own, and `tilewright/src/<operation>/own.rs`: a part of the operation's module.
  familyFiles: () => '.',
  files: (manifest, has) => {
    const context = packageContext(manifest, has);
    return [
      ...shared.map((from) => ({ from, to: from.replace(/\.hbs$/, ''), context })),
      ...context.operations.flatMap(operationFiles),
      ...context.patterns.map((pattern) => ({
        from: 'tilewright/src/pattern.rs.hbs',
        to: `tilewright/src/${pattern.module}.rs`,
        context: pattern,
      })),
    ];
  },
};
export default rust;

function packageContext({ operations, provenance, licence }: Manifest, has: (file: string) => boolean) {
  const [major, minor, patch] = provenance.generator.version.split(/[.+-]/);
  return {
    version: `${major}.${minor}.${patch}`,
    licence: licence.spdx,
    names: Object.keys(operations).join(', '),
    operations: Object.values(operations).map(({ signature }) => operationContext(signature, has)),
    patterns: patternsOf(Object.values(operations).map(({ signature }) => signature)),
    statuses,
    statusConstants: statuses.map(({ name }) => `TW_STATUS_${name}`).join(', '),
    vocabulary,
  };
}

function operationFiles(context: ReturnType<typeof operationContext>): PackageFile[] {
  return ['tilewright-sys', 'tilewright'].map((crate) => ({
    from: `${crate}/src/operation.rs.hbs`,
    to: `${crate}/src/${context.operation}.rs`,
    context,
  }));
}
