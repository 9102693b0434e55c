import { z } from 'zod';
import { deviceNameSchema } from './artifact.ts';

/** Every word the gate can say of a variant; `docs/verdicts.md` explains each. */
export const verdictNames = [
  'passed',
  'compile',
  'resources',
  'launch',
  'fault',
  'hang',
  'race',
  'divergence',
  'out-of-bounds',
  'unwritten',
  'wrong',
  'nonfinite',
  'nondeterministic',
  'stateful',
  'machine',
] as const;
export type VerdictName = (typeof verdictNames)[number];

/** A vendor library's results over the cases of one verdict: a second opinion, since the oracle decides. */
export const vendorOpinionSchema = z.object({
  /** Cases in which it agreed with the oracle. */
  agreed: z.number(),
  /** Cases that it cannot do, or in which it failed. */
  unsupported: z.number(),
  /** Its own largest |error| / bound in cases that agreed. */
  maxErrorOverBound: z.number(),
  /** Ids of cases in which it is the vendor that is wrong. */
  disagrees: z.array(z.string()),
});

/** Evidence of a verdict: always a sentence, then the numbers that the cause has. */
export const evidenceSchema = z
  .object({
    message: z.string(),
    /** Gate case in which it was seen. */
    case: z.string().optional(),
    /** A number in journals of 0.1. */
    tier: z.union([z.string(), z.number()]).optional(),
    /** Largest |error| / bound over all elements; above 1 fails. */
    maxErrorOverBound: z.number().optional(),
    /** Ids of cases left out since the machine lacks the address space for them. */
    skipped: z.array(z.string()).optional(),
    /** Cases run and passed before the verdict. */
    cases: z.number().optional(),
    seconds: z.number().optional(),
    /** By the library's name; only on a GPU. */
    vendor: z.record(z.string(), vendorOpinionSchema).optional(),
    /** True where something other than the variant may have ended its worker. */
    doubtful: z.boolean().optional(),
    /** One command that shows the failure again, alone. */
    reproduce: z.string().optional(),
  })
  .catchall(z.unknown());
export type Evidence = z.infer<typeof evidenceSchema>;

/** Signals that a worker gets from outside: from the kernel's OOM killer, a batch system, a person. */
export const signalsFromOutside: ReadonlySet<string> = new Set([
  ...['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGXCPU', 'SIGUSR1', 'SIGUSR2'],
]);

/** Whether evidence does not settle anything: it may say more of the machine than of the variant. */
export function isDoubtful({ doubtful, signal }: Evidence): boolean {
  return doubtful === true || (typeof signal === 'string' && signalsFromOutside.has(signal));
}

export const verdictSchema = z.object({
  variant: z.string(),
  device: z.enum([...deviceNameSchema.options, 'none']),
  /** `cuda:1`: which GPU, where it was one. */
  gpu: z.string().exactOptional(),
  verdict: z.enum(verdictNames),
  evidence: evidenceSchema,
});
/** The gate's word on one variant on one device (`none`: settled before any device was asked). */
export type Verdict = Readonly<z.infer<typeof verdictSchema>>;

/** Extent of the gate. A variant may be timed and shipped only after one without `case` and `seed`. */
export const gateScopeSchema = z.object({
  depth: z.enum(['quick', 'full']),
  /** This case alone. */
  case: z.string().exactOptional(),
  /** Emulated device: every case under the one schedule that the seed stands for. */
  seed: z.number().exactOptional(),
});
export type GateScope = Readonly<z.infer<typeof gateScopeSchema>>;
