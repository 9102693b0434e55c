// Kernels of bsr-spmm on tensor cores for GPUs that are not Hopper's: every kind of call has one, and one of each type compiles.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { archNamed } from '../../src/arch/index.ts';
import { compileCuda } from '../../src/compile/nvcc.ts';
import { buildPtx } from '../../src/compile/variant.ts';
import { loadFamily } from '../../src/discover.ts';
import { isCandidate } from '../../src/model/family.ts';
import type { Variant } from '../../src/model/variant.ts';
import { renderVariant } from '../../src/render/render.ts';
import { enumerate } from '../../src/space/enumerate.ts';
import { portableArch } from '../../src/space/support.ts';
import { groupBy } from '../../src/util/group-by.ts';
import { contextOf, testToolchain } from '../helpers/toolchain.ts';

const presets = {
  sm_80: 'every-cell',
  sm_86: 'every-small-cell',
  sm_89: 'every-small-cell',
  sm_120: 'every-small-cell',
};

test.each(Object.entries(presets))('kernels for %s compile', { timeout: 900_000 }, async (name, preset) => {
  const { family, folder } = await loadFamily('bsr-spmm');
  const arch = archNamed(name);
  const { variants } = enumerate(family, { arch, preset });
  for (const { row, problem } of family.cells ?? []) {
    const able = variants.some(({ parameters }) => isCandidate(family, parameters, { id: row, problem }));
    expect(able, row).toBe(true);
  }
  const toolchain = await testToolchain();
  const context = contextOf({ family, folder });
  const kinds = groupBy(
    variants,
    ({ parameters: { input, output, block } }) => `${input} ${output} ${block}`,
  );
  const some = [...kinds.values()].flatMap(([first]) => first ?? []).filter((_, index) => index % 3 === 0);
  for (const variant of some) {
    const artifact = await compileCuda(renderVariant(family, folder, variant), arch, toolchain, context);
    expect('path' in artifact ? '' : artifact.evidence.message, variant.id).toBe('');
  }
});

test('PTX of kernels without instructions of one architecture alone is for the oldest that has theirs', async () => {
  const { family, folder } = await loadFamily('bsr-spmm');
  const toolchain = await testToolchain();
  const context = contextOf({ family, folder });
  const archOf = ({ parameters }: Variant) => portableArch(family, parameters);
  const variants = enumerate(family, { arch: archNamed('sm_90a'), preset: 'quick' }).variants as Variant[];
  const [naive, mma, wgmma] = ['naive', 'mma', 'wgmma'].map((path) =>
    variants.find(({ parameters }) => parameters.path === path),
  );
  if (!naive || !mma || !wgmma) throw new Error('the preset lacks a path');
  expect(archOf(wgmma)).toBeUndefined();
  for (const variant of [naive, mma]) {
    const source = renderVariant(family, folder, variant);
    const ptx = await buildPtx(source, archOf(variant), toolchain, context);
    if (!ptx || 'verdict' in ptx) throw new Error(ptx?.evidence.message);
    expect(ptx.arch).toBe('compute_80');
    const text = readFileSync(ptx.path, 'utf8');
    expect(text).toMatch(/^\.target sm_80$/m);
    expect(text).toContain(`.visible .entry ${variant.symbol}(`);
  }
});
