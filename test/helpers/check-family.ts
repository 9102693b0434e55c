import type { DiscoveredFamily } from '../../src/discover.ts';
import type { LintFinding } from '../../src/render/finding.ts';
import { lintFamily } from '../../src/render/lint.ts';
import { enumerate } from '../../src/space/enumerate.ts';

/**
 * Lints a family's templates against what its presets make of its space, whatever the arch: a space may be too large to
 * look at every variant.
 */
export function checkFamily({ family, folder }: Pick<DiscoveredFamily, 'family' | 'folder'>): LintFinding[] {
  const presets = Object.keys(family.presets);
  const variants = presets.flatMap((preset) => enumerate(family, { preset, limit: 5000 }).variants);
  const unused = family.templates.filter((file) => !variants.some(({ template }) => template === file));
  return [
    ...unused.map((file) => ({
      file,
      line: 1,
      column: 1,
      message: 'no preset has a variant of this template',
    })),
    ...lintFamily(family, folder, variants),
  ];
}
