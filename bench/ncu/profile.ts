// Nsight Compute's figures of a launch, in this package's schema.
import { z } from 'zod';

/** Profile of one launch of a kernel. Percentages are of 100, times seconds, sizes bytes. */
export const profileSchema = z.object({
  variant: z.string(),
  workload: z.string(),
  /** Seconds of a launch as the toolkit itself measured it, where that is known. */
  median: z.number().exactOptional(),
  device: z.string(),
  /** By the names of `figures` below; what the tool did not report is absent. */
  figures: z.record(z.string(), z.number()),
  /** Cycles that a warp waits per instruction that it issues, by reason, most first. */
  stalls: z.array(z.object({ reason: z.string(), cycles: z.number() })),
  /** Pipes of the tensor cores by the tool's own names, per cent. */
  tensorPipes: z.record(z.string(), z.number()),
});
export type Profile = Readonly<z.infer<typeof profileSchema>>;

/** Profiles of one session, as a file. */
export const profileFileSchema = z.object({
  command: z.string(),
  /** ISO 8601, UTC. */
  date: z.string(),
  commit: z.string().exactOptional(),
  /** Version that `ncu --version` prints. */
  ncu: z.string(),
  gpu: z.string(),
  profiles: z.array(profileSchema),
});
export type ProfileFile = Readonly<z.infer<typeof profileFileSchema>>;

export interface Figure {
  readonly label: string;
  readonly unit: 'percent' | 'seconds' | 'bytes' | 'hertz' | 'count' | 'cycles';
  /** Names of the tool for it, best first: they change between its releases. */
  readonly metrics: readonly string[];
}

const elapsed = 'avg.pct_of_peak_sustained_elapsed';
const active = 'avg.pct_of_peak_sustained_active';

/** Every figure of a page, in its order. */
export const figures: Readonly<Record<string, Figure>> = {
  seconds: {
    label: 'time of the launch under the profiler',
    unit: 'seconds',
    metrics: ['gpu__time_duration.sum'],
  },
  smClock: {
    label: 'SM clock',
    unit: 'hertz',
    metrics: [
      'sm__cycles_elapsed.avg.per_second',
      'gpc__cycles_elapsed.avg.per_second',
      'smsp__cycles_elapsed.avg.per_second',
    ],
  },
  smActive: { label: 'SMs that have work', unit: 'percent', metrics: [`sm__cycles_active.${elapsed}`] },
  smBusy: {
    label: 'instruction pipes (SM busy)',
    unit: 'percent',
    metrics: [`sm__instruction_throughput.${active}`],
  },
  tensor: {
    label: 'tensor pipe, of cycles',
    unit: 'percent',
    metrics: [`sm__pipe_tensor_cycles_active.${elapsed}`, `sm__pipe_tensor_cycles_active.${active}`],
  },
  issue: {
    label: 'issue slots',
    unit: 'percent',
    metrics: [`sm__inst_issued.${active}`, `sm__issue_active.${active}`],
  },
  l1: { label: 'L1 and shared memory', unit: 'percent', metrics: [`l1tex__throughput.${active}`] },
  l2: { label: 'L2', unit: 'percent', metrics: [`lts__throughput.${elapsed}`, `lts__t_sectors.${elapsed}`] },
  l2Hit: { label: 'L2 hits', unit: 'percent', metrics: ['lts__t_sector_hit_rate.pct'] },
  l2Bytes: { label: 'bytes through L2', unit: 'bytes', metrics: ['lts__t_bytes.sum'] },
  l2ToSm: {
    label: 'bytes from L2 into the SMs',
    unit: 'bytes',
    metrics: ['l1tex__m_xbar2l1tex_read_bytes.sum'],
  },
  dram: {
    label: 'DRAM',
    unit: 'percent',
    metrics: [`dram__throughput.${elapsed}`, `gpu__dram_throughput.${elapsed}`],
  },
  dramRead: { label: 'bytes read from DRAM', unit: 'bytes', metrics: ['dram__bytes_read.sum'] },
  dramWritten: { label: 'bytes written to DRAM', unit: 'bytes', metrics: ['dram__bytes_write.sum'] },
  occupancy: { label: 'resident warps', unit: 'percent', metrics: [`sm__warps_active.${active}`] },
  registers: { label: 'registers per thread', unit: 'count', metrics: ['launch__registers_per_thread'] },
  sharedBytes: {
    label: 'shared memory of a block',
    unit: 'bytes',
    metrics: ['launch__shared_mem_per_block', 'launch__shared_mem_per_block_dynamic'],
  },
  grid: { label: 'thread blocks', unit: 'count', metrics: ['launch__grid_size'] },
  threads: { label: 'threads of a block', unit: 'count', metrics: ['launch__block_size'] },
  instructions: {
    label: 'instructions issued',
    unit: 'count',
    metrics: ['smsp__inst_executed.sum', 'sm__inst_executed.sum'],
  },
};

/** Every metric that a page can use: asked for by name, beside the tool's own sections. */
export const ncuMetrics: readonly string[] = Object.values(figures).flatMap(({ metrics }) => metrics);
