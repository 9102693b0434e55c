import { join, resolve } from 'node:path';
import { backends } from '../backends/index.ts';
import { jobVariant } from '../device/job-variant.ts';
import type { GateAnswer, JobCase, Schedule } from '../device/protocol.ts';
import type { DeviceSession } from '../device/session.ts';
import { UsageError } from '../errors.ts';
import type { Artifact } from '../model/artifact.ts';
import type { Backend } from '../model/backend.ts';
import type { AnyFamily } from '../model/family.ts';
import { askedValue } from '../model/operation.ts';
import type { Point } from '../model/parameter.ts';
import type { Variant } from '../model/variant.ts';
import type { GateScope, Verdict } from '../model/verdict.ts';
import type { GateCase } from '../model/workload.ts';
import { interruptible } from '../util/interruptible.ts';
import { schedulesForLaunches, spread } from './schedules.ts';

/** Seed of the first schedule when nobody asks for another. */
const firstSeed = 1;

/**
 * Puts a compiled variant through its family's cases on a device. Never throws for what the variant does. `vendor`: whether the
 * vendor's library is asked too, where the device has one. `dump`: folder that gets a folder of .npy files for each case.
 */
export async function gateVariant(
  session: DeviceSession,
  artifact: Artifact,
  family: AnyFamily,
  options: GateScope & { readonly vendor?: boolean; readonly dump?: string | undefined } = { depth: 'quick' },
): Promise<Verdict> {
  const { variant } = artifact.source;
  const { device } = session.info;
  const backend = backends[device];
  const all = await interruptible(() => casesOf(family, variant, options));
  const { cases, schedules } = plan(all, backend, options);
  const { verdict, evidence } = await session.gate({
    variant: jobVariant(artifact),
    cases,
    schedules,
    vendor: options.vendor ?? backend.vendor,
    ...(options.dump !== undefined && {
      dump: join(resolve(options.dump), variant.id.replaceAll(/[^\w.,=-]/g, '_')),
    }),
  });
  const { gpu } = session;
  return { variant: variant.id, device, ...(gpu !== undefined && { gpu }), verdict, evidence };
}

/**
 * Answers of other projects' acceptance rules on one launch of one case, and the verdict on that launch. Threads
 * run in order and copies land at once, without a detector: how a defect looks on a lucky GPU.
 */
export async function askRules(
  session: DeviceSession,
  artifact: Artifact,
  family: AnyFamily,
  id: string,
): Promise<GateAnswer> {
  const scope = { depth: 'full', case: id } as const;
  const [item] = await interruptible(() => casesOf(family, artifact.source.variant, scope));
  if (!item) throw new Error(`no case ${id}`);
  return session.gate({
    variant: jobVariant(artifact),
    cases: [{ ...item, launches: 1 }],
    schedules: [{ seed: firstSeed, async: 'now', order: 'in-order', detect: false, preempt: 0, lag: 0 }],
    vendor: false,
    opinions: true,
  });
}

/** The cases for whose operands a kind of device has addresses. */
export function possibleOn({ reserves }: Backend, cases: readonly GateCase[]): readonly GateCase[] {
  return cases.filter(({ reserved }) => !reserved || reserves);
}

function plan(
  cases: readonly GateCase[],
  backend: Backend,
  { depth, seed }: GateScope,
): { cases: readonly JobCase[]; schedules: readonly Schedule[] } {
  const { seeded, maxLaunches } = backend;
  const short = possibleOn(backend, cases).map((item) => ({
    ...item,
    launches: Math.min(item.launches ?? 1, maxLaunches),
  }));
  if (!seeded) return { cases: short, schedules: [] };
  const schedules = schedulesForLaunches(seed ?? firstSeed, maxLaunches);
  const alone = short.map((item) => ({ ...item, schedules: [0] }));
  return { cases: seed === undefined ? spread(short, schedules, depth) : alone, schedules };
}

/** A variant may serve no operation value that the gate does not test. */
function mustCover(
  { name, operation, serves }: AnyFamily,
  variant: Variant,
  cases: readonly GateCase[],
): void {
  const run = cases.filter(({ refuses }) => refuses === undefined);
  for (const [choice, values] of Object.entries(serves(variant.parameters))) {
    const asked = run.map(({ problem }) => askedValue(operation, choice, problem));
    const untried = values.find((value) => !asked.includes(value));
    if (untried === undefined) continue;
    throw new UsageError(
      `${name}: ${variant.id} says that it serves ${choice} = ${untried}, and no case of the gate has that; add one to cases()`,
    );
  }
}

function casesOf(family: AnyFamily, variant: Variant, options: GateScope): readonly GateCase[] {
  const point = variant.parameters as Point;
  const cases = family.cases(point, options.depth);
  mustCover(family, variant, cases);
  if (options.case === undefined) return cases;
  const chosen = [...cases, ...family.cases(point, 'full')].find(({ id }) => id === options.case);
  if (chosen) return [chosen];
  const known = family.cases(point, 'full').map(({ id }) => id);
  throw new UsageError(`${variant.id} has no gate case '${options.case}'; there are: ${known.join(', ')}`);
}
