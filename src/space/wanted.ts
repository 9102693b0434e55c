import { z } from 'zod';
import { archFeatures } from '../model/arch.ts';
import type { Operation } from '../model/operation.ts';
import { type GateCase, tiers } from '../model/workload.ts';
import { isOneLine, printable } from '../util/printable.ts';
import { isJson } from './json-value.ts';
import { reservedNames } from './reserved.ts';
import { findFeatureProblems, findServedProblems } from './validate-operation.ts';

/** A requirement on an answer, in words, with its check: the fault of an answer, or undefined if there is none. */
export interface Wanted {
  readonly words: string;
  readonly wrong: (value: unknown) => string | undefined;
}

const count = z.number().int().nonnegative();
export const boolean = wanted('true or false', (value) => typeof value === 'boolean');
export const number = wanted('a finite number', Number.isFinite);
export const rank = wanted('a whole number from 0', (value) => Number.isInteger(value) && Number(value) >= 0);
export const reason = wanted(
  'a reason, or undefined where the arch will do',
  (value) => value === undefined || (typeof value === 'string' && value !== ''),
);
export const features = shaped(
  'a list of features of architectures',
  z.array(z.enum(archFeatures, `there is no such feature; there are ${archFeatures.join(', ')}`)),
);
export const budget = shaped(
  'a budget',
  z.strictObject({
    threads: count.min(1),
    sharedBytes: count,
    maxRegisters: count.optional(),
    maxSpillBytes: count.optional(),
  }),
);
const gateCaseSchema = z.strictObject({
  id: z
    .string()
    .min(1, 'is empty')
    .refine(isOneLine, {
      error: ({ input }) =>
        `${shown(input)} has a control character or ends a line: ids are one line of printable characters`,
    }),
  problem: z.record(z.string(), z.unknown()).refine(isJson, 'holds something that JSON cannot carry'),
  tier: z.enum(tiers, `there is no such tier; there are ${tiers.join(', ')}`),
  launches: count.min(1).optional(),
  slow: z.literal(true).optional(),
  alternate: z
    .record(z.string(), z.unknown())
    .refine(isJson, 'holds something that JSON cannot carry')
    .optional(),
  multiprocessors: count.min(1).optional(),
  reserved: z.literal(true).optional(),
  refuses: z.string().min(1, 'is empty: every reason contains it').optional(),
} satisfies Record<keyof GateCase, z.ZodType>);
export const cases: Wanted = {
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

/** One of these words; `kind`: what they are, in the plural. */
export function oneOf(kind: string, words: readonly string[]): Wanted {
  const fits = (value: unknown) => typeof value === 'string' && words.includes(value);
  return wanted(`one of ${kind} (${words.join(', ')})`, fits);
}

/** Plain values under names that nothing else has. */
export function derivedBeside(parameters: readonly string[]): Wanted {
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

/** Numbers of a workload, by size or feature of the operation. */
export function featuresOf(operation: Operation): Wanted {
  const schema = z.record(z.string(), z.number());
  const wrong = (values: unknown) => {
    const { data, error } = schema.safeParse(values);
    return error ? listed(error) : findFeatureProblems(operation, data)[0];
  };
  return { words: 'an object of numbers', wrong };
}

/** Values of the operation's choices and sizes. */
export function servedOf(operation: Operation): Wanted {
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

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  if (typeof value === 'string') return printable(JSON.stringify(value.slice(0, 80)));
  if (typeof value === 'function') return 'a function';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
