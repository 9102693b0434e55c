// Products as torch.nn.functional.linear asks for them, on Hopper: kernels of the path wgmma with column-major operands, narrow tiles,
// bias and activation pass the gate on the emulated device.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { localExecutor } from '../../src/exec/local.ts';
import { genArgv } from '../helpers/gen.ts';
import { testCache } from '../helpers/toolchain.ts';

test.each([
  ['bias and activation, whole tiles', 'kinds', 'fused', 3],
  ['narrow tiles', 'kinds', 'tileN < 64', 4],
  ['overlap, store warps, mixed layouts, plain stores', 'kinds', 'tileN == 128', 9],
  ['results in the other type of 16 bits', 'hopper-mixed', 'block == 64 && transposeA && input != output', 6],
])('%s', { timeout: 600_000 }, async (_, preset, kind, count) => {
  const out = mkdtempSync(join(tmpdir(), 'tilewright-layers-'));
  onTestFinished(() => rmSync(out, { recursive: true, force: true }));
  mkdirSync(testCache, { recursive: true });
  symlinkSync(testCache, join(out, 'artifacts'));
  const where = `path == "wgmma" && (layoutB == "column" || layoutC == "column") && ${kind}`;
  const asked = ['--preset', preset, '--where', where, '--device', 'emulated', '--no-install', '--json'];
  const { exitCode, stdout, stderr } = await localExecutor.run([
    ...[...genArgv, 'validate', 'bsr-spmm'],
    ...[...asked, '--out', out],
  ]);
  expect(exitCode, `${stdout}${stderr}`).toBe(0);
  const summary = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
  expect(summary.funnel).toMatchObject({ legal: count, passed: count });
});
