/** Groups of instructions that not every architecture has. */
export const archFeatures = [
  'cp.async',
  'mma.bf16',
  'mbarrier',
  'tma',
  'cluster',
  'dependent-launch',
  'wgmma',
  'setmaxnreg',
  'tcgen05',
] as const;
export type ArchFeature = (typeof archFeatures)[number];

/** Math modes: on tensor cores operands of 16 bits, or of f32 rounded to TF32; on CUDA cores f32. */
export const arithmetics = ['f16', 'tf32', 'f32'] as const;
export type Arithmetic = (typeof arithmetics)[number];

/** Everything that is known of one GPU architecture, as data: compiler flags, limits, peaks. Sizes in bytes; 0: not known. */
export interface Arch {
  /** `sm_90a`. */
  readonly name: string;
  /** Compute capability, major * 10 + minor. */
  readonly capability: number;
  readonly gencode: string;
  readonly features: readonly ArchFeature[];
  /** Largest dynamic shared memory of a block that a kernel may opt in to. */
  readonly maxSharedBytesPerBlock: number;
  readonly sharedBytesPerSm: number;
  /** Shared memory that the system takes of each block. */
  readonly reservedSharedBytesPerBlock: number;
  readonly maxThreadsPerBlock: number;
  readonly maxThreadsPerSm: number;
  readonly maxBlocksPerSm: number;
  readonly maxRegistersPerThread: number;
  readonly registersPerSm: number;
  /** Blocks of a cluster that a kernel may opt in to; 1: no clusters. */
  readonly maxClusterBlocks: number;
  /** Dense operations per clock and multiprocessor; on tensor cores at the fastest type of accumulator. */
  readonly flopsPerClock: Readonly<Record<Arithmetic, number>>;
  /** Bytes per second from L2 into shared memory, all multiprocessors together, on the fastest GPU that was measured. */
  readonly l2Bandwidth: number;
  /** Origin of the figures. */
  readonly source: string;
}
