import { describe, expect, it } from 'vitest';
import { archNamed } from '../../../src/arch/index.ts';
import { loadFamily } from '../../../src/discover.ts';
import type { RunEvidence } from '../../../src/model/evidence.ts';
import { allWorkloads } from '../../../src/model/family.ts';
import { enough, siblingsOf, siblingsPage } from '../../../src/report/siblings.ts';
import { enumerate } from '../../../src/space/enumerate.ts';
import { types } from '../../../templates/kernels/bsr-spmm/cells.ts';
import { h200 } from '../../helpers/journal.ts';

const { event: _, commit: __, ...environment } = h200;
const { peakTflops = 0, bandwidth = 0 } = environment.gpu ?? {};

/** A workload of so many operations and bytes, with the seconds of one variant and a library. */
function workload(id: string, seconds: number | undefined, { flops = 1e9, bytes = 1 } = {}) {
  const figure = { l2: 'hot' as const, mad: 0, tflops: flops / (seconds ?? 1) / 1e12 };
  const measurements =
    seconds === undefined
      ? []
      : [
          { ...figure, subject: `toy.${id}`, kind: 'variant' as const, median: seconds },
          { ...figure, subject: 'cuVendor', kind: 'baseline' as const, median: seconds / 100 },
        ];
  return { id, flops, bytes, paths: {}, tried: 1, measurements, untimed: [] };
}

function run(...workloads: RunEvidence['workloads']): RunEvidence {
  return {
    ...{ version: 1, run: 'run-1', date: '2026-11-23T00:00:00Z', command: 'gen sweep toy', environment },
    ...{ family: 'toy', arch: 'sm_90a', rejected: {}, verdicts: {}, failures: [], seconds: {}, variants: {} },
    funnel: { points: 1, legal: 1, rendered: 1, compiled: 1, passed: 1, timed: 1 },
    workloads,
  };
}

const comparison = (id: string, sibling?: string, rate?: number) => ({
  ...{ id, problem: {} },
  ...(sibling !== undefined && { sibling }),
  ...(rate !== undefined && { rate }),
});

describe('workloads beside their siblings', () => {
  const all = [comparison('even'), comparison('odd', 'even'), comparison('slow', 'even')];

  it('compare operations a second where tensor cores bound them, the smallest share first', () => {
    const siblings = siblingsOf([run(workload('even', 1), workload('odd', 1.25), workload('slow', 2))], all);
    expect(siblings.compared).toMatchObject([
      { id: 'slow', sibling: 'even', variant: 'toy.slow', share: 0.5, limit: 'tensor' },
      { id: 'odd', share: 0.8 },
    ]);
    expect(enough(siblings)).toBe(false);
    expect(siblingsPage(siblings)).toMatch(
      /^2 workloads beside siblings: 1 below 0\.7x, 0 not timed\.\n\n\| workload .*\n.*\n\| `slow` .* 0\.50x \|\n/,
    );
  });

  it('compare bytes a second where a memory bounds them, and not operations', () => {
    // So many bytes take longer than any operations here, and more than an L2 holds.
    const large = { flops: 1e9, bytes: 4 * (environment.gpu?.l2Bytes ?? 0) };
    expect(large.bytes / bandwidth).toBeGreaterThan(large.flops / (peakTflops * 1e12));
    const wider = { ...large, flops: 8e9 };
    const { compared } = siblingsOf([run(workload('even', 1, wider), workload('odd', 1, large))], all);
    expect(compared).toMatchObject([{ id: 'odd', limit: 'DRAM', share: 1 }]);
  });

  it('count arithmetic of a lower peak rate against that', () => {
    const half = [comparison('even'), comparison('odd', 'even', 0.5)];
    const { compared } = siblingsOf([run(workload('even', 1), workload('odd', 2))], half);
    expect(compared).toMatchObject([{ id: 'odd', share: 1 }]);
  });

  it('count with the fastest variant over all runs, their siblings too', () => {
    const first = run(workload('even', 1), workload('odd', 2));
    const second = run(workload('even', 4), workload('odd', 1.25));
    const { compared, untimed } = siblingsOf([first, second], all);
    expect(compared).toMatchObject([{ id: 'odd', share: 0.8 }]);
    expect(untimed).toEqual(['slow']);
  });

  it('do not compare across GPUs', () => {
    const gpu = environment.gpu && { ...environment.gpu, name: 'another' };
    const other = { ...run(workload('odd', 1)), environment: { ...environment, gpu } };
    expect(() => siblingsOf([run(workload('even', 1)), other], all)).toThrow('give runs of one GPU');
  });

  it('are not timed where a time of either is missing', () => {
    const siblings = siblingsOf([run(workload('even', undefined), workload('odd', 1))], all);
    expect(siblings).toEqual({ compared: [], untimed: ['odd', 'slow'] });
    expect(enough(siblings)).toBe(false);
  });
});

it('every cell of bsr-spmm is compared: each type, layout, block and class of widths, of A and of its transpose', async () => {
  const { family } = await loadFamily('bsr-spmm');
  const { comparisons = [], cells = [] } = family;
  // A sibling of its own: f16 at the largest multiple of 8. Two more widths are there for their siblings' sake.
  const halves = cells.length / types.length / 5;
  expect(comparisons).toHaveLength(cells.length + 2 * halves);
  expect(comparisons.filter(({ sibling }) => sibling === undefined)).toHaveLength(3 * halves);
  const preset = new Set(family.presets['every-cell']?.workloads);
  expect(allWorkloads(family).filter(({ id }) => preset.has(id))).toEqual(comparisons);
  const { variants } = enumerate(family, { arch: archNamed('sm_80'), preset: 'every-cell' });
  expect(variants).toHaveLength(cells.length / 5);
});
