import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { localExecutor } from '../../src/exec/local.ts';
import { genArgv, genHere, workspace } from '../helpers/gen.ts';

/** The integers of a .npy file of version 1. */
function integersOf(file: string): readonly number[] {
  const bytes = readFileSync(file);
  const begin = 10 + bytes.readUInt16LE(8);
  expect(bytes.toString('latin1', 10, begin)).toContain("'descr': '<i4', 'fortran_order': False");
  return Array.from({ length: (bytes.length - begin) / 4 }, (_, i) => bytes.readInt32LE(begin + 4 * i));
}

test('gen problem writes the matrix that a workload names', { timeout: 300_000 }, async () => {
  const { path } = workspace();
  const make = (...args: string[]) => genHere(path, ['problem', 'bsr-spmm', ...args]);
  // Its lines are none of a run's events.
  const linesOf = async (...args: string[]) => {
    const argv = [...genArgv, 'problem', 'bsr-spmm', '--to', 'made', '--json', ...args];
    const { exitCode, stdout, stderr } = await localExecutor.run(argv, { cwd: path });
    expect(exitCode, stderr).toBe(0);
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  const [{ workload, tensors }] = await linesOf('1024.d12.b32', '--tensors', 'row_ptr', 'col_idx');
  expect(workload).toBe('1024.d12.b32');
  const folder = join(path, 'made/1024.d12.b32');
  expect(tensors).toEqual([
    { name: 'row_ptr', type: 'i32', role: 'input', rows: 1, cols: 33, file: join(folder, 'row_ptr.npy') },
    { name: 'col_idx', type: 'i32', role: 'input', rows: 1, cols: 128, file: join(folder, 'col_idx.npy') },
  ]);
  const [rows, columns] = ['row_ptr', 'col_idx'].map((name) => integersOf(join(folder, `${name}.npy`)));
  expect(rows?.[0]).toBe(0);
  expect(rows?.at(-1)).toBe(128); // an eighth of 32 x 32
  for (const [row, first] of (rows ?? []).slice(0, -1).entries()) {
    const own = columns?.slice(first, rows?.[row + 1]) ?? [];
    expect(own).toEqual([...new Set(own)].sort((a, b) => a - b));
  }

  expect((await make('1024.d12.b32')).stdout).toMatch(/^1024\.d12\.b32\n {2}row_ptr +i32 +1 x 33 +input\n/);
  expect(await make('1024.d12.b32', '--tensors', 'q')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("no tensor 'q'; there are: row_ptr, col_idx, values, b, c"),
  });
  expect(await make('1024.d12.b33')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("no workload '1024.d12.b33'"),
  });

  // Of a file: the matrix's own values, under an id that another file does not have.
  const write = (first: string) =>
    writeFileSync(
      join(path, 'a b.mtx'),
      `%%MatrixMarket matrix coordinate real general\n40 70 2\n${first}\n40 70 -3\n`,
    );
  write('1 1 2.5');
  const ofFile = () => linesOf('--matrix', 'a b.mtx@32');
  const [one] = await ofFile();
  expect(one.workload).toMatch(/^a_b-[0-9a-f]{8}\.n128\.b32$/);
  expect(one.problem).toMatchObject({ m: 64, k: 96, block: 32, pattern: { density: 2 / 6, unevenness: 1 } });
  const bytes = readFileSync(join(path, 'made', one.workload, 'values.npy'));
  const values = bytes.subarray(bytes.length - 2 * 2 * 32 * 32);
  const stored = Array.from({ length: 2 * 32 * 32 }, (_, i) => values.readUInt16LE(2 * i));
  expect(stored.flatMap((bits, i) => (bits === 0 ? [] : [[i, bits]]))).toEqual([
    [0, 0x4100], // 2.5 in f16
    [32 * 32 + 7 * 32 + 5, 0xc200], // row 39 and column 69: the second block's row 7 and column 5
  ]);
  write('1 1 2');
  const [other] = await ofFile();
  expect(other.workload).not.toBe(one.workload);
  expect(await make()).toMatchObject({ code: 2, stderr: expect.stringContaining('--matrix <file.mtx>') });

  // The same program says who serves a kind of call; an A100 has a kernel on tensor cores for each.
  const served = await genHere(path, ['cells', 'bsr-spmm', '--preset', 'every-cell', '--arch', 'sm_80']);
  expect(served).toMatchObject({ code: 0, stderr: expect.stringContaining('0 of 1120 without a variant') });
  const plain = await genHere(path, ['cells', 'bsr-spmm', '--where', 'path == "naive"']);
  expect(plain).toMatchObject({ code: 1, stderr: expect.stringContaining('1120 of 1120 without') });
  expect((await genHere(path, ['cells', 'scale'])).stderr).toContain('scale lists no kinds of calls');
});
