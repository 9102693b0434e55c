// Defects of layouts, transposition, batches and epilogue, in the kernels of the path general and in the blocks that these
// include. Depth `quick` must see each.
import { describe, expect, it } from 'vitest';
import type { VerdictName } from '../../../../src/model/verdict.ts';
import { type Change, inHeader, replacing, sound, useMutantBench } from '../../../helpers/mutants.ts';

const bench = useMutantBench('bsr-spmm');

const ids = {
  linear: 'b32.f16.f16.Bcolumn.Ccolumn.at0.tn64.tk32.pf1.wm1.wn2.st4.cp16.mb2.pn1.longest',
  turned: 'b64.bf16.bf16.Bcolumn.Crow.at1.tn64.tk32.pf0.wm2.wn2.st2.cp4.mb2.pn1.natural',
  turnedLinear: 'b32.f16.f16.Bcolumn.Ccolumn.at1.tn64.tk32.pf0.wm1.wn2.st3.cp8.mb2.pn0.longest',
  rows: 'b64.f16.f16.Brow.Crow.at0.tn64.tk32.pf0.wm2.wn2.st3.cp16.mb2.pn1.natural',
  floats: 'b32.f32.f32.Brow.Crow.at0.tn64.tk16.pf1.wm1.wn2.st3.cp4.mb2.pn1.natural',
  turnedFloats: 'b32.f32.f32.Bcolumn.Ccolumn.at1.tn64.tk16.pf0.wm1.wn2.st3.cp16.mb2.pn1.longest',
  packed: 'b32.Bcolumn.Ccolumn.wm1.pk1.natural-8ae0',
  small: 'b16.f16.f16.Brow.Crow.at0.tn128.tk16.pf0.wm1.wn4.st4.cp16.mb2.pn1.longest',
  elements: 'b32.f16.f32.Brow.Ccolumn.at0.tn32.tk32.pf0.wm1.wn2.st2.cp2.mb2.pn1.longest',
};
type Name = keyof typeof ids;
const idOf = (name: Name) => `bsr_spmm.general.${ids[name]}`;

const inEpilogue = (change: Change) => inHeader('tw/staged_result.cuh', change, 'bsr-spmm');
const inOperands = (change: Change) => inHeader('tw/mma_operands.cuh', change);
const inCopies = (change: Change) => inHeader('tw/copy_tile.cuh', change);
const inTask = (change: Change) => inHeader('paths/general/task.cuh', change, 'bsr-spmm');

type Mutant = readonly [defect: string, of: Name, change: Change];
const mutants: readonly Mutant[] = [
  // Layouts and transposition.
  [
    'multiplies by blocks that it does not transpose',
    'turned',
    replacing('Major::mn, kBlock', 'Major::k, kBlock'),
  ],
  [
    'transposes blocks that are stored as they are',
    'rows',
    replacing('Major::k, kBlock', 'Major::mn, kBlock'),
  ],
  [
    'takes the blocks of A in the order of their storage',
    'turned',
    replacing('block_.source)', 'task_.row.first)'),
  ],
  ['takes the other order of B', 'linear', replacing('Major::k, kTileN', 'Major::mn, kTileN')],
  ['finds B by 32 bits', 'rows', replacing('b_, args_.ldb', 'b_, static_cast<int>(args_.ldb)')],
  [
    'finds A by 32 bits',
    'linear',
    replacing(
      'static_cast<long long>(block_.source) * (kBlock * kBlock)',
      'block_.source * (kBlock * kBlock)',
    ),
  ],
  [
    'finds a product of the batch by 32 bits',
    'rows',
    inTask(replacing('const long long c = product', 'const int c = product')),
  ],
  [
    'takes the tiles of a panel from the right',
    'turnedLinear',
    inTask(replacing('gridDim.x + blockIdx.x', 'gridDim.x - blockIdx.x')),
  ],
  // Floats.
  [
    'rounds its operands to bf16',
    'floats',
    inOperands(
      replacing(
        'ptx::to_tf32(ptx::detail::bit_cast<float>(registers[i]))',
        'registers[i] + 0x8000u & 0xffff0000u',
      ),
    ),
  ],
  [
    'swaps the halves of an operand',
    'turnedFloats',
    inOperands(replacing('at.chunk * 4', '(1 - at.chunk) * 4')),
  ],
  // Ends of rows, columns and blocks.
  [
    'reads behind the last column',
    'linear',
    replacing('columns_(args.columns - task.column)', 'columns_(kTileN)'),
  ],
  ['reads behind a B that it packs', 'packed', replacing('begin + args.extent', 'begin + args.extent + 8')],
  ...(
    [
      ['a sixteenth behind', 'address / 16 * 17'],
      ['a seventeenth in front', 'address / 17 * 16'],
      ['at a sixteenth of the address', 'address / 16 + 16'],
    ] as const
  ).map(([where, to]): Mutant => {
    const change = inHeader('tw/unaligned.cuh', replacing('address / 16 * 16', to));
    return [`packs vectors ${where}`, 'packed', change];
  }),
  [
    'takes an address below all for the end of the B that it packs',
    'packed',
    replacing('begin + args.extent', 'begin - args.extent'),
  ],
  ['counts what is stored behind the last row of B', 'turned', replacing('args_.inner - first', 'kTileK')],
  [
    'counts what is stored behind the last column of A',
    'linear',
    replacing('kBlock, kBlock, rest)', 'kBlock, kBlock, kTileK)'),
  ],
  [
    'writes a whole vector at the end of a row',
    'rows',
    inEpilogue(replacing(/(void store[\s\S]*?)aligned && count >= kCount/, '$1aligned')),
  ],
  ['writes rows that are not there', 'linear', inEpilogue(replacing('row + r < to.rows && ', ''))],
  [
    'copies whole units at the end of a row',
    'turned',
    inCopies(replacing('row < rows ? units : 0', 'row < rows ? kUnit : 0')),
  ],
  [
    'copies rows behind its tile',
    'small',
    inCopies(replacing('Rows % kRowsPerRound != 0', 'Rows % kRowsPerRound == 0')),
  ],
  [
    'has 32 bits for the distance between lines',
    'rows',
    inHeader(
      'tw/operand_copy.cuh',
      replacing('const T* source, long long pitch', 'const T* source, int pitch'),
    ),
  ],
  ['copies rows that are not there', 'linear', inCopies(replacing('row < rows ? units : 0', 'units'))],
  [
    'leaves what is not there as it was',
    'elements',
    inCopies(
      replacing(
        /(else\n *)(\*reinterpret_cast<T\*>\(to\)) = count > 0 \? \*from : T\(0.0f\);/,
        '$1if (count > 0) $2 = *from;',
      ),
    ),
  ],
  // The epilogue.
  ['adds the bias of the row', 'linear', replacing('tw::BiasPer::column', 'tw::BiasPer::row')],
  ['adds the bias of the column', 'rows', replacing('tw::BiasPer::row', 'tw::BiasPer::column')],
  [
    'adds the bias after the activation',
    'linear',
    inEpilogue(replacing(/( *if \(to\.bias\) values.*\n)( *values\[i\] = tilewright::activate.*\n)/, '$2$1')),
  ],
  [
    'applies the activation before it adds the residual',
    'rows',
    inEpilogue(
      replacing(
        'values[i] *= to.alpha;',
        'values[i] = tilewright::activate(to.activation, values[i] * to.alpha);',
      ),
    ),
  ],
  [
    'adds the residual where beta is 0',
    'linear',
    inEpilogue(replacing(/to\.beta != 0/g, '(to.beta != 0 || to.addend != to.c)')),
  ],
  ['reads the residual in the rows of C', 'linear', inTask(replacing('args.ld_addend', 'args.ldc'))],
  ['reads C for the residual', 'rows', inTask(replacing('args.addend + addend', 'args.c + c'))],
  [
    'writes over sums that others have not read',
    'rows',
    inEpilogue(replacing('__syncwarp();  // the rows before have been read', '')),
  ],
  [
    'stages sums in a ring that is in use',
    'rows',
    replacing('__syncthreads();  // everyone has multiplied the last step', ''),
  ],
  [
    'stages odd rows of sums where no float2 begins',
    'rows',
    inEpilogue(replacing('kPitch = Columns + 8', 'kPitch = Columns + 9')),
  ],
  // Batches and indices.
  [
    'has the values of the first product alone',
    'turned',
    replacing('task.product * args.values_stride', '0'),
  ],
  ['has the B of the first product alone', 'linear', replacing('task.product * args.b_stride', '0')],
  [
    'adds to the first product alone',
    'rows',
    inTask(replacing('addend = product * args.addend_stride', 'addend = 0')),
  ],
  [
    'reads halves of indices',
    'rows',
    inTask(replacing('static_cast<long long>(at) * args.index_words', 'at')),
  ],
  [
    'finds indices by 32 bits',
    'rows',
    inTask(replacing('static_cast<long long>(at) * args', 'static_cast<int>(at) * args')),
  ],
  // The ring.
  [
    'begins a stage that is in use',
    'elements',
    inHeader('tw/async_mainloop.cuh', replacing(/__syncthreads\(\); {2}\/\/ everyone's copies.*/, '')),
  ],
];

describe('depth quick sees a kernel that', () => {
  it.each(mutants)('%s: %s', { timeout: 120_000 }, async (_, name, change) => {
    const { verdict, evidence } = await bench.gate(idOf(name), change);
    expect(verdict, `${evidence.case}: ${evidence.message}`).toBeOneOf([
      ...(['out-of-bounds', 'unwritten', 'wrong', 'nonfinite', 'race', 'fault'] satisfies VerdictName[]),
    ]);
  });
});

describe('f32', () => {
  it('is multiplied by FFMA where nothing else is allowed', { timeout: 120_000 }, async () => {
    const { verdict, evidence } = await bench.gate('bsr_spmm.naive.b32.f32.f32', sound);
    expect(verdict, evidence.message).toBe('passed');
  });
});

describe('depth quick passes', () => {
  it.each(Object.keys(ids) as Name[])('%s as it is', { timeout: 120_000 }, async (name) => {
    const { verdict, evidence } = await bench.gate(idOf(name), sound);
    expect(verdict, evidence.message).toBe('passed');
    // Its far case needs more address space than small machines have.
    expect(evidence.skipped ?? ['far']).toEqual(['far']);
  });
});
