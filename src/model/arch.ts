/** Limits and compiler flags of one GPU architecture. Sizes in bytes. */
export interface Arch {
  /** `sm_90a`. */
  readonly name: string;
  readonly gencode: string;
  /** Largest dynamic shared memory of a block that a kernel may opt in to. */
  readonly maxSharedBytesPerBlock: number;
  readonly maxThreadsPerBlock: number;
  readonly maxRegistersPerThread: number;
  readonly registersPerSm: number;
  /** Where the figures come from. */
  readonly source: string;
}
