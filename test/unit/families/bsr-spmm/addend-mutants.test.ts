// Defects of the path wgmma where it adds the former C or a residual before bias and activation, which depth `quick` must see. Each is
// one change of a rendered source of a variant that passes.
import type { VerdictName } from '../../../../src/model/verdict.ts';
import {
  describeMutants,
  describeSound,
  inHeader,
  type Mutant,
  replacing,
  stray,
  useMutantBench,
  wrong,
} from '../../../helpers/mutants.ts';

const bench = useMutantBench('bsr-spmm');

const ids = {
  columns: 'bsr_spmm.wgmma.b64.Bcolumn.Ccolumn.tn256.st3.staged.pn2.pingpong.wd1.cs128.fu1-3e48',
  rows: 'bsr_spmm.wgmma.b32.tn256.tk32.st5.pw2.staged.pk1.pn2.rows.wd1.cs128.similar.fu1-3f98',
};
type Name = keyof typeof ids;

/** Reads of what nothing has written are `race`. */
const misread: readonly VerdictName[] = ['race', ...stray];
const unordered: readonly VerdictName[] = ['race', 'unwritten', ...wrong];

const inLines = (from: string | RegExp, to: string) => inHeader('tw/result_lines.cuh', replacing(from, to));
const add = 'if (args.beta != 0.0f) staging.add_addend(args, acc, row, column);';
const finish = 'tw::finish<ResultLayout>(args, acc, row);';
const lines = 'lines_of(addend, target.ld_addend, target.columns, row, column, m, n).read_vectors();';

const mutants: readonly Mutant<Name>[] = [
  [
    'adds a residual behind the activation',
    'columns',
    replacing(`${add}\n  ${finish}`, `${finish}\n  ${add}`),
    wrong,
  ],
  [
    'reads a residual whose factor is 0',
    'rows',
    replacing(add, add.replace('args.beta != 0.0f', 'true')),
    misread,
  ],
  [
    'adds the former C where there is a residual',
    'columns',
    inLines('const_cast<T*>(target.addend)', 'target.c'),
    misread,
  ],
  [
    'finds lines of a residual by those of C',
    'columns',
    inLines('addend, target.ld_addend', 'addend, target.ldc'),
    misread,
  ],
  [
    'finds lines of a residual by those of C',
    'rows',
    inLines('addend, target.ld_addend', 'addend, target.ldc'),
    misread,
  ],
  ['reads vectors of lines that begin elsewhere', 'columns', inLines(' || ldc % kVector != 0', ''), misread],
  [
    'reads vectors of lines that are one element longer',
    'columns',
    inLines('ldc % kVector != 0', 'ldc % kVector != 1'),
    misread,
  ],
  [
    'reads vectors one element in front of one',
    'columns',
    inLines('elements_to_vector(c) != 0', 'elements_to_vector(c) != 1'),
    misread,
  ],
  [
    'reads vectors of lines that are not whole, alone',
    'rows',
    inLines('elements != Elements || ', 'elements == Elements || '),
    misread,
  ],
  ['reads vectors at any address', 'rows', inLines(' || elements_to_vector(c) != 0', ''), misread],
  ['reads whole vectors behind the last column', 'rows', inLines('elements != Elements || ', ''), misread],
  [
    'leaves out every other vector of a line',
    'columns',
    inLines('ldc + index * kVector);', 'ldc + index / 2 * kVector);'),
    wrong,
  ],
  [
    'stages lines before the former ones have been read',
    'columns',
    inLines(`sync();  // the lines before have been read\n      ${lines}`, lines),
    unordered,
  ],
  [
    'adds lines before all of them are staged',
    'columns',
    inLines(`${lines}\n      sync();`, lines),
    unordered,
  ],
];

describeMutants(bench, ids, mutants);

describeSound(bench, ids);
