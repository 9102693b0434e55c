import { z } from 'zod';
import { deviceNameSchema } from './artifact.ts';
import { operationSchema } from './operation.ts';
import { parameterValueSchema } from './parameter.ts';
import { choiceSchema } from './selection.ts';
import { wisdomRunSchema } from './wisdom.ts';

/** Raised when a reader of an older manifest would misunderstand a newer one. */
export const manifestVersion = 2;

/** A parameter of the family: what the values in the variants mean. */
const manifestParameterSchema = z.object({
  label: z.string(),
  doc: z.string(),
  values: z.array(parameterValueSchema),
});

/** ptxas's figures for one kernel, per thread or per block. */
const manifestResourcesSchema = z.object({
  registers: z.number(),
  spillBytes: z.number(),
  stackBytes: z.number(),
  staticSharedBytes: z.number(),
});

/** One compiled form of a variant. Machine code stands before PTX. */
const manifestImageSchema = z.object({
  /** `sm_90a`; `compute_80` of PTX, which drivers compile for GPUs of this compute capability and of later ones. */
  arch: z.string(),
  /** Path inside the library's source tree. */
  file: z.string(),
  bytes: z.number(),
  /** Size of the cubin, or of the PTX, before compression. */
  cubinBytes: z.number(),
  /** SHA-256 of the cubin or the PTX, hex. */
  hash: z.string(),
  resources: manifestResourcesSchema.optional(),
});

const manifestVariantSchema = z.object({
  id: z.string(),
  symbol: z.string(),
  parameters: z.record(z.string(), parameterValueSchema),
  /** Values of the operation's choices, and of sizes, that it serves; it is never offered others. */
  serves: z.record(z.string(), z.array(z.union([z.string(), z.number()]))),
  /** Numbers that follow from the parameters. */
  derived: z.record(z.string(), parameterValueSchema),
  threads: z.number(),
  /** Dynamic shared memory of a block, bytes. */
  sharedBytes: z.number(),
  deterministic: z.boolean(),
  /** Rank of accuracy by the family, where it has such: 0 for the tightest bound. */
  accuracy: z.number().optional(),
  /** Here for problems that the chosen variants refuse. */
  fallback: z.boolean(),
  /** Whether the emulated library holds it; the CUDA library holds all. */
  emulated: z.boolean(),
  /** The rendered source, inside the library's source tree. */
  source: z.string(),
  /** SHA-256 of the rendered source, hex. */
  hash: z.string(),
  /** Names of the kernels in the source: the symbol, and the symbol with each `entry` that a launch may append. */
  kernels: z.array(z.string()).min(1),
  /** Empty when the run had no CUDA compiler. */
  images: z.array(manifestImageSchema),
  /** Of the parts of its time by the family's cost model, where `costs` of the operation says from which times. */
  weights: z.array(z.number()).optional(),
  /** Devices on whose word the variant is here: `cuda`, `emulated`. */
  gatedOn: z.array(deviceNameSchema),
  /** Largest |error| / bound that the gate saw on any of them. */
  maxErrorOverBound: z.number().optional(),
});

const manifestChoiceSchema = choiceSchema.extend({
  /** Numbers that dispatch compares with those of a call, by ratio. */
  features: z.record(z.string(), z.number()),
  /** Operation values of the workload, by choice: each that a call has otherwise makes the workload less near. */
  values: z.record(z.string(), z.string()).optional(),
  /** True where a vendor's library was faster than the variant chosen here. */
  vendorFaster: z.boolean(),
  /** The family's guess for each variant of the library that serves the workload, higher is better: whom to measure first. */
  merits: z.record(z.string(), z.number()).optional(),
});

/** A workload, or calls of one key, on which several variants of the library were timed: whom to measure first nearby. */
const manifestTimingSchema = z.object({
  name: z.string(),
  features: z.record(z.string(), z.number()),
  /** The run, or the GPU and its driver, that the times are of. */
  source: z.string(),
  /** Speed relative to the fastest variant that was timed there, 1 for that one, by variant. */
  speeds: z.record(z.string(), z.number()),
});

/** Program that generated a part of the library. */
const generatorSchema = z.object({ name: z.string(), version: z.string(), commit: z.string().optional() });

/** Provenance of an operation's kernels and policy. */
const provenanceSchema = z.object({
  generator: generatorSchema,
  run: z.string(),
  /** ISO 8601, UTC. */
  date: z.string(),
  nvcc: z.string().optional(),
  cxx: z.string().optional(),
  /** The GPU that gated and timed; absent when there was none. */
  gpu: z.object({ name: z.string(), driver: z.string().optional(), uuid: z.string().optional() }).optional(),
  /** SHA-256 over every verdict of the run, so that a figure can be traced to the gate that admitted it. */
  gate: z.object({ digest: z.string(), passed: z.number(), verdicts: z.number() }),
});

/** One operation of a library: its kernels, its policy and the run that both come from. */
const manifestOperationSchema = z.object({
  family: z.string(),
  summary: z.string(),
  /** From which headers and bindings are rendered. */
  signature: operationSchema,
  /** True when there are no times: the policy follows the family's own guess. */
  untimed: z.boolean(),
  /** Runs on a GPU whose times the policy follows, where the operation's own run took none. */
  wisdom: z.array(wisdomRunSchema).optional(),
  tolerance: z.number(),
  parameters: z.record(z.string(), manifestParameterSchema),
  variants: z.array(manifestVariantSchema),
  policy: z.array(manifestChoiceSchema),
  timings: z.array(manifestTimingSchema).optional(),
  /** Times that the weights of the cost model are fitted to. */
  costs: z.object({ gpu: z.string(), runs: z.array(z.string()), times: z.number() }).optional(),
  unserved: z.array(z.string()),
  /** Variants that passed the gate and are not here, since no workload needs them. */
  leftOut: z.array(z.string()),
  provenance: provenanceSchema,
});

export const manifestSchema = z.object({
  schema: z.literal(manifestVersion),
  /** SHA-256 over the sources, images and policies of all operations, hex. */
  hash: z.string(),
  /** By name; each has a header `tilewright/<name>.h` and folders of that name in the source tree. */
  operations: z.record(z.string(), manifestOperationSchema),
  provenance: z.object({ generator: generatorSchema }),
  licence: z.object({ spdx: z.string(), file: z.string() }),
});

/** A manifest of any version: its operations, and as much of each as can be read. */
export const formerManifestSchema = z.object({
  operations: z.record(
    z.string(),
    z
      .object({
        family: z.string().optional().catch(undefined),
        provenance: z.object({ run: z.string() }).optional().catch(undefined),
      })
      .catch({}),
  ),
});

export type Manifest = Readonly<z.infer<typeof manifestSchema>>;
export type ManifestOperation = Manifest['operations'][string];
export type ManifestVariant = ManifestOperation['variants'][number];
export type ManifestTiming = NonNullable<ManifestOperation['timings']>[number];
export type ManifestImage = ManifestVariant['images'][number];
export type ManifestChoice = ManifestOperation['policy'][number];
export type Provenance = Readonly<z.infer<typeof provenanceSchema>>;
