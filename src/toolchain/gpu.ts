import { existsSync } from 'node:fs';
import { cuda } from '../backends/cuda.ts';
import type { Executor } from '../exec/executor.ts';
import type { Gpu } from '../model/gpu.ts';

type Listed = Omit<Gpu, 'id'>;

/** The NVIDIA GPUs that this process may use, as the driver and CUDA_VISIBLE_DEVICES have it; none where there is no driver. */
export async function findGpus(
  executor: Executor,
  visible: string | undefined = process.env.CUDA_VISIBLE_DEVICES,
): Promise<readonly Gpu[]> {
  const query = '--query-gpu=name,uuid,driver_version,compute_cap';
  try {
    const { exitCode, stdout } = await executor.run(['nvidia-smi', query, '--format=csv,noheader'], {
      timeoutMs: 20_000,
    });
    return exitCode === 0 ? usableGpus(stdout, visible) : [];
  } catch {
    return []; // no driver
  }
}

/**
 * The GPUs of nvidia-smi's list that a CUDA program would see, numbered as it would number them. Like CUDA, `visible` lists
 * numbers or beginnings of UUIDs, and ends at the first that there is not. Numbers count in the order of the list, which is
 * CUDA's own with CUDA_DEVICE_ORDER=PCI_BUS_ID.
 */
export function usableGpus(list: string, visible?: string): readonly Gpu[] {
  const all = list.split('\n').flatMap(parseLine);
  const gpus = visible === undefined ? all : listedFirst(visible, all);
  return gpus.map((gpu, index) => ({ id: `${cuda.name}:${index}`, ...gpu }));
}

function listedFirst(visible: string, all: readonly Listed[]): readonly Listed[] {
  const found = visible.split(',').map((entry) => named(entry.trim(), all));
  const end = found.indexOf(undefined);
  const gpus = found.slice(0, end < 0 ? undefined : end).flatMap((gpu) => gpu ?? []);
  return new Set(gpus.map(({ uuid }) => uuid)).size === gpus.length ? gpus : []; // twice the same: CUDA sees none
}

function named(entry: string, all: readonly Listed[]): Listed | undefined {
  if (/^\d+$/.test(entry)) return all[Number(entry)];
  if (entry.startsWith('MIG-')) return instance(entry, all);
  const matches = entry === '' ? [] : all.filter(({ uuid }) => uuid.startsWith(entry));
  return matches.length === 1 ? matches[0] : undefined;
}

/** A part of a GPU. nvidia-smi's list does not tell of which, so that all must be of one kind. */
function instance(uuid: string, all: readonly Listed[]): Listed | undefined {
  const [first, ...others] = all;
  const alike = others.every((gpu) => gpu.computeCapability === first?.computeCapability);
  return first && alike ? { ...first, uuid } : undefined;
}

function parseLine(line: string): Listed[] {
  const [name, uuid, driver, capability] = line.split(',').map((field) => field.trim());
  const computeCapability = Math.round(10 * Number(capability));
  if (!name || !uuid || !driver || !(computeCapability > 0)) return [];
  return [{ name, uuid, driver, computeCapability }];
}

/** True where the kernel driver is loaded, even if its tools are not installed. */
export function hasDriver(): boolean {
  return ['/dev/nvidiactl', '/dev/nvidia0', '/dev/dxg'].some((path) => existsSync(path));
}
