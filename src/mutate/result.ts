import { z } from 'zod';
import { verdictNames } from '../model/verdict.ts';

/**
 * Outcomes of a mutant. Refused by a compiler: no kernel. Identical: the same machine code. Argued: equivalent for a reason
 * that somebody wrote down. The others are defects, which the gate saw or did not.
 */
export const outcomes = ['refused', 'identical', 'argued', 'killed', 'survived'] as const;
export type OutcomeName = (typeof outcomes)[number];

/** Answers of other projects' acceptance rules on one output. */
export const opinionsSchema = z.object({
  cutlass: z.boolean(),
  tilelang: z.boolean(),
  deepgemm: z.boolean(),
  allclose: z.boolean(),
  /** The least `atol` with which Kernel Tuner accepts; absent: none. */
  kernelTunerAtol: z.number().optional(),
});
export type Opinions = Readonly<z.infer<typeof opinionsSchema>>;

/** A GPU's answer on a defect. */
const gpuResultSchema = z.object({
  outcome: z.enum(['killed', 'survived']),
  depth: z.enum(['quick', 'full']),
  verdict: z.enum(verdictNames).optional(),
  tier: z.union([z.string(), z.number()]).optional(),
  case: z.string().optional(),
  message: z.string().optional(),
});

export const mutantResultSchema = z.object({
  variant: z.string(),
  /** Template of the variant, without its ending: `mma`. */
  path: z.string(),
  id: z.string(),
  operator: z.string(),
  file: z.string(),
  line: z.number(),
  before: z.string(),
  after: z.string(),
  /** Digest of the device code of the variant, unmutated: the result stands as long as that does. */
  code: z.string().optional(),
  outcome: z.enum(outcomes),
  /** Another variant of the path, in which it was killed: in `variant` nothing is seen of it. */
  killedIn: z.string().optional(),
  /** Depth at which it was killed, or the deepest that it survived. */
  depth: z.enum(['quick', 'full']).optional(),
  /** The gate's word, or the compiler's. */
  verdict: z.enum(verdictNames).optional(),
  tier: z.union([z.string(), z.number()]).optional(),
  case: z.string().optional(),
  message: z.string().optional(),
  /** Reason that the gate gave no answer, if the machine kept it from one. */
  undecided: z.string().optional(),
  gpu: gpuResultSchema.optional(),
  /** Answers of other projects' rules; `crash` where there is no output to look at. */
  opinions: z.union([opinionsSchema, z.literal('crash')]).optional(),
});
export type GpuResult = Readonly<z.infer<typeof gpuResultSchema>>;
export type MutantResult = Readonly<z.infer<typeof mutantResultSchema>>;

/** Header of a file of results: its first line. */
export const mutationInfoSchema = z.object({
  version: z.literal(1),
  /** ISO 8601, UTC. */
  date: z.string(),
  commit: z.string().optional(),
  family: z.string(),
  arch: z.string(),
  /** Mutants that there are, and how many of them are tried. */
  mutants: z.number(),
  sample: z.number(),
  variants: z.array(z.string()),
  /** Model of the GPU that defects were put to as well. */
  gpu: z.string().optional(),
  /** Date and commit of the second try of survivors. */
  retried: z.object({ date: z.string(), commit: z.string().optional() }).optional(),
  /** The case whose outputs other projects' rules look at. */
  rulesCase: z.string().optional(),
  /** The rules' answers on each correct variant, by variant. */
  sound: z.record(z.string(), opinionsSchema).optional(),
});
export type MutationInfo = Readonly<z.infer<typeof mutationInfoSchema>>;
