// A hundred families, each broken in one place: whoever wrote the family learns where. What only the runner can see is in
// test/e2e/malformed-families.test.ts.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadFamily } from '../../src/discover.ts';
import { UsageError } from '../../src/errors.ts';
import { enumerate } from '../../src/space/enumerate.ts';
import { breakFile, type Made, newFamily, shortFamily, useFamily } from '../helpers/malformed.ts';

/** `line`: the message must name one; `id`: and a variant. */
type Change = readonly [from: string | RegExp, to: string, says: RegExp, needs?: 'line' | 'line and id'];
type Malformed = readonly [what: string, ...Change];

const id = 'line and id';
const boom = "(() => { throw new Error('boom'); })";
const circle = '(() => { const one: Record<string, never> = {}; one.self = one as never; return one; })()';
const throwing = '() => { const nothing: { x?: { y: number } } = {}; return nothing.x!.y as never; }';

const functions = {
  template: "template: () => 'kernel.cu.hbs'",
  derive: 'derive: ({ threads, vector, unroll }) => ({ tile: threads * vector * unroll })',
  budget: 'budget: ({ threads }) => ({ threads, sharedBytes: 0 })',
  serves: 'serves: () => ({})',
  generality: 'generality: ({ vector }) => (vector === 1 ? 1 : 0)',
  cases: 'cases: ({ threads, vector, unroll }) => cases(threads * vector * unroll, vector)',
  priority: 'priority: ({ threads, vector, unroll }) => vector * 100 + unroll * 10 + threads / 64',
  deterministic: 'deterministic: () => true',
} as const;

/** Every function throws, is async, rejects, or gives nothing. */
const ofFunctions = Object.entries(functions).flatMap(([name, from]): Malformed[] => [
  [`${name}() throws`, from, `${name}: ${boom}`, new RegExp(`${name}\\(\\) for my_op.* threw: boom`), id],
  [`${name}() reads a field of nothing`, from, `${name}: ${throwing}`, /threw: TypeError: Cannot read/, id],
  [
    `${name}() throws a text`,
    from,
    `${name}: (() => { throw 'boom'; })`,
    new RegExp(`${name}\\(\\) for my_op.* threw boom`),
    id,
  ],
  [
    `${name}() is async`,
    from,
    from.replace(': (', ': async ('),
    /gave a promise: write it without async/,
    id,
  ],
  [`${name}() never settles`, from, `${name}: (() => new Promise(() => {})) as never`, /gave a promise/, id],
  [
    `${name}() gives null`,
    from,
    `${name}: () => null as never`,
    new RegExp(`${name}\\(\\) for my_op.*must give`),
    id,
  ],
]);

const others: readonly Malformed[] = [
  // Results of a wrong kind.
  [
    'a template that is not listed',
    functions.template,
    "template: () => 'kernle.cu.hbs'",
    /must give one of templates \(kernel\.cu\.hbs\); gave "kernle/,
    id,
  ],
  [
    'a derived value that is no number',
    '({ tile: threads * vector * unroll })',
    '({ tile: Number.NaN })',
    /gave tile = NaN/,
    id,
  ],
  [
    'a derived list',
    '({ tile: threads * vector * unroll })',
    '({ tile: [threads] as never })',
    /gave tile = an object/,
    id,
  ],
  [
    'a derived value that hides a parameter',
    '({ tile:',
    '({ threads: 1, tile:',
    /'threads' is a parameter: rename it/,
    id,
  ],
  [
    'a derived value that hides a word of templates',
    '({ tile:',
    '({ symbol: 1, tile:',
    /'symbol' is a word of templates/,
    id,
  ],
  [
    'a budget of no threads',
    '({ threads, sharedBytes: 0 })',
    '({ threads: 0, sharedBytes: 0 })',
    /budget\(\).*threads: /,
    id,
  ],
  ['a budget of half a byte', 'sharedBytes: 0', 'sharedBytes: 0.5', /budget\(\).*sharedBytes: /, id],
  ['a misspelt budget', 'sharedBytes: 0', 'sharedBytes: 0, maxRegister: 64', /maxRegister/, id],
  [
    'a generality of one half',
    functions.generality,
    'generality: () => 0.5',
    /generality\(\).*whole number/,
    id,
  ],
  ['a negative accuracy', functions.generality, 'accuracy: () => -1', /accuracy\(\).*whole number/, id],
  [
    'a priority that is no number',
    functions.priority,
    'priority: () => Number.NaN',
    /priority\(\).*on workload '1M' must give a finite number; gave NaN/,
    id,
  ],
  [
    'an empty reason',
    functions.deterministic,
    `notSupported: () => '',\n  ${functions.deterministic}`,
    /notSupported\(\).*gave ""/,
    id,
  ],
  [
    'a feature that no architecture has',
    functions.deterministic,
    `needs: () => ['wgmmma'] as never,\n  ${functions.deterministic}`,
    /needs\(\).*there is no such feature; there are cp\.async, mma\.bf16/,
    id,
  ],
  [
    'features that are no numbers',
    'generality: (',
    'features: ({ problem }) => ({ count: Number(problem.cuont) }),\n  generality: (',
    /features\(\) for workload '1M' must give/,
    'line',
  ],
  [
    'a feature that no call has',
    'generality: (',
    'features: () => ({ cuont: 1 }),\n  generality: (',
    /gave 'cuont', neither a size nor a feature of the operation; did you mean 'count'/,
    'line',
  ],
  [
    'features that throw',
    'generality: (',
    'features: ({ problem }) => ({ count: (problem.n as never as { x: number }).x }),\n  generality: (',
    /features\(\) for workload '1M' threw/,
    'line',
  ],
  [
    'bytes of the L2 cache that are no number',
    functions.generality,
    "l2Bytes: () => 'many' as never",
    /l2Bytes\(\) for workload '1M'.*gave "many"/,
    'line',
  ],
  // Parameters that are not there.
  [
    'derive() reads a misspelt parameter',
    'derive: ({ threads, vector, unroll })',
    'derive: ({ thread: threads, vector, unroll }: never)',
    /my-op reads 'thread', .*did you mean 'threads'\?/,
    id,
  ],
  [
    'cases() reads a misspelt parameter',
    'cases: ({ threads, vector, unroll })',
    'cases: ({ threads, vektor: vector, unroll }: never)',
    /reads 'vektor', .*did you mean 'vector'\?/,
    id,
  ],
  [
    'priority() reads a misspelt parameter',
    'priority: ({ threads, vector, unroll })',
    'priority: ({ threads, vector, unrol: unroll }: never)',
    /reads 'unrol'/,
    id,
  ],
  [
    'generality() reads a misspelt parameter',
    'generality: ({ vector })',
    'generality: ({ vectr: vector }: never)',
    /reads 'vectr'/,
    id,
  ],
  // Gate cases.
  ['two cases of one id', "id: 'nan'", "id: 'repeated'", /two cases have the id 'repeated'/, id],
  [
    'a tier that there is not',
    "{ id: 'nan', tier: 'non-finite'",
    "{ id: 'nan', tier: 'nonfinite'",
    /\[6\]\.tier: there is no such tier; there are exact, address-coded/,
    id,
  ],
  ['no tier', "{ id: 'nan', tier: 'non-finite',", "{ id: 'nan',", /\[6\]\.tier/, id],
  [
    'a case without a problem',
    "problem: { count: tile + 5, alpha: 2, values: 'nan', seed: 2 }",
    '',
    /\[6\]\.problem/,
    id,
  ],
  ['no launches', 'launches: 5', 'launches: 0', /launches/, id],
  ['half a launch', 'launches: 5', 'launches: 2.5', /launches/, id],
  ['a misspelt field of a case', 'launches: 5', 'launchs: 5', /launchs/, id],
  ['an empty refusal', "refuses: 'x and y must be aligned'", "refuses: ''", /refuses: is empty/, id],
  ['no case', functions.cases, 'cases: () => []', /needs at least one case/, id],
  ['a case that is a text', functions.cases, "cases: () => ['all'] as never", /\[0\]: /, id],
  [
    'a case with an id of two lines',
    "{ id: 'nan', tier",
    "{ id: 'not\\na number', tier",
    /cases\(\) for .*\[6\]\.id: "not\\na number" has a control character or ends a line: ids are one line of printable/,
    id,
  ],
  [
    'a case with a colour in its id',
    "{ id: 'nan', tier",
    "{ id: '\\u001b[31mnan', tier",
    /\[6\]\.id: "\\u001b/,
    id,
  ],
  [
    'a case with a line separator',
    "{ id: 'nan', tier",
    "{ id: 'a\\u2028b', tier",
    /\[6\]\.id: "a\\u2028b" .*ends a line/,
    id,
  ],
  ['a case without an id', "{ id: 'nan', tier", "{ id: '', tier", /\[6\]\.id: is empty/, id],
  [
    'a size that is no number',
    'count: tile + 5',
    'count: tile + Number.NaN',
    /\[6\]\.problem: holds something that JSON cannot carry/,
    id,
  ],
  ['a size of any length', 'count: tile + 5', 'count: 5n', /\[6\]\.problem: holds/, id],
  [
    'a problem with a function',
    "alpha: 2, values: 'nan'",
    "alpha: () => 2, values: 'nan'",
    /\[6\]\.problem: holds/,
    id,
  ],
  [
    'a problem that is promised',
    "alpha: 2, values: 'nan'",
    "alpha: Promise.resolve(2), values: 'nan'",
    /\[6\]\.problem: holds/,
    id,
  ],
  // Constraints and presets.
  [
    'a constraint that throws',
    '=> threads * vector * unroll <= 4096',
    `=> ${boom}()`,
    /constraint 'tile' at threads=64, vector=1, unroll=1 threw: boom/,
    'line',
  ],
  [
    'a constraint that gives nothing',
    '=> threads * vector * unroll <= 4096',
    '=> undefined as never',
    /constraint 'tile' at threads=.*must give true or false; gave undefined/,
    'line',
  ],
  [
    'a constraint that gives a number',
    '=> threads * vector * unroll <= 4096',
    '=> (threads * vector) as never',
    /gave 64/,
    'line',
  ],
  [
    'an async constraint',
    '({ threads, vector, unroll }) => threads * vector * unroll <= 4096',
    'async () => true',
    /constraint 'tile'.*gave a promise/,
    'line',
  ],
  [
    'a constraint that reads what it did not declare',
    "['threads', 'vector', 'unroll']",
    "['threads', 'vector']",
    /reads 'unroll', which is not among what it may: threads, vector/,
    'line',
  ],
  [
    'a constraint on an unknown parameter',
    "['threads', 'vector', 'unroll']",
    "['treads']",
    /reads unknown parameter 'treads'; did you mean 'threads'\? \(family\.ts:\d+\)/,
    'line',
  ],
  [
    'a constraint under a name that is taken',
    "'tile',",
    "'where',",
    /a constraint may not be called 'where'/,
    'line',
  ],
  [
    'a preset that throws',
    'where: { threads: [64, 256], unroll: [1, 4] }',
    `holds: ${boom}`,
    /holds\(\) of preset 'quick' at threads=64.*threw: boom/,
    'line',
  ],
  [
    'an async preset',
    'where: { threads: [64, 256], unroll: [1, 4] }',
    'holds: async () => true',
    /holds\(\) of preset 'quick'.*gave a promise/,
    'line',
  ],
  [
    'a preset of values that there are not',
    'threads: [64, 256]',
    'threads: [64, 255]',
    /threads = 255, which is not allowed; choose from 64/,
    'line',
  ],
  [
    'a preset of an unknown parameter',
    'where: { threads: [64, 256]',
    'where: { treads: [64, 256]',
    /narrows unknown parameter 'treads'/,
    'line',
  ],
  [
    'a preset of an unknown workload',
    "workloads: ['1M'],",
    "workloads: ['1m'],",
    /names unknown workload '1m'/,
    'line',
  ],
  [
    'an activation that throws',
    'activations: []',
    `activations: [{ parameter: 'unroll', on: ['vector'], active: ${boom} }]`,
    /activation of 'unroll' at vector=1 threw: boom/,
    'line',
  ],
  [
    'an activation of an unknown parameter',
    'activations: []',
    "activations: [{ parameter: 'unrol', on: ['vector'], active: () => true }]",
    /an activation names unknown parameter 'unrol'/,
    'line',
  ],
  // Declarations.
  ['no summary', /summary: .*\n/, '', /summary/],
  ['a summary of two lines', "in fp32',", "in\\nfp32',", /must be one line: it becomes a comment/, 'line'],
  ['another name', "name: 'my-op'", "name: 'my-opp'", /the folder is 'my-op': they must be equal/, 'line'],
  ['two equal labels', "label: 'v'", "label: 't'", /label 't' is used by threads and vector/, 'line'],
  ['no doc', "doc: 'Threads of a block.', ", '', /doc/, 'line'],
  ['no value', 'values: [64, 128, 256, 512]', 'values: []', /needs at least one value/, 'line'],
  ['a value twice', 'values: [64, 128, 256, 512]', 'values: [64, 64]', /lists 64 twice/, 'line'],
  [
    'values of two kinds',
    'values: [64, 128, 256, 512]',
    "values: [64, 'many'] as never",
    /mixes types/,
    'line',
  ],
  [
    'a value that is no number',
    'values: [64, 128, 256, 512]',
    'values: [64, Number.NaN]',
    /threads\.values/,
    'line',
  ],
  [
    'a parameter under a taken name',
    'threads: { label',
    'symbol: { label: "s", doc: "x", values: [1] },\n  threads: { label',
    /the name is taken by the template context/,
    'line',
  ],
  [
    'a template that is not there',
    "templates: ['kernel.cu.hbs']",
    "templates: ['kernel.cu.hbs', 'other.cu.hbs']",
    /no file 'other\.cu\.hbs'/,
    'line',
  ],
  ['two workloads of one id', "{ id: '64M'", "{ id: '1M'", /two workloads have the id '1M'/, 'line'],
  [
    'a workload that JSON cannot carry',
    'count: 1 << 20, alpha: 2',
    'count: 1 << 20, alpha: Number.NaN',
    /alpha/,
    'line',
  ],
  ['a misspelt field of a workload', "{ id: '64M', problem", "{ id: '64M', oops: 1, problem", /oops/, 'line'],
  ['a misspelt function', functions.serves, 'sreves: () => ({})', /serves/, 'line'],
  [
    'a number in place of a function',
    functions.priority,
    'priority: 7 as never',
    /must be a function/,
    'line',
  ],
  // The module.
  [
    'no default export',
    'export default defineFamily(',
    'export const family = defineFamily(',
    /has no default export \(it exports family\)/,
  ],
  [
    'a promise of a family',
    'export default defineFamily(',
    'export default Promise.resolve().then(() => 1), defineFamily(',
    /is not a family|family\.ts:/,
  ],
  ['a module that throws', 'export default', `${boom}();\nexport default`, /family\.ts:\d+: boom/, 'line'],
  [
    'a module that throws a text',
    'export default',
    "throw 'boom';\nexport default",
    /family\.ts.*threw boom/,
  ],
  [
    'a name that is not declared',
    'parameters: specs',
    'parameters: specss',
    /family\.ts:\d+: specss is not defined/,
    'line',
  ],
  [
    'a getter that throws',
    /^ {2}summary: .*$/m,
    `  get summary(): string { return ${boom}(); },`,
    /family\.ts:\d+: boom/,
    'line',
  ],
  [
    'a list of presets that throws',
    'presets: {',
    `presets: new Proxy({}, { ownKeys: ${boom} }) as never, x: {`,
    /reading it threw: boom/,
    'line',
  ],
  [
    'a workload that contains itself',
    /problem: \{ count: 1 << 20,[^}]*\}/,
    `problem: ${circle}`,
    /an object that contains itself/,
  ],
  [
    'a case that contains itself',
    functions.cases,
    `cases: () => [{ id: 'x', tier: 'exact', problem: ${circle} }]`,
    /\[0\]\.problem: holds something that JSON cannot carry/,
    id,
  ],
  [
    'an import that is not there',
    'export default',
    "import { x } from './cases.ts';\nx();\nexport default",
    /cases/,
  ],
  ['a module that does not parse', 'export default', 'export defalt', /family\.ts:\d+:\d+: /, 'line'],
];

const all = [...ofFunctions, ...others];

describe('a family that is broken in family.ts', () => {
  test('there are a hundred of them', () => {
    expect(all.length).toBeGreaterThanOrEqual(100);
    expect(new Set(all.map(([what]) => what)).size).toBe(all.length);
  });

  test('and one that is whole', async () => {
    const { root, folder } = newFamily();
    await useFamily(root, folder);
  });

  const expectRefusal = async ({ root, folder }: Made, [from, to, says, needs]: Change) => {
    breakFile(folder, 'family.ts', from, to);
    const error = await useFamily(root, folder).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(UsageError);
    const { message } = error as UsageError;
    expect(message).toMatch(says);
    expect(message).toContain(join(folder, 'family.ts'));
    if (needs) expect(message).toMatch(/family\.ts:\d+/);
    if (needs === id) expect(message).toMatch(/my_op\.t\d+\S*-[0-9a-f]{4}/);
  };

  test.each(all.map(([what, ...rest]) => [what, rest] as const))('%s', async (_, rest) => {
    await expectRefusal(newFamily(), rest);
  });

  // A default may ask the function that is broken: it is not to blame.
  const own = ofFunctions.filter(([what]) => !/^(template|budget|deterministic)\(/.test(what));
  test.each(own.map(([what, ...rest]) => [what, rest] as const))(
    '%s, in a family that leaves the rest to defaults',
    async (_, rest) => {
      await expectRefusal(shortFamily(), rest);
    },
  );

  test('a point that a function changes is its own copy', async () => {
    const { root, folder } = newFamily();
    const change = 'derive: (point) => { (point as { threads: number }).threads = 1; return { tile: 1 }; }';
    breakFile(folder, 'family.ts', functions.derive, change);
    const { family } = await loadFamily('my-op', { root });
    const { variants } = enumerate(family, { preset: 'quick' });
    expect(variants.map(({ parameters, budget }) => parameters.threads === budget.threads)).not.toContain(
      false,
    );
  });

  test('a mistake in a file beside family.ts is named there', async () => {
    const { root, folder } = newFamily();
    writeFileSync(join(folder, 'sizes.ts'), `\nexport const tileOf = ${boom};\n`);
    breakFile(folder, 'family.ts', 'export default', "import { tileOf } from './sizes.ts';\nexport default");
    breakFile(folder, 'family.ts', functions.derive, 'derive: () => ({ tile: tileOf() })');
    await expect(useFamily(root, folder)).rejects.toThrow(
      `${join(folder, 'sizes.ts')}:2: derive() for my_op.t64-e3b0 threw: boom`,
    );
  });
});
