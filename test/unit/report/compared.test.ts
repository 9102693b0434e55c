import { describe, expect, it } from 'vitest';
import { type Rival, rivalSchema } from '../../../src/model/rival.ts';
import { systemsPlot } from '../../../src/report/bars.ts';
import { comparedCases, comparedSection, isSlower } from '../../../src/report/compared.ts';
import { slowerSection } from '../../../src/report/slower.ts';

const at = (workload: string, system: string, medianUs: number, over: object = {}) => ({
  ...{ workload, system, medianUs, madUs: 0.1, tflops: 1 / medianUs, ...over },
});
const file: Rival = rivalSchema.parse({
  ...{ command: 'bench/compare.py', date: '2026-01-02T00:00:00Z', commit: 'abc', process: 'one' },
  environment: { gpu: 'H200', driver: '580', torch: '2.11', triton: '3.6' },
  results: [
    at('w', 'tilewright', 10, { variant: 'v', sustained: { us: 11, smClock: 1500, watts: 690 } }),
    at('w', 'triton bsr_dense_addmm', 9, { correct: false }),
    at('w', 'triton bsr_dense_addmm', 15),
    at('w', 'triton bsr_dense_addmm', 14, { errorOverBound: null, configurations: { ran: 5, of: 8 } }),
    at('w', 'cublas dense', 80, { ownTflops: 0.2 }),
    at('w', 'cublas dense, full matrix', 8, { ownTflops: 0.05 }),
    at('slow', 'tilewright', 10),
    at('slow', 'triton bsr_dense_addmm', 9.5),
    at('noise', 'tilewright', 10),
    at('noise', 'triton bsr_dense_addmm', 9.7),
  ],
});

describe('a comparison in one process', () => {
  it('takes the best correct result of every system', () => {
    const [first] = comparedCases([file]);
    expect(first?.own.variant).toBe('v');
    expect(first?.others.map(({ system, medianUs }) => [system, medianUs])).toEqual([
      ['triton bsr_dense_addmm', 14],
      ['cublas dense', 80],
      ['cublas dense, full matrix', 8],
    ]);
  });

  it('gives ratios of times, and of TFLOPS against dense products', () => {
    const text = comparedSection([file]).join('\n');
    expect(text).toContain('| w | 0.1 | 1.0 % | 0.1 | 0.0 | - | - |');
    expect(text).toContain('| w | 10.0 us | 1.40x | 8.00x | 5 of 8 | 0.2 | 0.1 | 0.50x | 2.00x |');
    expect(text).toContain('same process');
    expect(text).toContain('| w | tilewright | 11.0 us | 10.0 % | 1500 | 690 |');
  });

  it('sets bandwidths of A from memory beside that of a copy', () => {
    const cold = { medianUs: 20, bytes: 40_000_000, tbs: 2 };
    const results = [at('w', 'tilewright', 10, { cold }), at('w', 'triton', 14)];
    const text = (environment: object) =>
      comparedSection([rivalSchema.parse({ ...file, environment, results })]).join('\n');
    expect(text({ copyTbs: 4 })).toContain('| w | tilewright | 10.0 us | 20.0 us | 40.0 MB | 2.00 | 50 % |');
    expect(text({})).toContain('| w | tilewright | 10.0 us | 20.0 us | 40.0 MB | 2.00 | - |');
    expect(comparedSection([file]).join()).not.toContain('A from memory');
  });

  it('says why configurations were not timed, where the file does', () => {
    const searched = (configurations: object) => {
      const results = [at('w', 'tilewright', 10), at('w', 'triton', 14, { configurations })];
      return comparedSection([rivalSchema.parse({ ...file, results })])
        .findLast((line) => line.startsWith('| w |'))
        ?.split(' | ')[3];
    };
    expect(searched({ ran: 5, of: 8 })).toBe('5 of 8');
    expect(searched({ ran: 8, of: 8, cannotRun: 0, late: 0 })).toBe('8 of 8');
    expect(searched({ ran: 5, of: 8, cannotRun: 3, late: 0 })).toBe('5 of 8, 3 cannot run');
    expect(searched({ ran: 5, of: 8, cannotRun: 0, late: 3 })).toBe('5 of 8, 3 late');
    expect(searched({ ran: 5, of: 8, cannotRun: 2, late: 1 })).toBe('5 of 8, 2 cannot run, 1 late');
  });

  it('puts comparisons of one workload side by side', () => {
    const names = comparedCases([file, { ...file, results: file.results.slice(0, 4) }]).map(
      ({ name }) => name,
    );
    expect(names).toEqual(['w (comparison 1)', 'w (comparison 2)', 'slow', 'noise']);
  });

  it('is drawn with a bar for each system that solves the same problem', () => {
    const picture = systemsPlot(comparedCases([file, file]), []) ?? '';
    expect(picture.match(/<g /g)).toHaveLength(3);
    expect(picture.match(/<rect x/g)).toHaveLength(3 + 2 + 2);
    expect(picture).not.toMatch(/NaN|Infinity|undefined|full matrix|comparison/);
    expect(systemsPlot([], [])).toBeUndefined();
  });

  it('is nothing where no workload has our own time', () => {
    const results = file.results.filter(({ system }) => system !== 'tilewright');
    expect(comparedSection([{ ...file, results }])).toEqual([]);
  });
});

describe('where another system is faster', () => {
  it('counts what is beyond both deviations, and no other product', () => {
    const text = slowerSection([], [file]).join('\n');
    expect(text).toContain('In these of 3 cases');
    expect(text).toContain('| slow, same process | triton bsr_dense_addmm | 1.05x |');
    expect(text).not.toContain('noise');
    expect(text).not.toContain('full matrix');
  });

  it('says so where it is nowhere', () => {
    const results = file.results.filter(({ workload }) => workload === 'w');
    expect(slowerSection([], [{ ...file, results }]).join('\n')).toContain('In none of 1 cases');
  });

  it('needs twice what both scatter', () => {
    const other = { median: 1, mad: 0.01 };
    expect(isSlower({ median: 1.03, mad: 0.01 }, other)).toBe(false);
    expect(isSlower({ median: 1.05, mad: 0.01 }, other)).toBe(true);
  });
});
