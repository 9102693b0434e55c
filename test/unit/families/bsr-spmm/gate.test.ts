// Cases of the gate at depth `quick`, on kernels that are wrong in the ways that the cases are there for.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { jobVariant } from '../../../../src/device/job-variant.ts';
import { UsageError } from '../../../../src/errors.ts';
import { scheduleOf } from '../../../../src/gate/schedules.ts';
import type { GateScope } from '../../../../src/model/verdict.ts';
import { folderOf } from '../../../helpers/folder.ts';
import { type Change, inHeader, replacing, sound, useMutantBench } from '../../../helpers/mutants.ts';

const bench = useMutantBench('bsr-spmm');

/** Verdict of the gate on a variant with its text changed. */
const gate = (id: string, change: Change, options?: GateScope) =>
  bench.gate(`bsr_spmm.${id}`, change, options);

const half = (value: string) => `static_cast<float>(static_cast<__half>(${value}))`;
const operand = 'static_cast<float>(a[k * stride])';
const flushed = replacing(operand, `(fabsf(${operand}) < 6.1e-5f ? 0 : ${operand})`);
const narrowed = replacing(operand, half(operand));
/** Every sum is rounded to half after each product: of one element (naive), or of 16 (mma). */
const rounded = {
  naive: replacing(/sum \+= (.*);/, `sum = ${half('sum + $1')};`),
  mma: inHeader(
    'tw/mma_tile.cuh',
    replacing(
      /ptx::mma_m16n8k16<T>\([^;]*;/,
      `{ $& for (int i = 0; i < 4; ++i) acc[m][n * 4 + i] = ${half('acc[m][n * 4 + i]')}; }`,
    ),
  ),
};
const ids = {
  f16: {
    naive: 'naive.b64.f16.f16',
    mma: 'mma.b64.f16.f16.tn128.tk64.pf0.wm2.wn4.st3.pw0.cp16.staged.tc1.mb2.pn1.longest',
  },
  bf16: {
    naive: 'naive.b64.bf16.bf16',
    mma: 'mma.b64.bf16.bf16.tn64.tk32.pf0.wm2.wn2.st1.pw0.cp4.staged.tc1.mb2.pn1.longest',
  },
};

describe('magnitude', () => {
  it.each([
    ['tiny', 'flushes subnormals of A to zero', ids.f16.naive, flushed],
    ['huge', 'takes A for half', ids.bf16.naive, narrowed],
  ])('%s alone sees a kernel that %s', async (name, _, id, faulty) => {
    const { verdict, evidence } = await gate(id, faulty);
    expect(verdict, evidence.message).toMatch(/^(wrong|nonfinite)$/);
    expect(evidence).toMatchObject({ case: name, tier: 'magnitude' }); // it comes last: all other cases have passed
  });

  it.each([
    ['tiny', 'f16', 'naive'],
    ['tiny', 'f16', 'mma'],
    ['huge', 'bf16', 'naive'],
    ['huge', 'bf16', 'mma'],
  ] as const)('%s sees sums of %s that are rounded to half: %s', async (name, input, path) => {
    const options = { depth: 'quick', case: name } as const;
    expect((await gate(ids[input][path], sound, options)).verdict).toBe('passed');
    const { verdict, evidence } = await gate(ids[input][path], rounded[path], options);
    expect(verdict, evidence.message).toMatch(/^(wrong|nonfinite)$/);
  });
});

describe('part-rows', () => {
  const options = { depth: 'quick', case: 'part-rows' } as const;
  const narrow = 'narrow.b32.tn24.pf1.u2.tm2.wk4-ceef';

  it('sees rows that are written behind the last one of C', async () => {
    const right = await gate(narrow, sound, options);
    expect(right.verdict, right.evidence.message).toBe('passed');
    const behind = replacing('tile_row + at.row >= args.rows || ', '');
    const { verdict, evidence } = await gate(narrow, behind, options);
    expect(verdict, evidence.message).toBe('out-of-bounds');
  });

  it.each([
    ['clips C as TMA stores it', 'wgmma', 'rows.wg2.bps1.cl1.wd0.cs64.static.sp0.adjacent.none.pdl0'],
    ['refuses whole block rows', 'mma', 'st3.pw0.cp16.staged.tc1.mb2.pn1.longest'],
  ])('%s: %s', async (_, path, rest) => {
    const start =
      path === 'mma'
        ? 'b64.f16.f16.tn128.tk64.pf0.wm2.wn4'
        : 'b32.f16.f16.tn256.tk32.st3.pw2.tma.pn1.longest';
    const { verdict, evidence } = await gate(`${path}.${start}.${rest}`, sound, options);
    expect(verdict, evidence.message).toBe('passed');
  });
});

describe('long-list', () => {
  const rows =
    'wgmma.b32.f16.f16.tn256.tk32.st3.pw2.tma.pn1.longest.rows.wg2.bps1.cl1.wd0.cs64.static.sp0.adjacent.none.pdl0';
  const halves =
    'wgmma.b128.f16.f16.tn128.tk64.st4.pw1.tma.pn4.longest.coopM.wg2.bps1.cl2.wd0.cs64.static.sp0.none.pdl0';
  const options = { depth: 'quick', case: 'long-list' } as const;
  const listed = (from: string, to: string) => inHeader('tw/work_list.cuh', replacing(from, to));

  it.each([
    ['leaves out a tile between two batches of records', halves, listed('tail += 32;', 'tail += 33;')],
    ['looks up the rows of the first batch alone', rows, listed('prepare(batch);', '')],
  ])('sees a kernel that %s: %s', async (_, id, faulty) => {
    const right = await gate(id, sound, options);
    expect(right.verdict, right.evidence.message).toBe('passed');
    const { verdict, evidence } = await gate(id, faulty, options);
    expect(verdict, evidence.message).not.toBe('passed');
    expect(evidence.case).toBe('long-list');
  });
});

describe('many-tiles', () => {
  const rows =
    'wgmma.b64.f16.f16.tn256.tk64.st4.pw1.overlap.pn4.longest.rows.wg2.bps1.cl1.wd1.cs64.static.sp0.similar.none.pdl0';
  const halves =
    'wgmma.b128.f16.f16.tn256.tk64.st4.pw1.overlap.pn1.longest.coopM.wg2.bps1.cl2.wd0.cs64.static.sp0.both.pdl0';
  const options = { depth: 'quick', case: 'many-tiles' } as const;

  it.each([rows, halves])('passes a tile that leaves while the next one is multiplied: %s', async (id) => {
    const { verdict, evidence } = await gate(id, sound, options);
    expect(verdict, evidence.message).toBe('passed');
  });

  const multiply = /^ +multiply_tile\(shared, ring, acc, store_pending, tile\.count\);$/m;
  const last = /^#pragma unroll\n.*\n?.*store_pending\(pass\);\n(?= *ptx::bulk_wait_read<0>)/m;
  it.each([
    ['takes the column of the next tile', rows, replacing(multiply, 'pending_column = column_of(tile);\n$&')],
    [
      'takes the column of the next tile',
      halves,
      replacing(multiply, 'pending_column = column_of(tile);\n$&'),
    ],
    [
      'writes for a row that is not there',
      rows,
      replacing('pending_row = row;', 'pending_row = max(row, pending_row);'),
    ],
    ['forgets the last tile', halves, replacing(last, '')],
    [
      'does not wait for its staging',
      halves,
      inHeader('tw/wgmma_result.cuh', replacing(/^.*bulk_wait_read<Boxes - 1>.*$/m, '')),
    ],
  ])('sees a kernel that %s: %s', async (_, id, faulty) => {
    const { verdict, evidence } = await gate(id, faulty, options);
    expect(verdict, evidence.message).not.toBe('passed');
    expect(evidence.case).toBe('many-tiles');
  });

  it('plans for fewer multiprocessors than there are where the case says so', async () => {
    const counting = replacing('const int list = ', 'if (gridDim.x != 2) __trap();\n  const int list = ');
    const wide = await gate(rows, counting, options);
    expect(wide.verdict, wide.evidence.message).toBe('fault');
    const artifact = await bench.build(`bsr_spmm.${rows}`, counting);
    if ('verdict' in artifact) throw new Error(artifact.evidence.message);
    const point = artifact.source.variant.parameters as never;
    const cases = bench.family.cases(point, 'quick').filter(({ id }) => id === 'many-tiles');
    const narrow = await bench.session.gate({
      variant: jobVariant(artifact),
      cases: cases.map((item) => ({ ...item, multiprocessors: 2 })),
      schedules: [scheduleOf(1)],
      vendor: false,
    });
    expect(narrow.verdict, narrow.evidence.message).toBe('passed');
  });
});

describe('a Matrix Market file', () => {
  it('gives A its places and values', async () => {
    const text = '%%MatrixMarket matrix coordinate real symmetric\n100 100 3\n1 1 2\n100 1 3\n50 49 -0.3\n';
    const path = join(folderOf({ 'a.mtx': text }), 'a.mtx');
    const faulty = replacing(operand, `(${operand} == 3.0f ? 2.0f : ${operand})`);
    for (const [change, verdict] of [
      [sound, 'passed'],
      [faulty, 'wrong'],
    ] as const) {
      const artifact = await bench.build('bsr_spmm.naive.b64-2fac', change);
      if ('verdict' in artifact) throw new Error(artifact.evidence.message);
      const problem = bench.family.matrixProblem?.(artifact.source.variant.parameters as never, path);
      const answer = await bench.session.gate({
        variant: jobVariant(artifact),
        cases: [{ id: 'file', tier: 'structures', problem: problem ?? {} }],
        schedules: [scheduleOf(1)],
        vendor: false,
      });
      expect(answer.verdict, answer.evidence.message).toBe(verdict);
    }
  });

  const banner = '%%MatrixMarket matrix coordinate real general\n';

  it.each<[string, string | undefined, RegExp, new (message: string) => Error]>([
    ['that is not there', undefined, /cannot read the Matrix Market file \S+a\.mtx/, UsageError],
    ['that is none', 'hello\n', /a\.mtx:1: a Matrix Market file begins with/, UsageError],
    [
      'that ends early',
      `${banner}64 64 2\n1 1 1\n`,
      /a\.mtx:4: the file ends before entry 2 of 2/,
      UsageError,
    ],
    [
      'of an entry outside',
      `${banner}64 64 1\n65 1 1\n`,
      /a\.mtx:3: row 65 lies outside the matrix of 64 x 64/,
      UsageError,
    ],
    [
      'of too many rows',
      `${banner}900000000000000000 64 0\n`,
      /a\.mtx has \d+ x 1 blocks, more than 32-bit indices count/,
      UsageError,
    ],
  ])('%s is no verdict on the variant', async (_, text, says, kind) => {
    const path = join(folderOf(text === undefined ? {} : { 'a.mtx': text }), 'a.mtx');
    const artifact = await bench.build('bsr_spmm.naive.b64-2fac', sound);
    if ('verdict' in artifact) throw new Error(artifact.evidence.message);
    const [usual] = bench.family.cases(artifact.source.variant.parameters as never, 'quick');
    const problem = { ...usual?.problem, pattern: { kind: 'matrix-market', path } };
    const answer = bench.session.gate({
      variant: jobVariant(artifact),
      cases: [{ id: 'file', tier: 'structures', problem }],
      schedules: [scheduleOf(1)],
      vendor: false,
    });
    const error = await answer.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(kind);
    expect((error as Error).message).toMatch(says);
    expect((error as Error).message).toContain(`case 'file' of ${artifact.source.variant.id}`);
  });
});
