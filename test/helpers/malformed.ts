import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultArch } from '../../src/arch/index.ts';
import { loadFamily } from '../../src/discover.ts';
import { mustLint } from '../../src/render/lint.ts';
import { renderVariant } from '../../src/render/render.ts';
import { newKernel } from '../../src/scaffold.ts';
import { select } from '../../src/select/policy.ts';
import { enumerate } from '../../src/space/enumerate.ts';
import { folderOf } from './folder.ts';
import { edit } from './gen.ts';

/** Parts of a family that `gen new kernel` leaves to defaults, spelt out. */
const defaults = `
  activations: [],
  templates: ['kernel.cu.hbs'],
  template: () => 'kernel.cu.hbs',
  budget: ({ threads }) => ({ threads, sharedBytes: 0 }),
  deterministic: () => true,
`;

export interface Made {
  readonly root: string;
  readonly folder: string;
}

/** A new family as `gen new kernel my-op` makes it; gone after the test, unless the caller keeps its folder. */
export function shortFamily(kept?: string[]): Made {
  const root = kept ? mkdtempSync(join(tmpdir(), 'tilewright-')) : folderOf();
  kept?.push(root);
  return { root, folder: newKernel('my-op', root) };
}

/** The same with nothing left to defaults. */
export function newFamily(kept?: string[]): Made {
  const { root, folder } = shortFamily(kept);
  breakFile(folder, 'family.ts', '  parameters: specs,\n', `  parameters: specs,${defaults}`);
  return { root, folder };
}

/** Replaces the first occurrence; a text that is not there is a mistake of the test. */
export function breakFile(folder: string, file: string, from: string | RegExp, to: string): void {
  edit(join(folder, file), (text) => {
    const changed = text.replace(from, to);
    if (changed === text) throw new Error(`${file} has no ${from}`);
    return changed;
  });
}

/** Calls everything that a sweep asks of a family's TypeScript and templates. */
export async function useFamily(root: string, folder: string): Promise<void> {
  const { family } = await loadFamily('my-op', { root });
  for (const preset of Object.keys(family.presets)) {
    const { variants } = enumerate(family, { arch: defaultArch, preset });
    mustLint(family, folder, variants);
    for (const variant of variants) renderVariant(family, folder, variant);
    for (const { parameters } of variants)
      for (const depth of ['quick', 'full'] as const) family.cases(parameters, depth);
    select(family, variants, []);
  }
  for (const workload of family.workloads) {
    family.features?.(workload);
    family.l2Bytes?.(workload, 1);
  }
}
