// Kernels of bsr-spmm on tensor cores for GPUs that are not Hopper's: every kind of call has one, and one of each type compiles.
import { expect, test } from 'vitest';
import { archNamed } from '../../src/arch/index.ts';
import { compileCuda } from '../../src/compile/nvcc.ts';
import { loadFamily } from '../../src/discover.ts';
import { isCandidate } from '../../src/model/family.ts';
import { renderVariant } from '../../src/render/render.ts';
import { enumerate } from '../../src/space/enumerate.ts';
import { groupBy } from '../../src/util/group-by.ts';
import { testContext, testToolchain } from '../helpers/toolchain.ts';

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
  const context = { ...testContext(), familyFolder: folder };
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
