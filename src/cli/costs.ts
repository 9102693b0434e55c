import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { archNamed } from '../arch/index.ts';
import { loadFamily } from '../discover.ts';
import { UsageError } from '../errors.ts';
import type { RunEvidence } from '../model/evidence.ts';
import type { AnyFamily } from '../model/family.ts';
import type { Variant } from '../model/variant.ts';
import { costsOf } from '../report/costs.ts';
import { jsonText } from '../report/json-text.ts';
import { commonSubject, withoutOverlapping } from '../report/wisdom.ts';
import { enumerate } from '../space/enumerate.ts';
import { findPoint, idOf } from '../space/id.ts';
import { makeFolder, onDisk } from '../util/disk.ts';
import { configOf } from './prepare.ts';
import type { ReportOptions } from './report.ts';

/** `gen report --costs`: weights of the family's cost model, by the times of variants of the preset `shipped`. */
export async function writeCosts(
  file: string,
  evidences: readonly RunEvidence[],
  options: ReportOptions,
): Promise<void> {
  const { families } = await configOf({ ...options, install: false });
  const { family: name, arch } = commonSubject(evidences);
  const { family } = await loadFamily(name, { families });
  if (!family.cost) throw new UsageError(`${name} has no cost model: \`cost\` in its family.ts`);
  const preset = family.presets.shipped && 'shipped';
  const { variants } = enumerate(family, { arch: archNamed(arch), ...(preset && { preset }) });
  const costs = costsOf(
    family,
    evidences.map((one) => ofCalls(family, one)),
    byAnyId(family, variants),
  );
  onDisk(`make ${dirname(file)}`, () => makeFolder(dirname(file)), 'name another file with --costs');
  onDisk(
    `write ${file}`,
    () => writeFileSync(file, `${jsonText(costs)}\n`),
    'name another file with --costs',
  );
}

/** The evidence without times of launches that overlap: a call takes longer. */
export function ofCalls(family: AnyFamily, evidence: RunEvidence): RunEvidence {
  return withoutOverlapping(evidence, (id) => {
    const point = findPoint(family, id);
    return point !== undefined && (family.overlapsLaunches?.(point) ?? false);
  });
}

/** A variant by its id of today, or as another day's evidence has it. */
export function byAnyId(
  family: AnyFamily,
  variants: readonly Variant[],
): (id: string) => Variant | undefined {
  const today = new Map(variants.map((variant) => [variant.id, variant]));
  const known = new Map<string, Variant | undefined>();
  const find = (id: string) => {
    const point = findPoint(family, id);
    return point && today.get(idOf(family, point));
  };
  return (id) => {
    if (!known.has(id)) known.set(id, find(id));
    return known.get(id);
  };
}
