import { z } from 'zod';
import { UsageError } from '../errors.ts';
import type { Arch } from '../model/arch.ts';
import type { AnyFamily, Preset } from '../model/family.ts';
import type { Operation } from '../model/operation.ts';
import type { ParameterValue, Point } from '../model/parameter.ts';
import type { GateCase, Workload } from '../model/workload.ts';
import { wordAt } from '../util/place.ts';
import { type Author, thrownBy } from './author.ts';
import { idOf } from './id.ts';
import { guard, type Values } from './plan.ts';
import { reservedNames } from './reserved.ts';
import { findServedProblems } from './validate-operation.ts';

/** One function of a family as messages speak of it. */
interface Task<A extends readonly unknown[]> {
  readonly name: string;
  /** Finds the function in the family's files. */
  readonly at: RegExp;
  /** What it must give. */
  readonly wanted: Wanted;
  /** What it was asked about: `for my_op.t64`. */
  readonly about: (first: A[0], second: A[1]) => string;
}

/** What an answer must be, in words, and what is wrong with one that is not; undefined where nothing is. */
interface Wanted {
  readonly words: string;
  readonly wrong: (value: unknown) => string | undefined;
}

const tiers = [1, 2, 3, 4, 5, 6, 7];
const count = z.number().int().nonnegative();
const boolean = wanted('true or false', (value) => typeof value === 'boolean');
const number = wanted('a finite number', Number.isFinite);
const rank = wanted('a whole number from 0', (value) => Number.isInteger(value) && Number(value) >= 0);
const reason = wanted(
  'a reason, or undefined where the arch will do',
  (value) => value === undefined || (typeof value === 'string' && value !== ''),
);
const features = shaped('an object of numbers', z.record(z.string(), z.number()));
const budget = shaped(
  'a budget',
  z.strictObject({
    threads: count.min(1),
    sharedBytes: count,
    maxRegisters: count.optional(),
    maxSpillBytes: count.optional(),
  }),
);
const gateCaseSchema = z.strictObject({
  id: z.string().min(1, 'is empty'),
  problem: z.record(z.string(), z.unknown()).refine(isJson, 'holds something that JSON cannot carry'),
  tier: z
    .number()
    .refine((tier) => tiers.includes(tier), `there is no such tier; there are ${tiers.join(', ')}`),
  launches: count.min(1).optional(),
  multiprocessors: count.min(1).optional(),
  refuses: z.string().min(1, 'is empty: every reason contains it').optional(),
} satisfies Record<keyof GateCase, z.ZodType>);
const cases: Wanted = {
  words: 'a list of gate cases',
  wrong: (value) => {
    const { error, data } = z.array(gateCaseSchema).min(1, 'needs at least one case').safeParse(value);
    if (error) return listed(error);
    const ids = data.map(({ id }) => id);
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    return twice === undefined ? undefined : `two cases have the id '${twice}'`;
  },
};

function wanted(words: string, fits: (value: unknown) => boolean): Wanted {
  return { words, wrong: (value) => (fits(value) ? undefined : `gave ${shown(value)}`) };
}

function oneOf(words: readonly string[]): Wanted {
  const fits = (value: unknown) => typeof value === 'string' && words.includes(value);
  return wanted(`one of templates (${words.join(', ')})`, fits);
}

/** Plain values under names that nothing else has. */
function derivedBeside(parameters: readonly string[]): Wanted {
  const wrong = (values: unknown) => {
    if (!isRecord(values)) return `gave ${shown(values)}`;
    for (const [name, value] of Object.entries(values)) {
      const plain = ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
      if (!plain) return `gave ${name} = ${shown(value)}`;
      if (!/^[A-Za-z_]\w*$/.test(name)) return `'${name}' is no C identifier`;
      if (parameters.includes(name)) return `'${name}' is a parameter: rename it`;
      if (reservedNames.includes(name)) return `'${name}' is a word of templates: rename it`;
    }
    return undefined;
  };
  return { words: 'an object of numbers, texts and booleans', wrong };
}

/** Values of the operation's choices and sizes. */
function servedOf(operation: Operation): Wanted {
  const schema = z.record(z.string(), z.array(z.union([z.string(), z.number()])).min(1));
  const wrong = (values: unknown) => {
    const { data, error } = schema.safeParse(values);
    return error ? listed(error) : findServedProblems(operation, data)[0];
  };
  return { words: 'lists of values, by choice or size of the operation', wrong };
}

function shaped(words: string, schema: z.ZodType): Wanted {
  return {
    words,
    wrong: (value) => {
      const { error } = schema.safeParse(value);
      return error && listed(error);
    },
  };
}

function listed({ issues }: z.ZodError): string {
  const shownIssues = issues.slice(0, 3).map(({ path, message }) => {
    const place = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
    return place === '' ? message : `${place.replace(/^\./, '')}: ${message}`;
  });
  return shownIssues.join('; ');
}

/** What is undefined is left out on the way to the runner. */
function isJson(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value !== 'object' || isPromise(value)) return false;
  return Object.values(value).every(isJson);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80));
  if (typeof value === 'function') return 'a function';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/**
 * The family with its functions watched: one that throws, gives a promise or something else than it must is the author's
 * mistake, a UsageError with the place in their files and the variant. Each is handed a copy of the point that refuses to tell
 * of a parameter which the family does not have.
 */
export function guardFamily(family: AnyFamily, author: Author): AnyFamily {
  const watch = watcher(author);
  const activations = family.activations.map((one) => ({
    ...one,
    active: watch(ruleTask(`activation of '${one.parameter}'`, one.parameter), one.active as Rule),
  }));
  const constraints = family.constraints.map((one) => ({
    ...one,
    holds: watch(ruleTask(`constraint '${one.name}'`, one.name), one.holds as Rule),
  }));
  const presets = Object.entries(family.presets).map(
    ([name, preset]) => [name, guardPreset(name, preset, watch, viewer(family))] as const,
  );
  return {
    ...family,
    ...{ activations, constraints, presets: Object.fromEntries(presets) },
    ...guardMaking(family, watch),
    ...guardJudging(family, watch),
    ...guardOptional(family, watch),
  };
}

/** What becomes of a point when it is made a variant. */
function guardMaking(family: AnyFamily, watch: Watch) {
  const sees = viewer(family);
  const onPoint = <R>(name: string, wanted: Wanted, own: (point: Point, arch: Arch) => R) =>
    watch(taskFor(family, name, wanted), (point: Point, arch: Arch) => own(sees(point), arch));
  const plain = taskFor(family, 'deterministic', boolean);
  const derived = derivedBeside(Object.keys(family.parameters));
  return {
    template: watch(taskFor(family, 'template', oneOf(family.templates)), (point: Point) =>
      family.template(sees(point)),
    ),
    derive: onPoint('derive', derived, (point, arch) => family.derive(point, arch)),
    budget: onPoint('budget', budget, (point, arch) => family.budget(point, arch)),
    serves: watch(taskFor(family, 'serves', servedOf(family.operation)), (point: Point) =>
      family.serves(sees(point)),
    ),
    deterministic: watch(plain, (point: Point) => family.deterministic(sees(point))),
    notSupported: onPoint('notSupported', reason, (point, arch) => family.notSupported(point, arch)),
  };
}

/** What a variant is for, and how it is put to the test. */
function guardJudging(family: AnyFamily, watch: Watch) {
  const task = (name: string, wanted: Wanted) => taskFor(family, name, wanted);
  const sees = viewer(family);
  return {
    cases: watch(task('cases', cases), (point: Point, depth: 'quick' | 'full') =>
      family.cases(sees(point), depth),
    ),
    priority: watch(task('priority', number), (point: Point, workload: Workload) =>
      family.priority(sees(point), workload),
    ),
  };
}

function guardOptional(family: AnyFamily, watch: Watch): Partial<AnyFamily> {
  const { features: describe, applies, generality, accuracy, l2Bytes } = family;
  const sees = viewer(family);
  const onWorkload = { about: ({ id }: Workload) => `for workload '${id}'` };
  const onPoint = (name: string, own: NonNullable<AnyFamily['generality']>) =>
    watch(taskFor(family, name, rank), (point: Point) => own.call(family, sees(point)));
  return {
    ...(applies && {
      applies: watch(taskFor(family, 'applies', boolean), (point: Point, workload: Workload) =>
        applies.call(family, sees(point), workload),
      ),
    }),
    ...(generality && { generality: onPoint('generality', generality) }),
    ...(accuracy && { accuracy: onPoint('accuracy', accuracy) }),
    ...(describe && {
      features: watch({ ...taskFor(family, 'features', features), ...onWorkload }, describe),
    }),
    ...(l2Bytes && {
      l2Bytes: watch(
        { ...taskFor(family, 'l2Bytes', number), ...onWorkload },
        (workload: Workload, flops: number) => l2Bytes.call(family, workload, flops),
      ),
    }),
  };
}

/** A function that is asked about a point, and maybe a workload. */
function taskFor(family: AnyFamily, name: string, wanted: Wanted) {
  const about = (point: Point, second?: unknown) => {
    const workload = isRecord(second) ? ` on workload '${second.id}'` : '';
    return `for ${idOfPoint(family, point)}${workload}`;
  };
  return { name: `${name}()`, at: fieldNamed(name), wanted, about };
}

type Rule = (values: Readonly<Values>) => boolean;
type Watch = ReturnType<typeof watcher>;

function watcher(author: Author) {
  return <A extends readonly unknown[], R>(
    task: Task<NoInfer<A>>,
    own: (...args: A) => R,
  ): ((...args: A) => R) =>
    (...args) => {
      let value: R;
      try {
        value = own(...args);
      } catch (error) {
        throw thrownBy(author, task.at, `${task.name} ${task.about(args[0], args[1])}`, error);
      }
      if (isPromise(value)) value.then(undefined, () => {}); // its rejection would end the process
      const wrong = isPromise(value) ? 'gave a promise: write it without async' : task.wanted.wrong(value);
      if (wrong === undefined) return value;
      const place = author.find(task.at);
      throw new UsageError(
        `${place}: ${task.name} ${task.about(args[0], args[1])} must give ${task.wanted.words}; ${wrong}`,
      );
    };
}

function ruleTask(name: string, word: string): Task<readonly [Readonly<Values>]> {
  const about = (values: Readonly<Values>) =>
    `at ${Object.entries(values)
      .map(([parameter, value]) => `${parameter}=${value}`)
      .join(', ')}`;
  return { name, at: wordAt(word), wanted: boolean, about };
}

function guardPreset(name: string, preset: Preset, watch: Watch, sees: ReturnType<typeof viewer>): Preset {
  const { holds } = preset;
  if (!holds) return preset;
  const task = { ...ruleTask(`holds() of preset '${name}'`, name), at: fieldNamed('holds') };
  return { ...preset, holds: watch(task, (point: Readonly<Values>) => holds.call(preset, sees(point))) };
}

/** Copies a plain point into one object that refuses every name but the family's parameters. */
function viewer(family: AnyFamily): (point: Point) => Values {
  const names = Object.keys(family.parameters);
  const view = guard(names, family.name)();
  return (point) => {
    for (const name of names) view[name] = point[name] as ParameterValue;
    return view;
  };
}

function idOfPoint(family: AnyFamily, point: Point): string {
  try {
    return idOf(family, point);
  } catch {
    return 'a point'; // of illegal values: its id cannot be told
  }
}

/** `derive: …`, `derive(…) {`, `derive,`. */
function fieldNamed(name: string): RegExp {
  return new RegExp(`^\\s*(async\\s+)?${name}\\s*[:(,]`);
}
