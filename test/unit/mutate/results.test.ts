import { appendFileSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EnvironmentError, UsageError } from '../../../src/errors.ts';
import { machineCode } from '../../../src/mutate/cubin.ts';
import { argumentFor, parseEquivalents } from '../../../src/mutate/equivalents.ts';
import type { Planned } from '../../../src/mutate/plan.ts';
import { mutationPage } from '../../../src/mutate/report.ts';
import type { MutantResult, MutationInfo, Opinions } from '../../../src/mutate/result.ts';
import { newestResults, ResultsFile, releaseResults } from '../../../src/mutate/results-file.ts';
import { inPlaceOrder, resultsTable } from '../../../src/mutate/results-table.ts';
import { farApart, spreadSample } from '../../../src/mutate/sample.ts';
import { rules, score, tally } from '../../../src/mutate/score.ts';
import { standing } from '../../../src/mutate/standing.ts';
import { summaryTable } from '../../../src/mutate/summary.ts';
import { folderOf } from '../../helpers/folder.ts';

const info: MutationInfo = {
  version: 1,
  date: '2026-11-22T10:00:00.000Z',
  family: 'f',
  arch: 'sm_90a',
  mutants: 10,
  sample: 4,
  variants: ['f.a'],
  rulesCase: 'random',
};

function result(
  id: string,
  outcome: MutantResult['outcome'],
  more: Partial<MutantResult> = {},
): MutantResult {
  const place = { file: 'a.cu.hbs', line: 3, before: 'x = 1;', after: 'x = 2;' };
  return { variant: 'f.a', path: 'a', id, operator: 'constant-shifted', ...place, outcome, ...more };
}

const good: Opinions = {
  cutlass: true,
  tilelang: true,
  deepgemm: true,
  allclose: true,
  kernelTunerAtol: 3e-4,
};
const results = [
  result('1', 'killed', { depth: 'quick', verdict: 'wrong', tier: 1, opinions: { ...good, cutlass: false } }),
  result('2', 'killed', { depth: 'full', verdict: 'race', tier: 3, opinions: good }),
  result('3', 'survived', { depth: 'full', opinions: good }),
  result('4', 'identical'),
];

describe('scores', () => {
  it('count defects alone, by depth', () => {
    const counts = tally(results);
    expect(counts).toMatchObject({ killed: 2, quick: 1, survived: 1, identical: 1 });
    expect(score(counts)).toBeCloseTo(2 / 3);
    expect(score(counts, 'quick')).toBeCloseTo(1 / 3);
  });

  it('allow Kernel Tuner the least power of ten that takes the correct kernel', () => {
    const tuner = rules.find(({ name }) => name === 'Kernel Tuner');
    expect(tuner?.accepts({ ...good, kernelTunerAtol: 9e-4 }, good)).toBe(true);
    expect(tuner?.accepts({ ...good, kernelTunerAtol: 2e-3 }, good)).toBe(false);
    const { kernelTunerAtol: _, ...none } = good;
    expect(tuner?.accepts(none, good)).toBe(false);
  });
});

describe('the page', () => {
  const page = mutationPage(info, results);

  it('has the score by path and operator, what killed, and what others would say', () => {
    expect(page).toContain('| a | 3 | 1 (33.3 %) | 2 (66.7 %) | 1 | 1 | 0 |');
    expect(page).toContain('| 1 |  | 1 |');
    expect(page).toMatch(/\| CUTLASS profiler \| 1 \(33\.3 %\)/);
    expect(page).toMatch(/\| DeepGEMM \| 0 \(0\.0 %\)/);
  });

  it('says who killed what where a GPU was asked too', () => {
    expect(page).not.toContain('only by the GPU');
    const [killed, missed] = [
      { gpu: { outcome: 'killed', depth: 'full', verdict: 'wrong', message: 'row 1' } },
      { gpu: { outcome: 'survived', depth: 'quick' } },
    ] as const;
    const more = [
      result('5', 'killed', killed),
      result('6', 'killed', missed),
      result('7', 'survived', killed),
    ];
    const both = mutationPage({ ...info, gpu: 'NVIDIA H200' }, [...results, ...more]);
    expect(both).toContain('| a | 3 | 1 | 1 | 1 | 0 |');
    expect(both).toContain('Only the GPU killed:\n\n- `a` constant-shifted, a.cu.hbs:3 (7): wrong, row 1');
  });

  it('says where depth full was not tried', () => {
    expect(page).not.toContain('not tried');
    const left = mutationPage(info, [...results, result('5', 'survived', { depth: 'quick' })]);
    expect(left).toContain('1 of those that survived were not tried at depth full.');
    const untried = mutationPage(info, [
      ...results,
      result('5', 'survived', { depth: 'full' }),
      result('6', 'survived', {}),
    ]);
    expect(untried).toContain('1 of those that survived were not tried at depth full.');
  });

  it('counts what got no answer as survived, and says so', () => {
    const none = mutationPage(info, [...results, result('5', 'survived', { undecided: 'out of memory' })]);
    expect(none).toContain('1 got no answer');
    expect(none).toContain('| a | 4 | 1 (25.0 %) | 2 (50.0 %) | 2 | 1 | 0 |');
  });

  it('shows every survivor as a diff with what would kill it', () => {
    expect(page).toContain('```diff\n- x = 1;\n+ x = 2;\n```');
    expect(page).toContain('one-hot inputs');
  });
});

describe('the table of all families', () => {
  it('has a line for each, and sums of what was counted, not of shares', () => {
    const other = { ...info, family: 'g', commit: 'abcdef0123', mutants: 2000 };
    const table = summaryTable([
      { info, results },
      { info: other, results: [result('1', 'killed', { depth: 'quick' }), result('2', 'argued')] },
    ]);
    expect(table.split('\n').slice(2)).toEqual([
      '| f | 2026-11-22 | 4 of 10 | 3 | 1 (33.3 %) | 2 (66.7 %) | 1 | 0 (0.0 %) |',
      '| g | 2026-11-22, commit abcdef0 | 2 of 2,000 | 1 | 1 (100.0 %) | 1 (100.0 %) | 0 | 1 (50.0 %) |',
      '| **all** |  | 6 of 2,010 | 4 | 2 (50.0 %) | 3 (75.0 %) | 1 | 1 (16.7 %) |',
    ]);
  });

  it('has no column of the depth full where nothing was asked at it', () => {
    const quick = results.filter(({ depth }) => depth !== 'full');
    const table = summaryTable([{ info, results: quick }]);
    expect(table).not.toContain('full');
    expect(table).toContain('| f | 2026-11-22 | 2 of 10 | 1 | 1 (100.0 %) | 0 | 0 (0.0 %) |');
  });
});

describe('a file of results', () => {
  it('that is only read stays as it is, unfinished or not ours', () => {
    const folder = folderOf({ other: 'no newline behind this' });
    expect(() => ResultsFile.open(join(folder, 'other'))).toThrow('holds no results of gen mutate');
    expect(readFileSync(join(folder, 'other'), 'utf8')).toBe('no newline behind this');
    const path = join(folder, 'f-1.jsonl');
    const file = ResultsFile.create(path, info);
    for (const one of results) file.add(one);
    appendFileSync(path, '{"variant":"f.a","pa');
    const before = readFileSync(path, 'utf8');
    expect(ResultsFile.open(path).results).toEqual(results);
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it('names a line that is damaged', () => {
    const folder = folderOf({ 'f-1.jsonl': `${JSON.stringify(info)}\n{"variant":3}\n` });
    const open = () => ResultsFile.open(join(folder, 'f-1.jsonl'));
    expect(open).toThrow(UsageError);
    expect(open).toThrow(/f-1\.jsonl:2 is no result of a mutant: /);
  });

  it('is gone on with by one process at a time', () => {
    const folder = folderOf({ 'f-1.jsonl': `${JSON.stringify(info)}\n` });
    const path = join(folder, 'f-1.jsonl');
    ResultsFile.take('f', path);
    expect(() => ResultsFile.take('f', path)).toThrow(
      /f-1\.jsonl is in use by process \d+ on .*: wait until/,
    );
    expect(ResultsFile.open(path).results).toEqual([]);
  });

  it('are those of the very family, whose name may begin another one', () => {
    const wide = { ...info, family: 'f-wide' };
    const name = 'f-wide-2026-11-22T100000000Z.jsonl';
    const path = join(folderOf({ [name]: `${JSON.stringify(wide)}\n` }), name);
    expect(newestResults(dirname(path), 'f')).toBeUndefined();
    expect(newestResults(dirname(path), 'f-wide')).toBe(path);
    const refusal = new UsageError(`${path} has results of f-wide, not of f: name a file of f`);
    expect(() => ResultsFile.openOf('f', path)).toThrow(refusal);
    expect(() => ResultsFile.take('f', path)).toThrow(refusal);
    expect(readFileSync(path, 'utf8')).toBe(`${JSON.stringify(wide)}\n`);
    releaseResults();
  });

  it("in a folder that cannot be read are the machine's fault, and none where there is no folder", () => {
    const folder = folderOf({ file: '' });
    expect(newestResults(join(folder, 'none'), 'f')).toBeUndefined();
    expect(() => newestResults(join(folder, 'file'), 'f')).toThrow(EnvironmentError);
  });

  it('goes on after its writer was killed in the middle of a line', () => {
    const folder = folderOf();
    const path = join(folder, 'f-2026-11-22T100000000Z.jsonl');
    const file = ResultsFile.create(path, info);
    for (const one of results) file.add(one);
    appendFileSync(path, '{"variant":"f.a","pa');
    expect(newestResults(folder, 'f')).toBe(path);
    const again = ResultsFile.open(path);
    expect(again.results).toEqual(results);
    again.add({ ...result('3', 'killed'), depth: 'full' });
    expect(ResultsFile.open(path).find(result('3', 'killed'))?.outcome).toBe('killed');
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(7);
    const retried = { date: '2026-11-23T00:00:00.000Z', commit: 'abcdef0123' };
    const copy = again.copy(join(folder, 'f-2026-11-23T000000000Z.jsonl'), retried);
    expect(copy.results).toHaveLength(4);
    expect(mutationPage(copy.info, copy.results)).toContain(
      '2026-11-22 (survivors again 2026-11-23, commit abcdef0)',
    );
  });

  it('takes over what others decided, and keeps what a GPU said', () => {
    const folder = folderOf();
    const write = (name: string, family: string, ...of: readonly MutantResult[]) => {
      const file = ResultsFile.create(join(folder, name), { ...info, family });
      for (const one of of) file.add(one);
      return file;
    };
    const gpu = { outcome: 'survived', depth: 'full' } as const;
    const survived = (id: string, depth: 'quick' | 'full') => result(id, 'survived', { depth });
    const known = write(
      'a',
      'f',
      { ...survived('1', 'quick'), gpu },
      survived('2', 'full'),
      survived('3', 'full'),
    );
    const killed = result('1', 'killed', { variant: 'f.b', depth: 'full' });
    const undecided = { ...survived('3', 'full'), undecided: 'out of memory' };
    known.join(write('b', 'f', killed, survived('2', 'quick'), undecided, result('4', 'identical')));
    const joined = [
      { ...killed, gpu },
      survived('2', 'full'),
      survived('3', 'full'),
      result('4', 'identical'),
    ];
    expect(known.results).toEqual(joined);
    expect(ResultsFile.open(known.path).results).toEqual(joined);
    expect(() => known.join(write('c', 'g', killed))).toThrow('results of g, not of f');
  });
});

describe('results that are gone on with', () => {
  const planned = (id: string, code: string) =>
    ({ path: 'a', code, mutant: { id }, source: { variant: { id: 'f.a' } } }) as unknown as Planned;
  const all = [planned('1', 'new'), planned('2', 'same')];

  it('stand as long as the code of their variant does, and somebody would still make their mutant', () => {
    const stands = standing(all, true);
    expect(stands(result('1', 'killed', { code: 'old' }))).toBe(false);
    expect(stands(result('2', 'killed', { code: 'same' }))).toBe(true);
    expect(stands(result('2', 'killed'))).toBe(false); // nobody noted the code
    expect(stands(result('2', 'killed', { code: 'x', variant: 'f.b' }))).toBe(true); // of a variant that is not planned
    expect(stands(result('3', 'killed', { code: 'same' }))).toBe(false);
    expect(standing(all, false)(result('3', 'killed', { code: 'same' }))).toBe(true); // of other operators
  });

  it('are forgotten in the file too', () => {
    const path = join(folderOf(), 'f-1.jsonl');
    const file = ResultsFile.create(path, info);
    for (const one of results) file.add(one);
    expect(file.forget(({ id }) => id === '1')).toBe(1);
    expect(ResultsFile.open(path).results).toEqual(results.slice(1));
  });
});

describe('stored results', () => {
  it('make the published page and table, byte for byte', () => {
    const page = readFileSync('docs/gate.md', 'utf8');
    const files = ['bsr-spmm', 'gemm', 'bsr-sddmm'].map((family) =>
      ResultsFile.open(`docs/results/mutants/${family}.jsonl`),
    );
    for (const { info: about, results: stored } of files)
      expect(page).toContain(mutationPage(about, inPlaceOrder(stored)));
    expect(page).toContain(`<!-- gen mutate all: begin -->\n${summaryTable(files)}\n<!--`);
    expect(resultsTable(files)).toBe(readFileSync('docs/results/mutants.tsv', 'utf8'));
  });
});

describe('equivalents', () => {
  const entry = { path: 'a', before: 'x = 1;', after: 'x = 2;', reviewed: '2026-11-22' };
  const argument = 'x is overwritten before anything reads it.';

  it('hold for the lines and the path that they name', () => {
    const list = parseEquivalents(JSON.stringify([{ ...entry, argument }]), 'e.json');
    expect(argumentFor(result('1', 'survived'), list)?.argument).toBe(argument);
    expect(argumentFor({ ...result('1', 'survived'), path: 'b' }, list)).toBeUndefined();
    expect(argumentFor(result('1', 'survived'), [{ ...entry, argument, variants: ['f.b'] }])).toBeUndefined();
  });

  it('that name a mutant do not hold for another with the same lines', () => {
    const list = [{ ...entry, argument, mutant: '1' }];
    expect(argumentFor(result('1', 'survived'), list)?.argument).toBe(argument);
    expect(argumentFor(result('2', 'survived'), list)).toBeUndefined();
  });

  it('need an argument', () => {
    expect(() => parseEquivalents(JSON.stringify([entry]), 'e.json')).toThrow(UsageError);
    expect(() => parseEquivalents('[', 'e.json')).toThrow(UsageError);
  });
});

describe('samples', () => {
  it('take as many of every group as there are, small groups whole', () => {
    const items = ['a1', 'b1', 'b2', 'b3', 'b4', 'b5', 'c1', 'c2'];
    expect(spreadSample(items, 5, (item) => item.slice(0, 1))).toEqual(['a1', 'b2', 'b4', 'c1', 'c2']);
    expect(spreadSample(items, 100, (item) => item.slice(0, 1))).toEqual(items);
  });

  it('of items far apart are those that differ most from the first and from each other', () => {
    const distance = (one: number, other: number) => Math.abs(one - other);
    expect(farApart(0, [1, 9, 8, 5], 2, distance)).toEqual([9, 5]);
    expect(farApart(0, [3], 2, distance)).toEqual([3]);
  });
});

describe('machine code', () => {
  it('of what is no cubin is an error', () => {
    expect(() => machineCode(new Uint8Array(100))).toThrow('not an ELF file');
  });
});
