import type { ParameterValue } from '../model/parameter.ts';
import { type Judge, judgeOf } from './judge.ts';
import { guard, type Level, type Rule, type Values } from './plan.ts';

/** Counts of one walk. `points` is what there is without any rule: `legal` plus all of `rejected`. */
export interface Counts {
  readonly points: number;
  readonly legal: number;
  readonly rejected: Record<string, number>;
}

/** Parts of the space, of which a point must be in one: what each allows, by parameter. */
export interface Narrowing {
  readonly name: string;
  readonly parts: readonly Part[];
}

type Part = ReadonlyMap<string, ReadonlySet<ParameterValue>>;

interface Step {
  readonly level: Level;
  /** Whether some part of the narrowing says anything of this parameter. */
  readonly narrowed: boolean;
  readonly active: Judge;
  /** Depths of the parameters that decide whether this one is active. */
  readonly activeReads: readonly number[];
  readonly rules: readonly { readonly name: string; readonly holds: Judge }[];
}

/** Progress of a walk: points visited or ruled out, of all. */
export interface Advance {
  readonly settled: number;
  /** Of those settled. */
  readonly legal: number;
  readonly points: number;
}

/** Steps of a walk after which it pauses: a few milliseconds' worth. */
const stride = 1024;

/**
 * Visits every legal point depth first, parameters in order of declaration. A rule is asked as soon as the last
 * parameter it reads has a value; where it says no, the whole subtree is skipped and its number of points is counted
 * under the rule's name. An inactive parameter takes its first value and adds no points.
 *
 * `visit` sees one object that is changed in place, and the index of each parameter's value: copy what you keep. The walk
 * pauses now and then, so that who drives it can do something else.
 */
export function* walk(
  levels: readonly Level[],
  rules: readonly Rule[],
  narrowing: Narrowing | undefined,
  visit: (values: Readonly<Values>, indices: readonly number[]) => void,
): Generator<Advance, Counts> {
  const place = new Place(stepsOf(levels, rules, narrowing), narrowing);
  const { points } = place;
  const tally = new Tally([...(narrowing ? [narrowing] : []), ...rules]);
  // A stack by hand, since a recursion could not pause: of the parameters with a choice, of which many have none.
  const frames: Frame[] = levels.map(() => ({ depth: 0, next: 0, count: 0, parts: undefined }));
  let top = -1;
  /** Gives values from `depth` on as long as there is no choice; the parameter that has one gets a frame. */
  const descend = (from: number, above: Frame['parts']) => {
    let parts = above;
    for (let depth = from; ; depth++) {
      const count = place.choices(depth);
      const frame = frames[top + 1];
      if (count > 1 && frame) {
        top++;
        Object.assign(frame, { depth, next: 0, count, parts });
        return;
      }
      if (count === 0) {
        tally.admit();
        return visit(place.values, place.indices);
      }
      const broken = place.take(depth, 0, parts);
      if (broken !== undefined) return tally.refuse(broken, place.size(depth + 1));
      parts = place.left;
    }
  };
  descend(0, narrowing?.parts);
  for (let turn = 1; top >= 0; turn++) {
    if (turn % stride === 0) yield { settled: tally.settled, legal: tally.legal, points };
    const { depth, next, count, parts } = frames[top] as Frame;
    if (next === count) {
      top--;
      continue;
    }
    (frames[top] as Frame).next++;
    const broken = place.take(depth, next, parts);
    if (broken === undefined) descend(depth + 1, place.left);
    else tally.refuse(broken, place.size(depth + 1));
  }
  return { points, legal: tally.legal, rejected: tally.rejected };
}

/** The values of one parameter that are still to be taken. */
interface Frame {
  depth: number;
  next: number;
  count: number;
  /** Parts of the narrowing that the values so far leave. */
  parts: readonly Part[] | undefined;
}

/** The present point of a walk, as far as it has values. */
class Place {
  readonly values: Values;
  readonly indices: number[];
  /** Number of points below a depth. */
  readonly size: (depth: number) => number;
  readonly points: number;
  /** Parts of the narrowing that the value taken last leaves. */
  left: Frame['parts'];
  readonly #steps: readonly Step[];
  readonly #narrowing: string | undefined;
  /** Whether each parameter matters, given those before it. */
  readonly #active: boolean[];

  constructor(steps: readonly Step[], narrowing: Narrowing | undefined) {
    const names = steps.map(({ level }) => level.name);
    this.values = guard(names, 'the family')();
    this.indices = steps.map(() => 0);
    this.size = subtreeSizes(steps, this.values, this.indices);
    this.points = this.size(0);
    this.#steps = steps;
    this.#narrowing = narrowing?.name;
    this.#active = steps.map(() => true);
    steps.forEach((_, depth) => {
      this.#set(depth, 0);
    });
  }

  /** Number of values that the parameter at a depth may take; 0 where there is none any more. */
  choices(depth: number): number {
    const step = this.#steps[depth];
    if (!step) return 0;
    const active = step.active(this.values, this.indices);
    this.#active[depth] = active;
    return active ? step.level.values.length : 1;
  }

  /** Gives a parameter a value; the name of what rules that out, if something does. */
  take(depth: number, index: number, parts: Frame['parts']): string | undefined {
    const step = this.#steps[depth] as Step;
    // A value that is there already is not written again: most are of parameters that do not matter.
    if (this.indices[depth] !== index) this.#set(depth, index);
    this.left = parts;
    if (parts && step.narrowed && this.#active[depth]) {
      this.left = partsWith(parts, step.level.name, step.level.values[index] as ParameterValue);
      if (this.left.length === 0) return this.#narrowing;
    }
    return step.rules.length === 0 ? undefined : firstBroken(step.rules, this.values, this.indices);
  }

  #set(depth: number, index: number): void {
    const { level } = this.#steps[depth] as Step;
    this.values[level.name] = level.values[index] as ParameterValue;
    this.indices[depth] = index;
  }
}

/** Counts of a walk under way. */
class Tally {
  legal = 0;
  settled = 0;
  readonly rejected: Record<string, number> = {};

  constructor(rules: readonly { readonly name: string }[]) {
    for (const { name } of rules) this.rejected[name] = 0;
  }

  admit(): void {
    this.legal++;
    this.settled++;
  }

  refuse(rule: string, points: number): void {
    this.rejected[rule] = (this.rejected[rule] ?? 0) + points;
    this.settled += points;
  }
}

function partsWith(parts: readonly Part[], name: string, value: ParameterValue): readonly Part[] {
  return parts.filter((part) => part.get(name)?.has(value) ?? true);
}

function firstBroken(rules: Step['rules'], values: Values, indices: readonly number[]): string | undefined {
  for (const rule of rules) if (!rule.holds(values, indices)) return rule.name;
  return undefined;
}

function stepsOf(levels: readonly Level[], rules: readonly Rule[], narrowing: Narrowing | undefined): Step[] {
  const depthOf = new Map(levels.map((level, depth) => [level.name, depth]));
  const readsOf = (rule: Rule) => rule.on.map((name) => depthOf.get(name) ?? 0);
  return levels.map((level, depth) => ({
    level,
    narrowed: narrowing?.parts.some((part) => part.has(level.name)) ?? false,
    active: level.activation ? judgeOf(level.activation, levels) : () => true,
    activeReads: level.activation ? readsOf(level.activation) : [],
    rules: rules
      .filter((rule) => Math.max(0, ...readsOf(rule)) === depth)
      .map((rule) => ({ name: rule.name, holds: judgeOf(rule, levels) })),
  }));
}

/**
 * Number of points below a depth, given the values above it. It depends only on those earlier parameters that some
 * later activation reads, so it is computed once per combination of these. Leaves values at and below `depth` changed.
 */
function subtreeSizes(steps: readonly Step[], values: Values, indices: number[]): (depth: number) => number {
  const readFrom = steps.map((_, depth) => [
    ...new Set(steps.slice(depth).flatMap(({ activeReads }) => activeReads.filter((read) => read < depth))),
  ]);
  const known = steps.map(() => new Map<number, number>());
  const keyOf = (depth: number) => {
    let key = 0;
    for (const read of readFrom[depth] ?? []) {
      key = key * (steps[read]?.level.values.length ?? 1) + (indices[read] ?? 0);
    }
    return key;
  };
  const size = (depth: number): number => {
    const step = steps[depth];
    if (!step) return 1;
    const key = keyOf(depth);
    const found = known[depth]?.get(key);
    if (found !== undefined) return found;
    const count = step.active(values, indices) ? step.level.values.length : 1;
    let total = 0;
    for (let index = 0; index < count; index++) {
      values[step.level.name] = step.level.values[index] as ParameterValue;
      indices[depth] = index;
      total += size(depth + 1);
    }
    known[depth]?.set(key, total);
    return total;
  };
  return size;
}
