import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadFamilies, loadFamily } from '../../src/discover.ts';
import { UsageError } from '../../src/errors.ts';
import { folderOf } from '../helpers/folder.ts';

const family = (
  name: string,
) => `import { defineFamily, defineOperation, defineParameters } from 'tilewright/family';

const operation = defineOperation({
  name: 'nothing', formula: '0', doc: 'Nothing.', sizes: {}, choices: {}, operands: {}, scalars: {}, hints: {}, features: {},
});

const { specs } = defineParameters({ block: { label: 'b', doc: 'Block.', values: [32, 64] } });

export default defineFamily({
  name: '${name}', summary: 'nothing', operation, serves: () => ({}), parameters: specs, activations: [], constraints: [],
  presets: {}, templates: ['kernel.cu.hbs'], template: () => 'kernel.cu.hbs', derive: () => ({}),
  budget: () => ({ threads: 32, sharedBytes: 0 }), notSupported: () => undefined, workloads: [],
  cases: () => [], priority: () => 0, deterministic: () => true,
});
`;

/** A folder of families, given their `family.ts`, each with the files that it must have. */
function kernels(families: Readonly<Record<string, string>>): string {
  const files = Object.entries(families).flatMap(([name, text]) => [
    [`${name}/family.ts`, text],
    ...['kernel.cu.hbs', 'launch.hpp', 'oracle.hpp'].map((file) => [`${name}/${file}`, '']),
  ]);
  return folderOf(Object.fromEntries(files));
}

const load = (folder: string) => loadFamilies({ root: folder, families: [{ from: folder, pattern: '*' }] });

describe('loadFamilies', () => {
  it("finds this package's own", async () => {
    const names = (await loadFamilies()).map((found) => found.family.name);
    expect(names).toContain('bsr-spmm');
  });

  it('finds those that a glob names, sorted', async () => {
    const found = await load(kernels({ 'op-b': family('op-b'), 'op-a': family('op-a') }));
    expect(found.map(({ family: { name }, folder }) => [name, basename(folder)])).toEqual([
      ['op-a', 'op-a'],
      ['op-b', 'op-b'],
    ]);
  });

  it('finds them in a folder whose name could be a pattern', async () => {
    const odd = 'lib (old) [2] {a,b} !x +(y) *';
    const folder = kernels({
      [`${odd}/ops/op-a`]: family('op-a'),
      [`${odd}/templates/kernels/op-b`]: family('op-b'),
    });
    const root = join(folder, odd);
    const families = [{ from: join(root, 'deep'), pattern: '../ops/*/' }];
    const found = await loadFamilies({ root, families });
    expect(found.map((one) => one.folder)).toEqual([
      join(root, 'ops/op-a'),
      join(root, 'templates/kernels/op-b'),
    ]);
  });

  it('says where it looked when there is none', async () => {
    const folder = folderOf();
    await expect(load(folder)).rejects.toThrow(
      `there is no kernel family: no folder of ${folder}/templates/kernels/*, ${folder}/* has a family.ts; name`,
    );
    await expect(load(folder)).rejects.toThrow(UsageError);
  });

  it.each([
    ['does not parse', 'export default {\n  name: "op",,\n};\n', /op\/family\.ts:2:14: Unexpected token/],
    [
      'throws',
      'const nothing: any = undefined;\n\nexport default nothing.name;\n',
      /op\/family\.ts:3: Cannot read properties/,
    ],
    [
      'imports what is not there',
      'import { x } from "./sizes.ts";\nexport default x;\n',
      /op\/family\.ts:1: Cannot find module '\.\/sizes\.ts'/,
    ],
    [
      'has no default export',
      'export const family = 1;\n',
      /has no default export \(it exports family\); write `export default/,
    ],
    ['exports nothing', '', /has no default export \(it exports nothing\)/],
    [
      'exports something else',
      'export default { name: "op" };\n',
      /op\/family\.ts is not a family:\n.*→ at summary/s,
    ],
    ['has another name', family('po'), /name is 'po', but the folder is 'op'/],
  ])('says of a family.ts that %s where and why', async (_, text, message) => {
    await expect(load(kernels({ op: text }))).rejects.toThrow(message);
  });

  it('reports all that are broken', async () => {
    const broken = load(kernels({ 'op-a': family('a'), 'op-b': family('b'), 'op-c': family('op-c') }));
    await expect(broken).rejects.toThrow(/op-a\/family\.ts has 1 problem.*op-b\/family\.ts has 1 problem/s);
  });

  it('refuses two of one name', async () => {
    const folder = kernels({ 'one/op': family('op'), 'two/op': family('op') });
    const patterns = [`${folder}/one/*`, 'two/*/family.ts'];
    const families = patterns.map((pattern) => ({ from: folder, pattern }));
    const both = loadFamilies({ root: folder, families });
    await expect(both).rejects.toThrow(/two kernel families are called 'op': .*one\/op and .*two\/op/);
  });
});

describe('loadFamily', () => {
  it('does not mind that another is broken', async () => {
    const folder = kernels({ good: family('good'), bad: 'export default 7;' });
    const found = await loadFamily('good', { root: folder, families: [{ from: folder, pattern: '*' }] });
    expect(found.family.name).toBe('good');
  });

  it('names those there are', async () => {
    await expect(loadFamily('bsr-spm')).rejects.toThrow(
      /there is no kernel family 'bsr-spm'; there are: .*bsr-spmm.*; did you mean 'bsr-spmm'\?/,
    );
    await expect(loadFamily('gem')).rejects.toThrow(/did you mean 'gemm'\?/);
  });
});

describe('wisdom', () => {
  const wise = family('op').replace(
    'presets: {}',
    "presets: { fallback: { doc: 'f', where: { block: [64] }, workloads: [] } }",
  );
  const record = {
    ...{ workload: 'w', variant: 'op.b32', source: 'x', run: 'r', parameters: {} },
    ...{ median: 1, mad: 0, tflops: 1, l2: 'hot' },
  };
  const run = { id: 'r', date: 'd', command: 'c', gpu: 'H200', driver: '580', runtime: '13.0' };
  const file = { version: 1, family: 'op', arch: 'sm_90a', runs: [run] };
  const withFile = (text: string) => {
    const folder = kernels({ op: wise });
    mkdirSync(join(folder, 'op/wisdom'));
    writeFileSync(join(folder, 'op/wisdom/sm_90a.json'), text);
    return loadFamily('op', { root: folder, families: [{ from: folder, pattern: '*' }] });
  };

  it('makes the preset shipped of its winners and the fallbacks, and knows who is gone', async () => {
    const records = [record, { ...record, variant: 'op.b128' }, { ...record, variant: 'op.b32' }];
    const found = await withFile(JSON.stringify({ ...file, records }));
    expect(found.wisdom).toMatchObject([{ arch: 'sm_90a', gone: ['op.b128'] }]);
    expect(found.family.presets.shipped?.where).toEqual([{ block: [32] }, { block: [64] }]);
    expect(found.family.presets.shipped?.doc).toContain('H200');
  });

  it('is timed on the comparisons too', async () => {
    const { family, wisdom } = await loadFamily('bsr-spmm');
    const { comparisons = [], presets } = family;
    expect(comparisons.length).toBeGreaterThan(0);
    expect(presets['shipped-comparisons']).toMatchObject({
      where: presets.shipped?.where,
      workloads: comparisons.map(({ id }) => id),
    });
    const known = new Set(wisdom.flatMap(({ records }) => records.map(({ workload }) => workload)));
    const untimed = comparisons.filter(({ id }) => !known.has(id));
    expect(presets.shipped?.guessed).toEqual(untimed.map(({ id }) => id));
  });

  it('holds for sources that compile to the machine code that was timed', async () => {
    const folder = kernels({ op: wise });
    const place = join(folder, 'op/wisdom');
    mkdirSync(join(place, 'same-code'), { recursive: true });
    const records = [record, { ...record, source: 'y' }];
    writeFileSync(join(place, 'sm_90a.json'), JSON.stringify({ ...file, records }));
    const load = async (text: string) => {
      writeFileSync(join(place, 'same-code/sm_90a.json'), text);
      return loadFamily('op', { root: folder, families: [{ from: folder, pattern: '*' }] });
    };
    const found = await load(JSON.stringify({ nvcc: '13.0', sources: { x: 'rendered now' } }));
    expect(found.wisdom[0]?.records.map(({ source }) => source)).toEqual(['rendered now', 'y']);
    await expect(load('{}')).rejects.toThrow(/same-code\/sm_90a\.json does not say which sources/);
  });

  it('makes no preset where all its winners are gone', async () => {
    const records = [{ ...record, variant: 'op.b128' }];
    const found = await withFile(JSON.stringify({ ...file, records }));
    expect(found.family.presets).not.toHaveProperty('shipped');
    expect(found.wisdom[0]?.gone).toEqual(['op.b128']);
  });

  it('is not needed', async () => {
    const folder = kernels({ op: wise });
    const found = await loadFamily('op', { root: folder, families: [{ from: folder, pattern: '*' }] });
    expect(found.wisdom).toEqual([]);
    expect(found.family.presets).not.toHaveProperty('shipped');
  });

  it.each([
    [
      'another family',
      JSON.stringify({ ...file, family: 'other', records: [] }),
      /it is of other for sm_90a/,
    ],
    ['no JSON', '{', /no wisdom of op for sm_90a: it is no JSON \(cut short\?\)/],
    ['no records', JSON.stringify(file), /records/],
  ])('of %s is refused, with its file', async (_, text, message) => {
    await expect(withFile(text)).rejects.toThrow(message);
    await expect(withFile(text)).rejects.toThrow(/op\/wisdom\/sm_90a\.json/);
  });
});
