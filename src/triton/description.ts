import { existsSync, readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { UsageError } from '../errors.ts';
import { onDisk } from '../util/disk.ts';

/** Types of arguments as Triton's signatures have them, with their bytes. */
export const scalarTypes = {
  i32: { c: 'std::int32_t', bytes: 4 },
  u32: { c: 'std::uint32_t', bytes: 4 },
  i64: { c: 'std::int64_t', bytes: 8 },
  u64: { c: 'std::uint64_t', bytes: 8 },
  fp32: { c: 'float', bytes: 4 },
  fp64: { c: 'double', bytes: 8 },
} as const;

const expression = z.string().regex(/^[\w\s.+*/%(),-]+$/, 'must be an expression over the arguments');
const type = z
  .string()
  .regex(
    new RegExp(`^(\\*\\w+|${Object.keys(scalarTypes).join('|')})$`),
    `must be a pointer, e.g. *fp16, or one of ${Object.keys(scalarTypes).join(', ')}`,
  );
const allowed = z.union([
  z.array(z.union([z.string(), z.number()])).min(1),
  z.strictObject({ multipleOf: z.number().int().positive() }),
]);

const descriptionSchema = z.strictObject({
  /** Id of the variant whose calls the kernel serves, and whose arguments it is given. */
  as: z.string().optional(),
  /** Header of the family that has the struct of these arguments, and the struct. */
  header: z.string().regex(/^[\w./-]+$/),
  struct: z.string().regex(/^[\w:<>, ]+$/),
  /** The kernel's own arguments in order, without constants of the compiler: types and values. */
  arguments: z.record(z.string(), z.strictObject({ type, value: expression })),
  /** Thread blocks. */
  grid: z.array(expression).min(1).max(3),
  /** Values of problems' fields that the kernel takes; absent: all that the variant serves. */
  takes: z.record(z.string(), allowed).default({}),
});
export type Description = z.infer<typeof descriptionSchema>;
export type Takes = Description['takes'];

/** Reads a description: YAML or JSON. */
export function readDescription(path: string): Description {
  if (!existsSync(path))
    throw new UsageError(
      `there is no ${path}: it says what the kernel is given (docs/import-triton.md); name another with --description <file>`,
    );
  const text = onDisk(`read ${path}`, () => readFileSync(path, 'utf8'));
  const document = parseDocument(text, { uniqueKeys: true });
  const [error] = document.errors;
  if (error) throw new UsageError(`${path} is no YAML: ${error.message.split('\n')[0]}`);
  const result = descriptionSchema.safeParse(document.toJS() ?? {});
  if (result.success) return result.data;
  throw new UsageError(`${path} is not understood\n${z.prettifyError(result.error)}`);
}

/** Bytes of an argument. */
export function bytesOf(argument: string): number {
  return argument.startsWith('*') ? 8 : scalarTypes[argument as keyof typeof scalarTypes].bytes;
}
