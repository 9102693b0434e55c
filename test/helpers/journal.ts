import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { type EnvironmentEvent, type JournalRecord, recordSchema } from '../../src/model/event.ts';
import { openRun, type Run } from '../../src/store/run.ts';
import { packageRoot } from '../../src/util/package-root.ts';
import { folderOf } from './folder.ts';

/**
 * A part of a run of bsr-spmm on an H200 on 2026-11-21: one workload, the three fastest variants and two others of each
 * path, two variants that failed. It was made before journals held their environment.
 */
export const h200Run = 'bsr-spmm-20261121-101957';

/** A copy of the run in a folder of its own; `more` goes into its journal. */
export function h200Copy(more: readonly JournalRecord[] = []): { readonly out: string; readonly run: Run } {
  const out = folderOf();
  const kept = join(packageRoot, 'test/fixtures/journals', h200Run);
  cpSync(kept, join(out, 'runs', h200Run), { recursive: true });
  const run = openRun(join(out, 'runs'), h200Run);
  for (const record of more) run.append(recordSchema.parse(record));
  return { out, run };
}

/** An H200 as its runner describes it. */
export const h200: EnvironmentEvent = {
  event: 'environment',
  commit: '0123456789abcdef',
  nvcc: '13.0.88',
  cxx: '12.2.0',
  host: { cpu: 'a CPU', cores: 16, node: 'v20.19.0' },
  gpu: {
    name: 'NVIDIA H200',
    driver: '580.159',
    runtime: '13.0',
    computeCapability: 90,
    smCount: 132,
    maxSmClock: 1980,
    memoryBytes: 150_000_000_000,
    l2Bytes: 60 * 2 ** 20,
    peakTflops: 1070.5,
    bandwidth: 4.9e12,
    l2Bandwidth: 10.1e12,
  },
};
