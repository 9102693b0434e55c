// The cost model of bsr-spmm: the same in TypeScript and C++, and good choices for workloads that it has not seen.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { archNamed } from '../../src/arch/index.ts';
import { loadFamily } from '../../src/discover.ts';
import { localExecutor } from '../../src/exec/local.ts';
import { isCandidate } from '../../src/model/family.ts';
import { cppSignature } from '../../src/render/operation.ts';
import { enumerate } from '../../src/space/enumerate.ts';
import { packageRoot } from '../../src/util/package-root.ts';
import { outputOf } from '../helpers/command.ts';
import { folderOf } from '../helpers/folder.ts';

const harness = join(packageRoot, 'harness');

/** Offsets of block rows whose lengths differ. */
function offsets(blockRows: number, blockColumns: number): number[] {
  const rows = Array.from({ length: blockRows }, (_, row) => 1 + ((row * 7) % Math.ceil(blockColumns / 3)));
  let end = 0;
  return [0, ...rows.map((length) => (end += length))];
}

/** A product whose pattern is known by its density and unevenness alone, as the C++ side finds them. */
function callOf(
  sizes: { m: number; n: number; k: number; block: number },
  choices: { transposeA: string; layoutB: string; layoutC: string },
) {
  const { m, n, k, block } = sizes;
  const [blockRows, blockColumns] = [Math.ceil(m / block), Math.ceil(k / block)];
  const rowPtr = offsets(blockRows, blockColumns);
  const blocks = rowPtr.at(-1) ?? 0;
  const squares = rowPtr.slice(1).reduce((sum, end, row) => sum + (end - (rowPtr[row] ?? 0)) ** 2, 0);
  const density = blocks / (blockRows * blockColumns);
  const unevenness = (squares * blockRows) / blocks ** 2;
  const pattern = { kind: 'matrix-market', path: '', density, unevenness };
  return { problem: { ...sizes, ...choices, pattern, values: 'normal', seed: 1 }, rowPtr, n, m, k };
}

const choices = ['f16', 'f32'].flatMap((input) =>
  ['row', 'column'].flatMap((layoutB) =>
    ['no', 'yes'].map((transposeA) => ({
      ...{ input, output: input, layoutB, layoutC: layoutB, transposeA },
      ...(input === 'f32' && { tf32: 'yes' }),
    })),
  ),
);
const sizes = [
  { m: 4096, n: 5, k: 14336 },
  { m: 14300, n: 1001, k: 4096 },
  { m: 8192, n: 8192, k: 8192 },
];

test('cost.hpp has the parts that cost.ts has', { timeout: 600_000 }, async () => {
  const { family, folder } = await loadFamily('bsr-spmm');
  const { variants } = enumerate(family, { arch: archNamed('sm_90a'), preset: 'shipped' });
  const calls = sizes.flatMap((size) =>
    [16, 32, 64, 128].flatMap((block) => choices.map((choice) => callOf({ ...size, block }, choice))),
  );
  const jobs = calls.flatMap(({ problem, rowPtr, n, m, k }) => {
    const [rows, depth] = problem.transposeA === 'yes' ? [k, m] : [m, k];
    const ldb = problem.layoutB === 'row' ? n : depth;
    const ldc = problem.layoutC === 'row' ? n : rows;
    const { pattern: _, ...shape } = { ...problem, batch: 1, ldb, ldc };
    const able = variants.filter(({ parameters }) => isCandidate(family, parameters, { id: '', problem }));
    return able.map(({ parameters, derived }) => ({
      line: JSON.stringify({ shape, rowPtr, parameters: { ...parameters, ...derived } }),
      parts: family.cost?.parts(parameters, { id: '', problem }) ?? [],
    }));
  });
  const own = folderOf();
  writeFileSync(join(own, 'operation.hpp'), cppSignature(family.operation).text);
  const program = join(own, 'parts');
  const units = ['json', 'json_reader', 'utf8', 'variant'].map((name) => join(harness, `src/${name}.cpp`));
  const places = ['kit/host', 'kit/device', 'third_party'].map((place) => join(packageRoot, place));
  const include = [own, folder, ...places].flatMap((place) => ['-I', place]);
  const source = join(packageRoot, 'test/fixtures/cost/parts.cpp');
  await outputOf(
    'g++',
    '-std=c++20',
    '-Wall',
    '-Wextra',
    '-Werror',
    ...include,
    source,
    ...units,
    '-o',
    program,
  );
  const input = jobs.map(({ line }) => `${line}\n`).join('');
  const { stdout, stderr } = await localExecutor.run([program], { input });
  const lines = stdout.trim().split('\n');
  expect(lines.length, stderr).toBe(jobs.length);
  for (const [index, { parts, line }] of jobs.entries()) {
    const other = (lines[index] ?? '').split(' ').map(Number);
    expect(other.length, line).toBe(parts.length);
    for (const [part, value] of parts.entries())
      expect(Math.abs((other[part] ?? 0) - value), `part ${part} of ${line}`).toBeLessThanOrEqual(
        1e-9 * value,
      );
  }
});

test('recorded workloads that are left out by shapes have variants near their fastest', {
  timeout: 600_000,
}, async () => {
  const results = join(packageRoot, 'docs/results');
  const evidence = readdirSync(results).filter((name) => /^h200-.*\.json$/.test(name));
  const file = join(folderOf(), 'held-out.json');
  const bench = [
    process.execPath,
    '--import',
    'jiti/register',
    'bench/held-out.ts',
    ...['--only', 'shape', '--only', 'shape-width'],
    '--json',
    file,
  ];
  const { exitCode, stderr } = await localExecutor.run(
    [...bench, ...evidence.map((name) => join(results, name))],
    { cwd: packageRoot },
  );
  expect(exitCode, stderr).toBe(0);
  const [shapes, widths] = JSON.parse(readFileSync(file, 'utf8')).results;
  // Of 2026-11-28: 10 of 108 below 0.9, the least at 0.61, and 43 by the nearest workload. One shape has most of the workloads.
  expect(shapes.model.below).toBeLessThan(0.12 * shapes.model.timed);
  expect(shapes.model.least).toBeGreaterThan(0.6);
  expect(shapes.nearest.below).toBeGreaterThan(3 * shapes.model.below);
  // 27 of 949, the least at 0.68, and 371.
  expect(widths.model.below).toBeLessThan(0.05 * widths.model.timed);
  expect(widths.model.least).toBeGreaterThan(0.6);
  expect(widths.nearest.below).toBeGreaterThan(10 * widths.model.below);
});
