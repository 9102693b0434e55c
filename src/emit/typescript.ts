import type { ManifestOperation } from '../model/manifest.ts';

/**
 * An operation of the manifest as a TypeScript module: the parameters with their comments as a type, the variants and the policy as
 * constants of that type. Imports nothing, so it can be used wherever it is copied to.
 */
export function typedManifest(manifest: ManifestOperation): string {
  const ids = manifest.variants.map(({ id }) => id);
  const parameters = Object.entries(manifest.parameters).map(([name, { doc, values }]) =>
    property(name, union(values), doc),
  );
  return [
    `// Written by ${manifest.provenance.generator.name}; manifest.json holds the same and the provenance.\n`,
    interfaceOf('Parameters', `Parameters of ${manifest.family}: ${manifest.summary}`, parameters),
    `${comment('Ids of the kernels in this library.')}export type VariantId = ${union(ids)};\n`,
    ...variants(manifest),
    ...policy(manifest),
  ].join('\n');
}

function variants(manifest: ManifestOperation): string[] {
  const entries = manifest.variants.map(
    ({ id, symbol, parameters, threads, sharedBytes, deterministic, hash }) => {
      return [id, { symbol, parameters, threads, sharedBytes, deterministic, hash }];
    },
  );
  const all: unknown = Object.fromEntries(entries);
  return [
    interfaceOf('Variant', 'A kernel that passed the gate.', [
      property('symbol', 'string', 'Name of the kernel in the device code.'),
      property('parameters', 'Parameters'),
      property('threads', 'number', 'Threads of one block.'),
      property('sharedBytes', 'number', 'Dynamic shared memory of one block, bytes.'),
      property('deterministic', 'boolean', 'True when it promises bitwise equal results on every launch.'),
      property('hash', 'string', 'SHA-256 of the rendered source, hex.'),
    ]),
    constant('variants', 'Readonly<Record<VariantId, Variant>>', all, 'The kernels, by id.'),
  ];
}

function policy(manifest: ManifestOperation): string[] {
  const choices = manifest.policy.map(
    ({ workload, variant, median, variantMedian, features, vendorFaster }) => {
      const seconds = vendorFaster ? variantMedian : median;
      return { workload, variant, ...(seconds !== undefined && { median: seconds }), features };
    },
  );
  const untimed = 'True when nothing was timed: the policy is a guess.';
  const nearest = 'Dispatch takes the choice whose features are nearest.';
  return [
    interfaceOf('Choice', 'The kernel chosen for a workload.', [
      property('workload', 'string'),
      property('variant', 'VariantId'),
      property('median?', 'number', 'Seconds; absent in an untimed library.'),
      property(
        'features',
        'Readonly<Record<string, number | string>>',
        'What dispatch compares a call with.',
      ),
    ]),
    constant('untimed', 'boolean', manifest.untimed, untimed),
    constant('policy', 'readonly Choice[]', choices, nearest),
  ];
}

function interfaceOf(name: string, doc: string, properties: readonly string[]): string {
  return `${comment(doc)}export interface ${name} {\n${properties.join('')}}\n`;
}

function constant(name: string, type: string, value: unknown, doc: string): string {
  return `${comment(doc)}export const ${name}: ${type} = ${JSON.stringify(value, undefined, 2)};\n`;
}

/** A member of an interface, quoted where it is no identifier; `name?`: an optional one. */
function property(name: string, type: string, doc?: string): string {
  const key = JSON.stringify(name.replace(/\?$/, '')).replace(/^"([A-Za-z_$][\w$]*)"$/, '$1');
  const about = doc ? comment(doc, '  ') : '';
  return `${about}  readonly ${key}${name.endsWith('?') ? '?' : ''}: ${type};\n`;
}

function comment(text: string, indent = ''): string {
  const lines = text.replaceAll('*/', '* /').split('\n');
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

function union(values: readonly (string | number | boolean)[]): string {
  return values.map((value) => JSON.stringify(value)).join(' | ') || 'never';
}
