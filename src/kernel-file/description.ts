import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { z } from 'zod';
import { UsageError } from '../errors.ts';
import { onDisk } from '../util/disk.ts';
import { oracleSchema } from './oracle-description.ts';
import { elementTypes } from './signature.ts';
import { yamlValue } from './yaml.ts';

const expression = z
  .union([z.number(), z.string()])
  .describe("A number, or an expression over the sizes with C's operators, min, max and ceil_div.");

const valuesSchema = z
  .union([
    z.enum(['normal', 'zeros', 'ones', 'one-hot', 'ascending']),
    z.strictObject({ normal: z.tuple([z.number(), z.number()]).describe('Mean and deviation.') }),
    z.strictObject({ uniform: z.tuple([z.number(), z.number()]) }),
    z.strictObject({ integers: z.tuple([expression, expression]).describe('Least and greatest.') }),
    z.strictObject({ file: z.string().describe('A .npy file.') }),
    z.array(z.number()).min(1).describe('The elements themselves, in order.'),
  ])
  .describe('What an input holds.');

const toleranceSchema = z
  .union([
    z.literal('exact'),
    z.number().positive().describe('Relative error.'),
    z.strictObject({ relative: z.number().min(0).default(0), absolute: z.number().min(0).default(0) }),
    z
      .strictObject({
        times: z.number().positive().describe('Largest error over that of the yardstick.'),
        of: z
          .string()
          .optional()
          .describe(
            "The yardstick, a reference whose largest error is measured, rounded to the output's type (default: a reference in Python, or a template of C++, in f32 or the kernel's types).",
          ),
        absolute: z.number().min(0).optional().describe('Beside these.'),
      })
      .describe('Error of at most so many times the largest one of another implementation.'),
    z
      .strictObject({
        ulps: z
          .number()
          .positive()
          .describe('Units in the last place of the result, epsilon times its size.'),
        depth: expression
          .optional()
          .describe('Roundings one behind the other, each of so many units: K (default: 1).'),
        absolute: z.number().min(0).optional().describe('Beside these, for sums whose terms cancel.'),
      })
      .describe("Error in units in the last place of the element type, by the sum's depth."),
  ])
  .describe('How far a result may be from the reference.');

const wholeArgument = z.strictObject({
  shape: z.array(expression).optional(),
  strides: z
    .array(expression)
    .optional()
    .describe(
      'Elements from one index to the next, for every dimension of the shape; that of the last may be left out, and is 1 (default: dense, the last dimension contiguous).',
    ),
  type: z.enum(elementTypes).optional().describe("Element type (default: the parameter's)."),
  role: z
    .enum(['in', 'out', 'inout', 'workspace'])
    .optional()
    .describe(
      'in: read only; out: every element is written; inout: read and written; workspace: not looked at afterwards, and without values nothing to read before the kernel has written it (default: in for const pointers, else out).',
    ),
  values: valuesSchema.optional(),
  value: expression.optional().describe("A scalar's value."),
  tolerance: toleranceSchema.optional(),
  unspecified: z
    .boolean()
    .optional()
    .describe(
      'Of an output: elements that the reference, a function of C or C++, leaves as they are may hold anything, or that one of Python masks (default: false).',
    ),
});

/** Swizzles of shared memory, by their number in CUtensorMapSwizzle. */
export const swizzles = ['none', '32B', '64B', '128B'] as const;

/** Words for a CUtensorMap: what cuTensorMapEncodeTiled is given. */
const tensorMapWords = {
  tensor: z
    .string()
    .optional()
    .describe(
      'Of a CUtensorMap: the pointer argument whose tensor it describes (default: a tensor of its own).',
    ),
  box: z
    .array(expression)
    .min(1)
    .max(5)
    .optional()
    .describe(
      'Of a CUtensorMap: elements of a box, in the order of the shape, the contiguous dimension last.',
    ),
  swizzle: z.enum(swizzles).optional().describe('Of a CUtensorMap (default: none).'),
  interleave: z
    .enum(['none', '16B', '32B'])
    .optional()
    .describe('Of a CUtensorMap (default: none, all that is supported).'),
  fill: z
    .enum(['zeros', 'nan'])
    .optional()
    .describe('Of a CUtensorMap: what lies outside of the tensor (default: zeros, all that is supported).'),
};

const fieldSchema = z
  .union([
    z.array(expression).describe("A tensor's shape, or the elements of an array."),
    expression.describe("A scalar's value."),
    wholeArgument,
  ])
  .describe('One field.');

const argumentSchema = z
  .union([
    z.array(expression).describe("A tensor's shape."),
    expression.describe("A scalar's value."),
    wholeArgument.extend({
      ...tensorMapWords,
      fields: z
        .record(z.string(), fieldSchema)
        .optional()
        .describe(
          'Fields of a struct that is passed by value, or of the structs behind a pointer: like arguments, by their names.',
        ),
    }),
  ])
  .describe('One argument.');

const symbolSchema = z
  .union([
    valuesSchema,
    expression.describe('Every element has this value.'),
    z.strictObject({
      values: z.union([valuesSchema, expression]),
      type: z.enum(elementTypes).describe("Element type, where the variable's own is not a known one."),
    }),
  ])
  .describe('What a __constant__ or __device__ variable holds before each launch.');

const noSize = 'a size is a positive whole number, or an expression over other sizes, e.g. ld: M + 8';
const sizesSchema = z.record(
  z.string(),
  z
    .union([z.number(noSize).int(noSize).positive(noSize), z.string(noSize)])
    .describe('A positive whole number, or an expression over other sizes: M + 8.'),
);
const dimensions = z.union([expression, z.array(expression).min(1).max(3)]);

/** Findings that a description may allow. */
const allowable = ['same-value-race', 'early-exit', 'uninitialised'] as const;

export const descriptionSchema = z
  .strictObject({
    kernel: z
      .string()
      .optional()
      .describe(
        'Name of the kernel, with template arguments where it has parameters: scan<256>. Needed where a file has several.',
      ),
    sizes: z
      .union([sizesSchema, z.array(sizesSchema).min(1)])
      .optional()
      .describe('Sizes to try, by name.'),
    ragged: z.boolean().optional().describe('Try sizes beside the given ones too (default: true).'),
    defines: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .optional()
      .describe('Macros that are defined before the first line: { block_size_x: 64 }.'),
    where: z.string().optional().describe('Condition on the sizes that the kernel takes.'),
    arguments: z.record(z.string(), argumentSchema).optional(),
    symbols: z
      .record(z.string(), symbolSchema)
      .optional()
      .describe('What __constant__ and __device__ variables hold (default: as the source initialises them).'),
    grid: dimensions.optional(),
    block: dimensions.optional(),
    cluster: dimensions
      .optional()
      .describe("Blocks of a cluster (default: the kernel's __cluster_dims__, else no clusters)."),
    shared: expression.optional().describe('Dynamic shared memory, bytes.'),
    tolerance: toleranceSchema.optional(),
    reference: z
      .union([z.string(), oracleSchema, z.record(z.string(), z.string())])
      .optional()
      .describe(
        'file.c:function, file.cu:kernel, file.py:function, oracle:family, or a .npy file by output.',
      ),
    allow: z
      .array(z.enum(allowable))
      .optional()
      .describe(
        'Findings that are meant: same-value-race (stores that race but leave the value that is there), early-exit (threads that end before a barrier of the block), uninitialised (reads of memory that nothing has written, whose values do not matter).',
      ),
    prints: z
      .boolean()
      .optional()
      .describe(
        'Whether what the kernel prints is compared too: the reference, a function of C or C++, prints the same lines, in any order.',
      ),
    deterministic: z.boolean().optional().describe('Whether every order of threads gives the same bits.'),
  })
  .describe('What a kernel is given, and what it should give.');
export type Description = z.infer<typeof descriptionSchema>;
export type ArgumentDescription = z.infer<typeof argumentSchema>;
export type SymbolDescription = z.infer<typeof symbolSchema>;
export type ValuesDescription = z.infer<typeof valuesSchema>;
export type ToleranceDescription = z.infer<typeof toleranceSchema>;

/** The schema for editors. */
export function descriptionJsonSchema(): object {
  return z.toJSONSchema(descriptionSchema, { io: 'input' });
}

/** The descriptions of a source: those of `elsewhere`, else those in its comments, and of `<name>.yaml` or `<name>.json` beside it. */
export function readDescriptions(path: string, text: string, elsewhere?: string): Description[] {
  if (elsewhere !== undefined)
    return parse(
      onDisk(`read ${elsewhere}`, () => readFileSync(elsewhere, 'utf8')),
      elsewhere,
    );
  const inside = commentsIn(text).map(({ body, line }) => parse(body, `${basename(path)}:${line}`));
  const beside = ['.yaml', '.yml', '.json'].map((end) => path.replace(/\.\w+$/, end)).find(existsSync);
  if (beside === undefined || beside === path) return inside.flat();
  return [
    ...inside.flat(),
    ...parse(
      onDisk(`read ${beside}`, () => readFileSync(beside, 'utf8')),
      basename(beside),
    ),
  ];
}

/** One description, or a list of them, as YAML or JSON. */
function parse(text: string, where: string): Description[] {
  const value = yamlValue(text, where) ?? {};
  return (Array.isArray(value) ? value : [value]).map((one) => {
    const result = descriptionSchema.safeParse(one);
    if (result.success) return result.data;
    throw new UsageError(
      `${where}: the description is not understood; \`npx gen describe --schema\` lists what there is\n${mistakesIn(result.error.issues).join('\n')}`,
    );
  });
}

/** Mistakes with the word that each is about; where a word may have several forms, those in the form that goes furthest. */
function mistakesIn(issues: readonly z.core.$ZodIssue[], at: readonly PropertyKey[] = []): string[] {
  return issues.flatMap((issue) => {
    const path = [...at, ...issue.path];
    if (issue.code !== 'invalid_union') return [`✖ ${path.join('.') || 'the description'}: ${issue.message}`];
    const depth = (branch: readonly z.core.$ZodIssue[]): number =>
      Math.max(
        ...branch.map((one) => one.path.length + (one.code === 'invalid_union' ? furthest(one.errors) : 0)),
      );
    const furthest = (branches: readonly (readonly z.core.$ZodIssue[])[]) =>
      Math.max(0, ...branches.map(depth));
    const best = furthest(issue.errors);
    const lines = issue.errors
      .filter((branch) => depth(branch) === best)
      .flatMap((branch) => mistakesIn(branch, path));
    return [...new Set(lines)];
  });
}

const comment =
  /\/\*+[ \t]*tilewright\b:?(?<block>(?:(?!\*\/)[\s\S])*)\*\/|^[ \t]*\/\/[ \t]*tilewright\b:?(?<lines>[^\n]*(?:\n[ \t]*\/\/[^\n]*)*)/gim;
const words = Object.keys(descriptionSchema.shape).join('|');
const whole = /^\s*[{[].*[\]}]\s*$/;
const begin = new RegExp(String.raw`^\s*([{[]|(- )?(${words}):(\s|$))`);

/** Comments that begin with the word `tilewright`; behind it, on its line, stands a description, the begin of one, or prose. */
function commentsIn(text: string): { readonly body: string; readonly line: number }[] {
  return [...text.matchAll(comment)].flatMap((match) => {
    const { block, lines = '' } = match.groups ?? {};
    const plain = block?.replace(/^[ \t]*\*(?!\/)[ \t]?/gm, '') ?? lines.replace(/^[ \t]*\/\/ ?/gm, '');
    const [first = '', ...further] = plain.split('\n');
    const line = text.slice(0, match.index).split('\n').length;
    if (whole.test(first)) return [{ body: first.trim(), line }];
    if (begin.test(first)) return [{ body: [first.trim(), ...further].join('\n').trimEnd(), line }];
    return further.length > 0 ? [{ body: further.join('\n').trimEnd(), line }] : [];
  });
}
