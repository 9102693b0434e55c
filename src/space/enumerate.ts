import { setImmediate } from 'node:timers/promises';
import { defaultArch } from '../arch/index.ts';
import { UsageError } from '../errors.ts';
import type { Arch } from '../model/arch.ts';
import type { AnyFamily, Constraint, Preset } from '../model/family.ts';
import type { ParameterValue } from '../model/parameter.ts';
import type { Variant } from '../model/variant.ts';
import { grouped } from '../util/grouped.ts';
import { interruptible } from '../util/interruptible.ts';
import { didYouMean } from '../util/suggest.ts';
import { partsOf } from './parts.ts';
import { type Level, levelsOf, type Rule, type Values } from './plan.ts';
import { evenlySpaced, Rows } from './sample.ts';
import { obstacle } from './support.ts';
import { variantOf } from './variant.ts';
import { type Advance, type Counts, type Narrowing, walk } from './walk.ts';
import { parseWhere } from './where.ts';

export interface EnumerateOptions {
  /** Target architecture. Absent: the default's limits hold, and whether it runs a variant is not asked. */
  readonly arch?: Arch;
  /** One of the family's presets; the whole space if absent. */
  readonly preset?: string;
  /** A condition in the language of `where.ts`. */
  readonly where?: string;
  /** At most this many variants, evenly spaced over the legal ones. */
  readonly limit?: number;
}

/**
 * `points` = `legal` + all of `rejected`, whose keys are the constraints' names, `not-supported` and, where they were
 * asked for, `preset` and `where`. A point is counted under the first that rules it out: preset, where, constraints in
 * order, support. `variants` are the legal points, or an even sample where the preset or `limit` asks for fewer.
 */
export interface Enumeration extends Counts {
  readonly variants: readonly Variant[];
}

/** A variant costs about a kilobyte, and hours to compile this many. */
const mostVariants = 500_000;

/** Enumerates a family's search space. Throws a UsageError for an unknown preset or a malformed `where`. */
export function enumerate(family: AnyFamily, options: EnumerateOptions): Enumeration {
  const enumeration = enumerating(family, options);
  for (;;) {
    const step = enumeration.next();
    if (step.done) return step.value;
  }
}

/** Whether a space has legal points and others, found without looking at more points than that takes. */
export function hasLegal(family: AnyFamily): { readonly some: boolean; readonly all: boolean } {
  const enumeration = enumerating(family, { limit: 0 });
  for (;;) {
    const { done, value } = enumeration.next();
    const { legal } = value;
    const all = legal === ('settled' in value ? value.settled : value.points);
    if (done || (legal > 0 && !all)) return { some: legal > 0, all };
  }
}

/** Milliseconds for which an enumeration keeps everything else waiting, Ctrl-C included. */
const turnMs = 25;

/**
 * The same with a pause every few milliseconds, in which other things happen and `tell` gets to know how far it is. Aborting
 * ends it with the signal's reason.
 */
export async function enumerateInTurns(
  family: AnyFamily,
  options: EnumerateOptions,
  tell: (message: string) => void,
  signal?: AbortSignal,
): Promise<Enumeration> {
  const enumeration = enumerating(family, options);
  for (;;) {
    const step = await interruptible(() => takeTurn(enumeration));
    if (step.done) return step.value;
    await setImmediate();
    signal?.throwIfAborted();
    tell(describeAdvance(step.value));
  }
}

function takeTurn(enumeration: Generator<Advance, Enumeration>): IteratorResult<Advance, Enumeration> {
  const end = performance.now() + turnMs;
  for (;;) {
    const step = enumeration.next();
    if (step.done || performance.now() >= end) return step;
  }
}

function describeAdvance({ settled, points }: Advance): string {
  return `${grouped(settled)} of ${grouped(points)} points looked at`;
}

/** Variants made between two pauses. */
const batch = 64;

function* enumerating(family: AnyFamily, options: EnumerateOptions): Generator<Advance, Enumeration> {
  const levels = levelsOf(family);
  const preset = presetOf(family, options.preset);
  const legal = new Rows(levels.length, mostVariants);
  const rules = rulesOf(family, preset, options);
  const counts = yield* walk(levels, rules, narrowingOf(preset), (_, indices) => legal.push(indices));
  const wanted = Math.min(preset?.sample || Infinity, options.limit ?? Infinity);
  if (Math.min(counts.legal, wanted) > legal.length) throw tooMany(family, counts.legal);
  const variants: Variant[] = [];
  for (const row of evenlySpaced(legal.length, wanted)) {
    if (variants.length % batch === batch - 1) yield { ...counts, settled: counts.points };
    variants.push(variantOf(family, pointAt(levels, legal.at(row)), options.arch));
  }
  return { ...counts, variants };
}

function pointAt(levels: readonly Level[], indices: Uint16Array): Values {
  const value = ({ values }: Level, depth: number) => values[indices[depth] ?? 0] as ParameterValue;
  return Object.fromEntries(levels.map((level, depth) => [level.name, value(level, depth)]));
}

/** Enumeration of a space of this one variant. */
export function alone(variant: Variant): Enumeration {
  return { points: 1, legal: 1, rejected: {}, variants: [variant] };
}

/** Message about a space without a legal point: the constraints that leave nothing, the busiest first. */
export function whyEmpty(
  { name }: AnyFamily,
  { preset, where, arch }: EnumerateOptions,
  { rejected }: Pick<Counts, 'rejected'>,
): string {
  const asked = [
    ...(preset === undefined ? [] : [`preset ${preset}`]),
    ...(where === undefined ? [] : ['--where']),
  ].join(' and ');
  const rules = Object.entries(rejected)
    .filter(([rule, points]) => points > 0 && rule !== 'preset' && rule !== 'where')
    .toSorted(([, a], [, b]) => b - a)
    .map(([rule, points]) => `${rule} ${grouped(points)}`);
  if (rules.length === 0) return `no point fulfils ${asked}`;
  const of = asked === '' ? '' : ` of ${asked}`;
  const on = arch === undefined ? '' : ` on ${arch.name}`;
  return `no point${of} is legal${on}: ruled out by ${rules.join(', ')}; \`npx gen why ${name} <point>\` explains one of them`;
}

function tooMany(family: AnyFamily, legal: number): UsageError {
  const presets = Object.keys(family.presets).join(', ');
  return new UsageError(
    `${family.name} has ${legal} legal variants; ask for at most ${mostVariants}: by a preset (${presets}), --where or --limit`,
  );
}

/** The preset of that name, undefined when none is asked for. */
export function presetOf(family: AnyFamily, name: string | undefined): Preset | undefined {
  if (name === undefined) return undefined;
  if (Object.hasOwn(family.presets, name)) return family.presets[name];
  const names = Object.keys(family.presets);
  throw new UsageError(
    `${family.name} has no preset '${name}': it has ${names.join(', ')}${didYouMean(name, names)}`,
  );
}

/** Rules that make points illegal, in the order in which they are asked. */
export function rulesOf(
  family: AnyFamily,
  preset: Preset | undefined,
  options: Pick<EnumerateOptions, 'arch' | 'where'>,
): Rule[] {
  const all = Object.keys(family.parameters);
  const { arch, where } = options;
  const presetHolds = preset?.holds;
  return [
    ...(presetHolds ? [{ name: 'preset', on: all, holds: presetHolds as Rule['holds'] }] : []),
    ...(where === undefined ? [] : [{ name: 'where', ...parseWhere(where, family) }]),
    ...family.constraints.map((constraint) => ruleOf(constraint, arch ?? defaultArch)),
    ...(arch === undefined ? [] : [supportRule(family, all, arch)]),
  ];
}

function ruleOf({ name, on, holds }: Constraint, arch: Arch): Rule {
  return { name, on, holds: (values) => holds(values as never, arch) };
}

function supportRule(family: AnyFamily, on: readonly string[], arch: Arch): Rule {
  return { name: 'not-supported', on, holds: (values) => obstacle(family, values, arch) === undefined };
}

function narrowingOf(preset: Preset | undefined): Narrowing | undefined {
  if (!preset) return undefined;
  const parts = partsOf(preset).map((part) => {
    const lists = Object.entries(part).flatMap(([name, values]) =>
      values ? [[name, new Set(values)] as const] : [],
    );
    return new Map(lists);
  });
  return { name: 'preset', parts };
}
