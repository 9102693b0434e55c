import { z } from 'zod';
import type { Source } from './variant.ts';

export const deviceNameSchema = z.enum(['cuda', 'emulated']);
export type DeviceName = z.infer<typeof deviceNameSchema>;

/** Resources of one kernel as ptxas reported them. */
export const resourcesSchema = z.object({
  registers: z.number(),
  spillStoreBytes: z.number(),
  spillLoadBytes: z.number(),
  stackBytes: z.number(),
  staticSharedBytes: z.number(),
  barriers: z.number(),
  /** ptxas advisories, e.g. C7510 (wgmma serialised), as printed. */
  warnings: z.array(z.string()).readonly(),
});
export type Resources = Readonly<z.infer<typeof resourcesSchema>>;

/** Attributes of one kernel, read from its cubin. */
export const compiledKernelSchema = z.object({
  /** Per thread, as the kernel is launched. */
  registers: z.number(),
  /** Most threads of a block, from `__launch_bounds__`; 0: not bounded. */
  maxThreads: z.number(),
  /** Of each parameter in order. */
  parameterBytes: z.array(z.number()).readonly(),
});
export type CompiledKernel = Readonly<z.infer<typeof compiledKernelSchema>>;

/** A compiled variant: a cubin for the device `cuda`, a shared object for the device `emulated`. */
export interface Artifact {
  readonly source: Source;
  readonly device: DeviceName;
  /** `sm_90a` for cuda, the host's architecture for emulated. */
  readonly arch: string;
  readonly path: string;
  /** Cache key: source, headers, flags, compiler version, arch. */
  readonly key: string;
  readonly cached: boolean;
  readonly seconds: number;
  /** Only for `cuda`. */
  readonly resources?: Resources;
  /** By name, as the variant's cubin has them, whatever this artifact is for: what a launch has to agree with. */
  readonly kernels?: Readonly<Record<string, CompiledKernel>>;
}
