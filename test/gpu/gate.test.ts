// Parts of the gate that only a GPU shows.
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/util/package-root.ts';
import { verdicts } from '../helpers/checked.ts';
import { gen, verdictsOf, workspace } from '../helpers/gen.ts';

const slow = { timeout: 600_000 };
const capability = execFileSync('nvidia-smi', ['--query-gpu=compute_cap', '--format=csv,noheader'], {
  encoding: 'utf8',
});
const isHopper = capability.startsWith('9.0');
if (!isHopper) console.log(`skipped in test/gpu/gate: compute capability ${capability.trim()} has no wgmma`);

test('a kernel whose printed lines are compared on the emulated device runs on a GPU too', slow, async () => {
  const { found } = await verdicts('prints.cu', 'reports', '--device', 'cuda');
  expect(found.map(({ word }) => word)).toEqual(['passed', 'passed']);
});

// TMA reads the origin of a tensor for a box wholly outside it.
test.skipIf(!isHopper)('operands that begin with addresses alone', slow, async () => {
  const { out } = workspace();
  const variant = 'bsr_spmm.wgmma.b64.Bcolumn.Ccolumn.tn256.coopN.cl2.cs128.fu1-0bcf';
  const flags = ['--device', 'cuda:0', '--depth', 'full', '--case', 'wide', '--json', '--out', out];
  const { code, events } = await gen(packageRoot, ['validate', 'bsr-spmm', variant, ...flags]);
  expect(Object.values(verdictsOf(events))).toEqual(['passed']);
  expect(code).toBe(0);
});
