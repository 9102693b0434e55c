// Comparison of timed sources with those that a family renders today.
import { archNamed } from '../arch/index.ts';
import type { DiscoveredFamily } from '../discover.ts';
import { renderVariant } from '../render/render.ts';
import { findPoint } from '../space/id.ts';
import { variantOf } from '../space/variant.ts';

/** Whether a digest is that of the source that the family renders for a variant today, or of one with its machine code. */
export function sourcesOfToday(
  { family, folder, wisdom }: DiscoveredFamily,
  archName: string,
): (variant: string, source: string) => boolean {
  const arch = archNamed(archName);
  const { sameCode = {} } = wisdom.find((one) => one.arch === archName) ?? {};
  const digests = new Map<string, string | undefined>();
  const render = (id: string) => {
    const point = findPoint(family, id);
    return point && renderVariant(family, folder, variantOf(family, point, arch)).hash;
  };
  return (variant, source) => {
    if (!digests.has(variant)) digests.set(variant, render(variant));
    const today = digests.get(variant);
    return today !== undefined && (sameCode[source] ?? source) === today;
  };
}
