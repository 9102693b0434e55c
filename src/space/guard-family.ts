import { UsageError } from '../errors.ts';
import { type Arch, arithmetics } from '../model/arch.ts';
import type { AnyFamily, Preset } from '../model/family.ts';
import type { Point } from '../model/parameter.ts';
import type { Workload } from '../model/workload.ts';
import { wordAt } from '../util/place.ts';
import { type Author, thrownBy } from './author.ts';
import { idOf } from './id.ts';
import { isPromise } from './json-value.ts';
import { type Values, viewer } from './plan.ts';
import {
  boolean,
  budget,
  cases,
  derivedBeside,
  features,
  featuresOf,
  isRecord,
  number,
  oneOf,
  rank,
  reason,
  servedOf,
  type Wanted,
} from './wanted.ts';

/** One function of a family as messages speak of it. */
interface Task<A extends readonly unknown[]> {
  readonly name: string;
  /** Finds the function in the family's files. */
  readonly at: RegExp;
  /** Required kind of answer. */
  readonly wanted: Wanted;
  /** Subject of the question: `for my_op.t64`. */
  readonly about: (first: A[0], second: A[1]) => string;
}

/**
 * The family with its functions watched: one that throws, gives a promise or something else than it must is the author's
 * mistake, a UsageError with the place in their files and the variant. Each is handed the point through an object that refuses to tell
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
    ([name, preset]) => [name, guardPreset(name, preset, watch, viewerOf(family))] as const,
  );
  return {
    ...family,
    ...{ activations, constraints, presets: Object.fromEntries(presets) },
    ...guardMaking(family, watch),
    ...guardJudging(family, watch),
    ...guardOptional(family, watch),
  };
}

/** Functions that make a variant of a point. */
function guardMaking(family: AnyFamily, watch: Watch) {
  const sees = viewerOf(family);
  const onPoint = <R>(name: string, wanted: Wanted, own: (point: Point, arch: Arch) => R) =>
    watch(taskFor(family, name, wanted), (point: Point, arch: Arch) => own(sees(point), arch));
  const plain = taskFor(family, 'deterministic', boolean);
  const derived = derivedBeside(Object.keys(family.parameters));
  const derive = onPoint('derive', derived, (point, arch) => family.derive(point, arch));
  const deriving = { ...family, derive };
  return {
    derive,
    template: watch(taskFor(family, 'template', oneOf('templates', family.templates)), (point: Point) =>
      family.template(sees(point)),
    ),
    budget: onPoint('budget', budget, (point, arch) => family.budget.call(deriving, point, arch)),
    serves: remembered(
      watch(taskFor(family, 'serves', servedOf(family.operation)), (point: Point) =>
        family.serves(sees(point)),
      ),
    ),
    deterministic: watch(plain, (point: Point) => family.deterministic(sees(point))),
  };
}

/** Answers about variants' points, which are frozen, are kept: one is asked for again with every call that it may take. */
function remembered<R extends object>(ask: (point: Point) => R): (point: Point) => R {
  const known = new WeakMap<Point, R>();
  return (point) => {
    const answer = known.get(point) ?? ask(point);
    if (Object.isFrozen(point)) known.set(point, answer);
    return answer;
  };
}

const onWorkload = { about: ({ id }: Workload) => `for workload '${id}'` };

/** Functions that gate, rank and select variants. */
function guardJudging(family: AnyFamily, watch: Watch) {
  const task = (name: string, wanted: Wanted) => taskFor(family, name, wanted);
  const sees = viewerOf(family);
  return {
    cases: watch(task('cases', cases), (point: Point, depth: 'quick' | 'full') =>
      family.cases(sees(point), depth),
    ),
    arithmetic: watch(
      { ...task('arithmetic', oneOf('arithmetics', arithmetics)), ...onWorkload },
      (workload: Workload) => family.arithmetic(workload),
    ),
    priority: watch(task('priority', number), (point: Point, workload: Workload) =>
      family.priority(sees(point), workload),
    ),
  };
}

function guardOptional(family: AnyFamily, watch: Watch): Partial<AnyFamily> {
  const { features: describe, applies, generality, accuracy, l2Bytes, needs, notSupported } = family;
  const sees = viewerOf(family);
  const onPoint = (name: string, own: NonNullable<AnyFamily['generality']>) =>
    watch(taskFor(family, name, rank), (point: Point) => own.call(family, sees(point)));
  return {
    ...(applies && {
      applies: watch(taskFor(family, 'applies', boolean), (point: Point, workload: Workload) =>
        applies.call(family, sees(point), workload),
      ),
    }),
    ...(needs && {
      needs: watch(taskFor(family, 'needs', features), (point: Point) => needs.call(family, sees(point))),
    }),
    ...(notSupported && {
      notSupported: watch(taskFor(family, 'notSupported', reason), (point: Point, arch: Arch) =>
        notSupported.call(family, sees(point), arch),
      ),
    }),
    ...(generality && { generality: onPoint('generality', generality) }),
    ...(accuracy && { accuracy: onPoint('accuracy', accuracy) }),
    ...(describe && {
      features: watch(
        { ...taskFor(family, 'features', featuresOf(family.operation)), ...onWorkload },
        describe,
      ),
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
    const workload = isRecord(second) && 'problem' in second ? ` on workload '${second.id}'` : '';
    return `for ${idOfPoint(family, point)}${workload}`;
  };
  return { name: `${name}()`, at: fieldNamed(name), wanted, about };
}

type Rule = (values: Readonly<Values>) => boolean;
type Watch = ReturnType<typeof watcher>;

function watcher(author: Author) {
  // Mistakes that another function of the family's has been blamed for.
  const told = new WeakSet<UsageError>();
  const tell = (mistake: UsageError) => {
    told.add(mistake);
    return mistake;
  };
  return <A extends readonly unknown[], R>(
    task: Task<NoInfer<A>>,
    own: (...args: A) => R,
  ): ((...args: A) => R) =>
    (...args) => {
      let value: R;
      try {
        value = own(...args);
      } catch (error) {
        if (error instanceof UsageError && told.has(error)) throw error;
        throw tell(thrownBy(author, task.at, `${task.name} ${task.about(args[0], args[1])}`, error));
      }
      if (isPromise(value)) value.then(undefined, () => {}); // its rejection would end the process
      const wrong = isPromise(value) ? 'gave a promise: write it without async' : task.wanted.wrong(value);
      if (wrong === undefined) return value;
      const place = author.find(task.at);
      throw tell(
        new UsageError(
          `${place}: ${task.name} ${task.about(args[0], args[1])} must give ${task.wanted.words}; ${wrong}`,
        ),
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

function guardPreset(name: string, preset: Preset, watch: Watch, sees: ReturnType<typeof viewerOf>): Preset {
  const { holds } = preset;
  if (!holds) return preset;
  const task = { ...ruleTask(`holds() of preset '${name}'`, name), at: fieldNamed('holds') };
  return { ...preset, holds: watch(task, (point: Readonly<Values>) => holds.call(preset, sees(point))) };
}

/** Shows a plain point through one object that refuses every name but the family's parameters. */
function viewerOf(family: AnyFamily): (point: Point) => Values {
  return viewer(Object.keys(family.parameters), family.name);
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
