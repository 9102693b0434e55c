import type { DiscoveredFamily } from './discover.ts';
import type { LintFinding } from './render/finding.ts';
import { lintFamily } from './render/lint.ts';
import { enumerate } from './space/enumerate.ts';

/** More than any sensible space has; beyond it, an even sample stands for the whole. */
const enough = 50_000;

/** Lints a family's templates against its whole space, whatever arch or preset is to be built. */
export function checkFamily({ family, folder }: DiscoveredFamily): LintFinding[] {
  return lintFamily(family, folder, enumerate(family, { limit: enough }).variants);
}
