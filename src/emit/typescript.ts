import {
  type OptionalKind,
  Project,
  type PropertySignatureStructure,
  VariableDeclarationKind,
} from 'ts-morph';
import type { ManifestOperation } from '../model/manifest.ts';

type Property = OptionalKind<PropertySignatureStructure>;

/**
 * An operation of the manifest as a TypeScript module: the parameters with their comments as a type, the variants and the policy as
 * constants of that type. Imports nothing, so it can be used wherever it is copied to.
 */
export function typedManifest(manifest: ManifestOperation): string {
  const project = new Project({ useInMemoryFileSystem: true, skipFileDependencyResolution: true });
  const file = project.createSourceFile('manifest.ts');
  const ids = manifest.variants.map(({ id }) => id);
  file.addStatements(
    `// Written by ${manifest.provenance.generator.name}; manifest.json holds the same and the provenance.`,
  );
  file.addInterface({
    name: 'Parameters',
    isExported: true,
    docs: [`Parameters of ${manifest.family}: ${manifest.summary}`],
    properties: Object.entries(manifest.parameters).map(([name, { doc, values }]) =>
      property(name, union(values), doc),
    ),
  });
  file.addTypeAlias({
    name: 'VariantId',
    isExported: true,
    docs: ['Ids of the kernels in this library.'],
    type: union(ids),
  });
  addVariants(file, manifest);
  addPolicy(file, manifest);
  file.formatText({ indentSize: 2 });
  return file.getFullText();
}

type File = ReturnType<Project['createSourceFile']>;

function addVariants(file: File, manifest: ManifestOperation): void {
  file.addInterface({
    name: 'Variant',
    isExported: true,
    docs: ['A kernel that passed the gate.'],
    properties: [
      property('symbol', 'string', 'Name of the kernel in the device code.'),
      property('parameters', 'Parameters'),
      property('threads', 'number', 'Threads of one block.'),
      property('sharedBytes', 'number', 'Dynamic shared memory of one block, bytes.'),
      property('deterministic', 'boolean', 'True when it promises bitwise equal results on every launch.'),
      property('hash', 'string', 'SHA-256 of the rendered source, hex.'),
    ],
  });
  const entries = manifest.variants.map(
    ({ id, symbol, parameters, threads, sharedBytes, deterministic, hash }) => {
      return [id, { symbol, parameters, threads, sharedBytes, deterministic, hash }];
    },
  );
  addConstant(
    file,
    'variants',
    'Readonly<Record<VariantId, Variant>>',
    Object.fromEntries(entries),
    'The kernels, by id.',
  );
}

function addPolicy(file: File, manifest: ManifestOperation): void {
  file.addInterface({
    name: 'Choice',
    isExported: true,
    docs: ['The kernel chosen for a workload.'],
    properties: [
      property('workload', 'string'),
      property('variant', 'VariantId'),
      property('median?', 'number', 'Seconds; absent in an untimed library.'),
      property(
        'features',
        'Readonly<Record<string, number | string>>',
        'What dispatch compares a call with.',
      ),
    ],
  });
  const choices = manifest.policy.map(
    ({ workload, variant, median, variantMedian, features, vendorFaster }) => {
      const seconds = vendorFaster ? variantMedian : median;
      return { workload, variant, ...(seconds !== undefined && { median: seconds }), features };
    },
  );
  addConstant(
    file,
    'untimed',
    'boolean',
    manifest.untimed,
    'True when nothing was timed: the policy is a guess.',
  );
  addConstant(
    file,
    'policy',
    'readonly Choice[]',
    choices,
    'Dispatch takes the choice whose features are nearest.',
  );
}

function addConstant(file: File, name: string, type: string, value: unknown, doc: string): void {
  file.addVariableStatement({
    isExported: true,
    declarationKind: VariableDeclarationKind.Const,
    docs: [doc],
    declarations: [{ name, type, initializer: JSON.stringify(value, undefined, 2) }],
  });
}

function property(name: string, type: string, doc?: string): Property {
  const optional = name.endsWith('?');
  return {
    name: JSON.stringify(name.replace(/\?$/, '')).replace(/^"([A-Za-z_$][\w$]*)"$/, '$1'),
    type,
    isReadonly: true,
    hasQuestionToken: optional,
    ...(doc && { docs: [doc] }),
  };
}

function union(values: readonly (string | number | boolean)[]): string {
  return values.map((value) => JSON.stringify(value)).join(' | ') || 'never';
}
