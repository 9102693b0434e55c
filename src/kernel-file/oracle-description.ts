import { z } from 'zod';
import { choiceKinds } from '../model/operation.ts';

const scalar = z.union([z.number(), z.string()]);

export const oracleSchema = z
  .strictObject({
    oracle: z.string().describe('A kernel family: `gen list` shows them.'),
    operands: z
      .record(z.string(), z.string())
      .optional()
      .describe(
        "The kernel's argument by the operand's name: { a: d_A } (default: the argument of that name, in either case).",
      ),
    scalars: z
      .record(z.string(), scalar)
      .optional()
      .describe(
        "A number, or a scalar argument, by the scalar's name: { alpha: 0.5 } (default: the argument of that name, else 1 for a factor of the product and 0 for others).",
      ),
    activation: z
      .enum(choiceKinds.activation)
      .optional()
      .describe('Function applied to each element of the result (default: none).'),
  })
  .describe(
    "The oracle of one of tilewright's own operations, which also says how far a kernel that sums in f32 may be off.",
  );
export type OracleDescription = z.infer<typeof oracleSchema>;
