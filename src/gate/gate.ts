import { jobVariant } from '../device/job-variant.ts';
import type { JobCase, Schedule } from '../device/protocol.ts';
import type { DeviceSession } from '../device/session.ts';
import { UsageError } from '../errors.ts';
import type { Artifact } from '../model/artifact.ts';
import type { AnyFamily } from '../model/family.ts';
import type { Point } from '../model/parameter.ts';
import type { Variant } from '../model/variant.ts';
import type { GateScope, Verdict } from '../model/verdict.ts';
import type { GateCase } from '../model/workload.ts';
import { schedulesForLaunches, spread } from './schedules.ts';

/** Seed of the first schedule when nobody asks for another. */
const firstSeed = 1;
/** Launches in a row that the emulated device has time for. */
const maxEmulatedLaunches = 3;

/** Puts a compiled variant through its family's cases on a device. Never throws for what the variant does. */
export async function gateVariant(
  session: DeviceSession,
  artifact: Artifact,
  family: AnyFamily,
  options: GateScope = { depth: 'quick' },
): Promise<Verdict> {
  const { variant } = artifact.source;
  const { device } = session.info;
  const { cases, schedules } = plan(casesOf(family, variant, options), device === 'emulated', options);
  const { verdict, evidence } = await session.gate({
    variant: jobVariant(artifact),
    cases,
    schedules,
    vendor: device === 'cuda',
  });
  return { variant: variant.id, device, verdict, evidence };
}

function plan(
  cases: readonly GateCase[],
  emulated: boolean,
  { depth, seed }: GateScope,
): { cases: readonly JobCase[]; schedules: readonly Schedule[] } {
  if (!emulated) return { cases, schedules: [] };
  const schedules = schedulesForLaunches(seed ?? firstSeed, maxEmulatedLaunches);
  const short = cases.map((item) => ({
    ...item,
    launches: Math.min(item.launches ?? 1, maxEmulatedLaunches),
  }));
  const alone = short.map((item) => ({ ...item, schedules: [0] }));
  return { cases: seed === undefined ? spread(short, schedules, depth) : alone, schedules };
}

function casesOf(family: AnyFamily, variant: Variant, options: GateScope): readonly GateCase[] {
  const point = variant.parameters as Point;
  const cases = family.cases(point, options.depth);
  if (options.case === undefined) return cases;
  const chosen = [...cases, ...family.cases(point, 'full')].find(({ id }) => id === options.case);
  if (chosen) return [chosen];
  const known = family.cases(point, 'full').map(({ id }) => id);
  throw new UsageError(`${variant.id} has no gate case '${options.case}'; there are: ${known.join(', ')}`);
}
