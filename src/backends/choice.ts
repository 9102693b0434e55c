import { UsageError } from '../errors.ts';
import type { DeviceName } from '../model/artifact.ts';
import { cuda } from './cuda.ts';
import { emulated } from './emulated.ts';

/** The devices that were asked for. */
export interface DeviceChoice {
  /** As it stands after `--device`. */
  readonly text: string;
  /** In the order in which they gate. */
  readonly devices: readonly DeviceName[];
  /** Whether a run goes on without a GPU where there is none that fits. */
  readonly gpuOptional: boolean;
  /** Numbers of GPUs, those of `cuda:0,2`; absent: all. */
  readonly numbers?: readonly number[];
}

/** The emulated device first, which is cheap and sees what a GPU hides; then the GPUs, where there are any. */
export const automatic: DeviceChoice = {
  text: 'auto',
  devices: [emulated.name, cuda.name],
  gpuOptional: true,
};

export const emulatedOnly: DeviceChoice = {
  text: emulated.name,
  devices: [emulated.name],
  gpuOptional: false,
};

const allGpus: DeviceChoice = { text: cuda.name, devices: [cuda.name], gpuOptional: false };

const allowed = `${[automatic, emulatedOnly, allGpus].map(({ text }) => text).join(', ')}, or numbered GPUs such as ${cuda.name}:1 and ${cuda.name}:0,2`;

/** Reads what stands after `--device`: `auto`, `emulated`, `cuda`, `cuda:1`, `cuda:0,2`. Throws a UsageError. */
export function parseDevices(text: string): DeviceChoice {
  const known = [automatic, emulatedOnly, allGpus].find((choice) => choice.text === text);
  if (known) return known;
  const [name, list = ''] = text.split(/:(.*)/s);
  if (name !== cuda.name || !/^\d{1,4}(,\d{1,4})*$/.test(list))
    throw new UsageError(`there is no device '${text}': choose ${allowed}`);
  const numbers = [...new Set(list.split(',').map(Number))].toSorted((a, b) => a - b);
  return { ...allGpus, text: `${name}:${numbers.join(',')}`, numbers };
}

/** Whether a GPU is to be asked. */
export function wantsGpu({ devices }: DeviceChoice): boolean {
  return devices.includes(cuda.name);
}
