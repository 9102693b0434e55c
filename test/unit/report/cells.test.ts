import { expect, test } from 'vitest';
import { loadFamily } from '../../../src/discover.ts';
import {
  cellsSection,
  cellsTable,
  plansOf,
  withoutTensorCores,
  withSection,
} from '../../../src/report/cells.ts';

const cells = [
  {
    row: 'f16',
    column: '1',
    onTensorCores: [
      ['mma', 2],
      ['narrow', 1],
    ],
  },
  { row: 'f16', column: '2-16', onTensorCores: [] },
] as const;

test.each(['bsr-spmm', 'gemm', 'bsr-sddmm'])(
  'dispatch has its numbers of every kind of call of %s',
  async (name) => {
    const { family } = await loadFamily(name);
    expect(family.cells?.length).toBeGreaterThan(0);
    for (const { row, column, problem } of family.cells ?? [])
      for (const [feature, value] of Object.entries(family.features?.({ id: row, problem }) ?? {}))
        expect(Number.isFinite(value), `${feature} of ${row}, ${column}`).toBe(true);
  },
);

test('a cell names the templates, and how many variants each has', () => {
  expect(cellsTable(cells, 80)[2]).toBe('f16   mma 2, narrow  none');
  expect(withoutTensorCores(cells)).toBe(1);
});

test('the template of the plan stands first, on tensor cores or not', () => {
  const chosen = [
    { ...cells[0], chosen: 'mma' },
    { ...cells[0], column: '2-16', chosen: 'simt' },
  ];
  expect(cellsTable(chosen, 80)[2]).toBe('f16   mma 2, narrow  simt, mma 2, narrow');
  expect(plansOf([...chosen, { ...cells[0], chosen: 'simt' }])).toBe('simt 2, mma 1');
  expect(plansOf(cells)).toBe('');
});

test('a section takes the place of the one with its title', () => {
  const source = { family: 'toy', arch: 'sm_80', preset: 'all', command: 'gen cells toy', library: 3 };
  const section = cellsSection(cells, source);
  const page = withSection('# Cells\n', section);
  expect(page).toMatch(/^# Cells\n\n## toy, sm_80, preset all\n\n2 kinds of calls, 1 without/);
  expect(withSection(page, section)).toBe(page);
  const other = withSection(page, cellsSection(cells, { ...source, arch: 'sm_90a' }));
  expect(other.startsWith(page.trimEnd())).toBe(true);
});
