import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/util/package-root.ts';
import { gen, workspace } from '../helpers/gen.ts';

/** A fixed sample of the mutants that `docs/gate.md` is about; `--update-floor` writes the floor anew. */
test('the gate kills no smaller share of a fixed sample than it did', { timeout: 900_000 }, async () => {
  const { out } = workspace();
  const floor = join(packageRoot, 'templates/kernels/bsr-spmm/mutation/floor.json');
  const where = "path == 'mma' && producers == 4 || path == 'wgmma' && block == 64";
  const sample = ['--preset', 'quick', '--where', where, '--sample', '24'];
  const { code, stderr } = await gen(packageRoot, [
    ...['mutate', 'bsr-spmm', '--arch', 'sm_90a', '--device', 'emulated', ...sample],
    ...['--out', out, '--floor', floor],
  ]);
  expect(stderr).not.toContain('the score dropped');
  expect(code).toBe(0);
});
