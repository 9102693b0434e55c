import { availableParallelism, cpus } from 'node:os';
import { join, relative } from 'node:path';
import { type ChosenGpus, chooseGpus } from './backends/gpus.ts';
import { backends, type DeviceChoice, emulated, wantsGpu } from './backends/index.ts';
import type { CompileContext } from './compile/context.ts';
import { l2BandwidthOf, limitsOf, peaksOf } from './device/limits.ts';
import type { DeviceInfo } from './device/protocol.ts';
import { EnvironmentError } from './errors.ts';
import type { Executor } from './exec/executor.ts';
import type { Arch } from './model/arch.ts';
import type { DeviceName } from './model/artifact.ts';
import type { EnvironmentEvent } from './model/event.ts';
import type { Gpu } from './model/gpu.ts';
import { cppSignature } from './render/operation.ts';
import type { Host, Request } from './request.ts';
import type { Toolchain } from './toolchain/find.ts';
import { findGpus, hasDriver } from './toolchain/gpu.ts';
import { Slots } from './util/limit.ts';
import { describeOwner } from './util/lock.ts';
import { packageRoot } from './util/package-root.ts';

/** The devices that a run gates on, in order, and why there are no times where there are none. */
export interface ChosenDevices {
  readonly devices: readonly DeviceName[];
  /** The device that times, and the GPUs behind it. */
  readonly timer?: DeviceName;
  readonly gpus: readonly Gpu[];
  /** A sentence on each GPU that is there and is not used. */
  readonly leftOut: readonly string[];
  readonly untimed?: string;
}

/** The devices that were asked for, as far as this machine has them. Throws an EnvironmentError where one must be there and is not. */
export async function chooseDevices(
  { device, arch }: Pick<Request, 'device' | 'arch'>,
  { executor }: Pick<Host, 'executor'>,
): Promise<ChosenDevices> {
  if (!wantsGpu(device))
    return withoutGpu(
      device.devices,
      `only the ${device.text} device was asked for, and its times mean nothing`,
    );
  const found = await findGpusFor(device, arch, executor);
  const { gpus, leftOut, obstacle } = found;
  if (obstacle === undefined) {
    const timer = device.devices.find((name) => backends[name].times);
    return { devices: device.devices, gpus, leftOut, ...(timer && { timer }) };
  }
  if (!device.gpuOptional) throw noGpu(device, obstacle);
  return withoutGpu(device.devices, `${obstacle}, and times of the emulated device mean nothing`);
}

/** The devices that are no GPU, and why nothing is timed. */
export function withoutGpu(devices: readonly DeviceName[], untimed: string): ChosenDevices {
  return { devices: devices.filter((name) => !backends[name].gpu), gpus: [], leftOut: [], untimed };
}

/** Throws an EnvironmentError where the GPUs that were asked for are not there: nothing else may stand in for them. */
export async function mustHaveGpu(choice: DeviceChoice, arch: Arch, executor: Executor): Promise<void> {
  const { obstacle } = await findGpusFor(choice, arch, executor);
  if (obstacle !== undefined) throw noGpu(choice, obstacle);
}

function noGpu({ text }: DeviceChoice, obstacle: string): EnvironmentError {
  return new EnvironmentError(
    `--device ${text}: ${obstacle}; --device ${emulated.name} gates without one, and \`gen build\` only compiles`,
  );
}

async function findGpusFor(choice: DeviceChoice, arch: Arch, executor: Executor): Promise<ChosenGpus> {
  return chooseGpus(await findGpus(executor), choice, arch, whyNoGpu);
}

function whyNoGpu(): string {
  return hasDriver()
    ? 'there is an NVIDIA driver but nvidia-smi shows no GPU, or CUDA_VISIBLE_DEVICES hides it (see `npx gen doctor`)'
    : 'this machine has no NVIDIA GPU';
}

/** Environment that a run's figures depend on. `gpus`: properties that the runner on each GPU reported. */
export async function environmentOf(
  { folder }: Request,
  { executor }: Host,
  { nvccVersion, cxxVersion }: Toolchain,
  gpus: ReadonlyMap<string, DeviceInfo>,
): Promise<EnvironmentEvent> {
  const all = [...gpus].map(([id, { name }]) => ({ id, name }));
  const [first] = gpus.values();
  const commit = await commitOf(executor, folder);
  return {
    event: 'environment',
    ...(commit && { commit }),
    nvcc: nvccVersion,
    cxx: cxxVersion,
    host: { cpu: cpus()[0]?.model ?? 'unknown', cores: availableParallelism(), node: process.version },
    ...(all.length > 1 && { gpus: all }),
    ...(first && { gpu: describeGpu(first) }),
  };
}

/** Without the uuid: evidence is published. */
function describeGpu(info: DeviceInfo): NonNullable<EnvironmentEvent['gpu']> {
  const { uuid: _, device: _d, ...rest } = info;
  return { ...rest, ...limitsOf(info, 'f16'), peaks: peaksOf(info), l2Bandwidth: l2BandwidthOf(info) };
}

/** Paths and limits of a request's compilers. `note`: called now and then with what is being waited for. */
export function compileContext(
  request: Request,
  host: Host,
  note: (message: string) => void,
): CompileContext {
  return {
    executor: host.executor,
    cacheRoot: join(request.out, 'artifacts'),
    packageRoot,
    familyFolder: request.folder,
    signature: cppSignature(request.family.operation),
    slots: new Slots(request.jobs),
    signal: host.signal,
    onWait: (owner) => note(`waiting for ${describeOwner(owner)}, which compiles the same sources`),
  };
}

/** Folders of this package whose every file goes into a runner, a kernel or a library; of its families, only the run's own does. */
const sourceFolders = ['src', 'harness', 'kit', 'templates/bindings'];

/**
 * Commit of this package's checkout, `-dirty` where files differ from it or, among the sources and in the family's folder,
 * are not in it; undefined where it is not a checkout. Where the files were copied without their history, TILEWRIGHT_COMMIT
 * says which commit they are.
 */
export async function commitOf(
  executor: Executor,
  familyFolder: string,
  root = packageRoot,
): Promise<string | undefined> {
  const told = process.env.TILEWRIGHT_COMMIT;
  if (told) return told;
  const git = (...args: string[]) =>
    executor.run(['git', '-C', root, ...args], { timeoutMs: 10_000 }).catch(() => undefined);
  const top = await git('rev-parse', '--show-toplevel', 'HEAD');
  const [folder, commit] = top?.exitCode === 0 ? top.stdout.split('\n') : [];
  if (folder !== root || !commit) return undefined;
  const family = relative(root, familyFolder);
  const folders = [...sourceFolders, ...(family.startsWith('..') ? [] : [family])]; // elsewhere: not of this commit
  const changes = await git('status', '--porcelain', '--untracked-files=no');
  const strangers = await git('status', '--porcelain', '--untracked-files=normal', '--', ...folders);
  return changes?.stdout || strangers?.stdout ? `${commit}-dirty` : commit;
}
