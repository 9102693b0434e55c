import { basename } from 'node:path';
import { z } from 'zod';
import { messageOf, UsageError } from '../errors.ts';
import { type AnyFamily, allWorkloads, type Preset } from '../model/family.ts';
import { operationSchema } from '../model/operation.ts';
import type { Parameter } from '../model/parameter.ts';
import { wordAt } from '../util/place.ts';
import { didYouMean } from '../util/suggest.ts';
import { problemSchema } from './json-value.ts';
import { partsOf } from './parts.ts';
import { reservedNames } from './reserved.ts';
import { findActivationProblems } from './validate-activations.ts';
import { findOperationProblems } from './validate-operation.ts';

const text = z.string().min(1);
const callable = z.custom<(...args: never[]) => unknown>(
  (value) => typeof value === 'function',
  'must be a function',
);
const nameList = z.array(text);
/** Becomes part of file names and C identifiers. */
const word = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;

const valueSchema = z.union(
  [
    z
      .number()
      .int('numbers must be whole: they become part of ids')
      .nonnegative('numbers must not be negative'),
    z.string().regex(word, 'texts must be made of letters, digits, - and _'),
    z.boolean(),
  ],
  'must be a whole number, a text or a boolean',
);

const parameterSchema = z.strictObject({
  label: z
    .string()
    .regex(
      /^([A-Za-z][A-Za-z_]*)?$/,
      'labels are letters only, so that the value after it can be told apart',
    ),
  doc: text,
  values: z.array(valueSchema).min(1, 'needs at least one value'),
  usual: z.record(z.string(), valueSchema).optional(),
  readBy: z.enum(['source', 'launch']).optional(),
});

const workloadSchema = z.strictObject({ id: text, problem: problemSchema });

const partSchema = z.record(z.string(), z.array(z.unknown()).min(1));

const presetSchema = z.strictObject({
  doc: text,
  where: z.union([partSchema, z.array(partSchema).min(1)]).optional(),
  holds: callable.optional(),
  sample: z.number().int().nonnegative().optional(),
  workloads: nameList,
  guessed: nameList.optional(),
});

// `satisfies` makes a field that the model gains and this lacks an error of the type checker.
const familySchema = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]*$/, 'must be lower case letters, digits and -'),
  summary: text.regex(/^[^\r\n]*[^\r\n\\]$/, 'must be one line: it becomes a comment'),
  parameters: z.record(z.string().regex(/^[A-Za-z_]\w*$/, 'must be a C identifier'), parameterSchema),
  activations: z.array(z.object({ parameter: text, on: nameList, active: callable })),
  constraints: z.array(z.object({ name: text, doc: text, on: nameList, holds: callable })),
  presets: z.record(text, presetSchema),
  templates: nameList.min(1, 'needs at least one template'),
  template: callable,
  derive: callable,
  budget: callable,
  needs: callable.optional(),
  notSupported: callable.optional(),
  workloads: z.array(workloadSchema),
  comparisons: z
    .array(workloadSchema.extend({ sibling: text.optional(), rate: z.number().positive().optional() }))
    .optional(),
  cells: z
    .array(
      z.strictObject({ row: text, column: text, problem: problemSchema, usual: problemSchema.optional() }),
    )
    .optional(),
  tensorCores: callable,
  arithmetic: callable,
  applies: callable.optional(),
  operation: operationSchema,
  serves: callable,
  cases: callable,
  matrixProblem: callable.optional(),
  matrixWorkloads: callable.optional(),
  features: callable.optional(),
  generality: callable.optional(),
  accuracy: callable.optional(),
  overlapsLaunches: callable.optional(),
  cost: z.object({ parts: callable, groups: callable }).optional(),
  l2Bytes: callable.optional(),
  priority: callable,
  deterministic: callable,
} satisfies Record<keyof AnyFamily, z.ZodType>);

/** Names that `--json` and the funnel use beside the constraints' own. */
const reservedRules = ['preset', 'where', 'not-supported'];

/** Location of a family. */
export interface FamilyPlace {
  /** Path of its `family.ts`, for messages. */
  readonly file: string;
  /** Name of its folder, which the family must bear. */
  readonly folder: string;
  /** Whether the folder holds a file of that name. */
  readonly has: (file: string) => boolean;
  /** `path:line` of what matches in the family's files, or a path alone. Absent: messages name no lines. */
  readonly find?: (pattern: RegExp) => string;
  /** Place in the family's files at which an error was thrown. */
  readonly blame?: (error: Error) => string | undefined;
}

/** Turns what a `family.ts` exports into a family, or throws one UsageError with everything that is wrong with it. */
export function validateFamily(value: unknown, place: FamilyPlace): AnyFamily {
  const { file, folder, has } = place;
  const parsed = parsedFamily(value, place);
  if (!parsed.success) throw notAFamily(parsed.error, place);
  // The parse has checked every field; functions cannot be typed further than "callable".
  const family = value as AnyFamily;
  const problems = [
    ...(family.name === folder
      ? []
      : [`name is '${family.name}', but the folder is '${folder}': they must be equal`]),
    ...parameterProblems(family),
    ...findActivationProblems(family),
    ...constraintProblems(family),
    ...presetProblems(family),
    ...findOperationProblems(family.operation),
    ...fileProblems(family, has),
    ...repeated(allWorkloads(family).map(({ id }) => id)).map((id) => `two workloads have the id '${id}'`),
    ...comparisonProblems(family),
  ];
  if (problems.length === 0) return family;
  const count = `${problems.length} problem${problems.length === 1 ? '' : 's'}`;
  const lines = problems.map((problem) => `  - ${problem}${lineOf(/'([^']+)'/.exec(problem)?.[1], place)}`);
  throw new UsageError(`${file} has ${count}:\n${lines.join('\n')}`);
}

/** A getter of the family's may throw, and what contains itself has no end. */
function parsedFamily(value: unknown, { file, blame }: FamilyPlace) {
  try {
    return familySchema.safeParse(value);
  } catch (error) {
    const endless = error instanceof RangeError;
    const place = (error instanceof Error && !endless && blame?.(error)) || file;
    const why = endless ? 'it holds an object that contains itself' : `reading it threw: ${messageOf(error)}`;
    throw new UsageError(`${place}: this is not a family: ${why}`, { cause: error });
  }
}

function notAFamily(error: z.ZodError, place: FamilyPlace): UsageError {
  const keys = error.issues.flatMap((issue) => {
    const parts = issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys] : issue.path;
    return parts.findLast((part) => typeof part === 'string') ?? [];
  });
  const line = keys.map((key) => lineOf(key, place)).find((found) => found !== '') ?? '';
  return new UsageError(`${place.file} is not a family${line}:\n${z.prettifyError(error)}`);
}

/** ` (family.ts:12)`, where the word first stands as a text or as the name of a field. */
function lineOf(word: string | undefined, { find }: FamilyPlace): string {
  const found = word !== undefined && find?.(wordAt(word));
  return found && /:\d+$/.test(found) ? ` (${basename(found)})` : '';
}

function fileProblems({ templates, operation }: AnyFamily, has: FamilyPlace['has']): string[] {
  const purposes = {
    ...Object.fromEntries(templates.map((name) => [name, 'named in templates'])),
    'launch.hpp': 'how a variant is launched',
    ...(operation.computes === undefined && {
      'oracle.hpp': 'the reference that the gate compares with',
    }),
    ...(Object.keys(operation.features).length > 0 && {
      'features.hpp': "features of the operation's calls",
    }),
  };
  const missing = Object.entries(purposes)
    .filter(([name]) => !has(name))
    .map(([name, purpose]) => `there is no file '${name}' in the family's folder (${purpose})`);
  const stale = 'operation.hpp is rendered from the operation wherever it is included: remove the file';
  return has('operation.hpp') ? [...missing, stale] : missing;
}

function repeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}

function parameterProblems(family: AnyFamily): string[] {
  const parameters = Object.entries(family.parameters);
  if (parameters.length === 0) return ['parameters is empty: a space needs at least one'];
  const labels = parameters.map(([, { label }]) => label).filter(Boolean);
  const shared = repeated(labels).map((label) => {
    const owners = parameters.filter(([, parameter]) => parameter.label === label).map(([name]) => name);
    return `label '${label}' is used by ${owners.join(' and ')}: labels must differ`;
  });
  const own = parameters.flatMap(([name, { values }]) => [
    ...(reservedNames.includes(name)
      ? [`parameter '${name}': the name is taken by the template context`]
      : []),
    ...repeated(values.map(String)).map((value) => `parameter '${name}' lists ${value} twice`),
    ...(new Set(values.map((value) => typeof value)).size > 1
      ? [`parameter '${name}' mixes types: ${values.map((value) => JSON.stringify(value)).join(', ')}`]
      : []),
  ]);
  return [...shared, ...own, ...usualProblems(parameters)];
}

function usualProblems(parameters: readonly (readonly [string, Parameter])[]): string[] {
  const [[first, { values: paths }]] = parameters as [(typeof parameters)[number]];
  return parameters.flatMap(([name, { values, usual = {} }]) =>
    Object.entries(usual).flatMap(([path, value]) => [
      ...(paths.map(String).includes(path)
        ? []
        : [`parameter '${name}' has a usual value for '${path}', which is no ${first}: ${paths.join(', ')}`]),
      ...(values.includes(value)
        ? []
        : [
            `the usual value of '${name}' for ${path} is ${value}, which is not allowed; choose from ${values.join(', ')}`,
          ]),
    ]),
  );
}

function constraintProblems(family: AnyFamily): string[] {
  const names = Object.keys(family.parameters);
  const rules = family.constraints.map(({ name }) => name);
  return [
    ...repeated(rules).map((name) => `two constraints are called '${name}'`),
    ...rules
      .filter((name) => reservedRules.includes(name))
      .map((name) => `a constraint may not be called '${name}'`),
    ...family.constraints.flatMap(({ name, on }) =>
      on
        .filter((read) => !names.includes(read))
        .map((read) => `constraint '${name}' reads unknown parameter '${read}'${didYouMean(read, names)}`),
    ),
  ];
}

function comparisonProblems({ comparisons = [] }: AnyFamily): string[] {
  const ids = comparisons.map(({ id }) => id);
  return comparisons.flatMap(({ id, sibling }) =>
    sibling === undefined || ids.includes(sibling)
      ? []
      : [`comparison '${id}' names unknown sibling '${sibling}'${didYouMean(sibling, ids)}`],
  );
}

function presetProblems(family: AnyFamily): string[] {
  const ids = allWorkloads(family).map(({ id }) => id);
  return Object.entries(family.presets).flatMap(([name, preset]) => [
    ...reservedPresetProblems(name, preset),
    ...partsOf(preset).flatMap((part) =>
      Object.entries(part).flatMap(([parameter, values]) =>
        narrowingProblems(family, `preset '${name}'`, parameter, values ?? []),
      ),
    ),
    ...[...preset.workloads, ...(preset.guessed ?? [])]
      .filter((id) => !ids.includes(id))
      .map((id) => `preset '${name}' names unknown workload '${id}'${didYouMean(id, ids)}`),
  ]);
}

/** Those that are made of the wisdom and of the parts of `fallback`; see withShipped. */
function reservedPresetProblems(name: string, preset: Preset): string[] {
  if (name === 'shipped' || name === 'shipped-comparisons')
    return [`preset '${name}' is made of the folder wisdom/: choose another name`];
  if (name !== 'fallback' || (!preset.holds && !preset.sample)) return [];
  return ["preset 'fallback' is part of the preset 'shipped': say what it holds in `where` alone"];
}

function narrowingProblems(
  family: AnyFamily,
  where: string,
  name: string,
  values: readonly unknown[],
): string[] {
  const parameter = Object.hasOwn(family.parameters, name) ? family.parameters[name] : undefined;
  if (!parameter) {
    return [
      `${where} narrows unknown parameter '${name}'${didYouMean(name, Object.keys(family.parameters))}`,
    ];
  }
  return values
    .filter((value) => !(parameter.values as readonly unknown[]).includes(value))
    .map(
      (value) =>
        `${where} has ${name} = ${value}, which is not allowed; choose from ${parameter.values.join(', ')}`,
    );
}
