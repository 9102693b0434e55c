import type { Source } from './variant.ts';

/** What ptxas reported for one kernel. */
export interface Resources {
  readonly registers: number;
  readonly spillStoreBytes: number;
  readonly spillLoadBytes: number;
  readonly stackBytes: number;
  readonly staticSharedBytes: number;
  readonly barriers: number;
  /** ptxas advisories, e.g. C7510 (wgmma serialised), as printed. */
  readonly warnings: readonly string[];
}

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
}

export type DeviceName = 'cuda' | 'emulated';
