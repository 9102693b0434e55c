import { join } from 'node:path';
import { describeFinding, type LintFinding } from '../render/finding.ts';
import { lintFamily } from '../render/lint.ts';
import { enumerate } from '../space/enumerate.ts';
import type { Subject } from './contract.ts';

/** A space may be too large to look at every variant. */
const variantsPerPreset = 5000;

/** Lint findings of a family's templates, over the variants of its presets, whatever the arch. */
export function lintProblems({ family, folder }: Subject): string[] {
  const presets = Object.keys(family.presets);
  const variants = presets.flatMap(
    (preset) => enumerate(family, { preset, limit: variantsPerPreset }).variants,
  );
  const unused = family.templates.filter((file) => !variants.some(({ template }) => template === file));
  const idle = unused.map((file): LintFinding => {
    return { file, line: 1, column: 1, message: 'no preset has a variant of this template' };
  });
  const findings = [...idle, ...lintFamily(family, folder, variants)];
  return findings.map((finding) => describeFinding({ ...finding, file: join(folder, finding.file) }));
}
