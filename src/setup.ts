import { availableParallelism, cpus } from 'node:os';
import { join, relative } from 'node:path';
import { archOf } from './arch/index.ts';
import type { CompileContext } from './compile/context.ts';
import { l2BandwidthOf, limitsOf } from './device/limits.ts';
import type { DeviceInfo } from './device/protocol.ts';
import { EnvironmentError } from './errors.ts';
import type { Executor } from './exec/executor.ts';
import type { Arch } from './model/arch.ts';
import type { DeviceName } from './model/artifact.ts';
import type { EnvironmentEvent } from './model/event.ts';
import type { Host, Request } from './request.ts';
import type { Toolchain } from './toolchain/find.ts';
import { findGpus, type Gpu, hasDriver } from './toolchain/gpu.ts';
import { Slots } from './util/limit.ts';
import { describeOwner } from './util/lock.ts';
import { packageRoot } from './util/package-root.ts';

/** The devices that a run gates on, in order, and why there are no times where there are none. */
export interface Bench {
  readonly devices: readonly DeviceName[];
  readonly gpu?: Gpu;
  readonly untimed?: string;
}

/**
 * The emulated device always gates first: it is cheap and sees what a GPU hides. A GPU follows where there is one whose
 * architecture is the one compiled for. `--device` narrows this to one of the two.
 */
export async function chooseDevices(request: Request, host: Host): Promise<Bench> {
  if (request.device === 'emulated') {
    return {
      devices: ['emulated'],
      untimed: 'only the emulated device was asked for, and its times mean nothing',
    };
  }
  if (request.device === 'cuda')
    return { devices: ['cuda'], gpu: await mustHaveGpu(request.arch, host.executor) };
  const found = await findGpuFor(request.arch, host.executor);
  if ('gpu' in found) return { devices: ['emulated', 'cuda'], gpu: found.gpu };
  return {
    devices: ['emulated'],
    untimed: `${found.obstacle}, and times of the emulated device mean nothing`,
  };
}

/** The GPU that code for an arch runs on. Throws an EnvironmentError where there is none: nothing else may stand in for it. */
export async function mustHaveGpu(arch: Arch, executor: Executor): Promise<Gpu> {
  const found = await findGpuFor(arch, executor);
  if ('gpu' in found) return found.gpu;
  throw new EnvironmentError(
    `--device cuda: ${found.obstacle}; --device emulated gates without one, and \`gen build\` only compiles`,
  );
}

async function findGpuFor(
  arch: Arch,
  executor: Executor,
): Promise<{ readonly gpu: Gpu } | { readonly obstacle: string }> {
  const [gpu] = await findGpus(executor);
  if (gpu === undefined) return { obstacle: missingGpu() };
  const obstacle = mismatch(gpu, arch);
  return obstacle === undefined ? { gpu } : { obstacle };
}

function missingGpu(): string {
  return hasDriver()
    ? 'there is an NVIDIA driver but nvidia-smi shows no GPU (see `npx gen doctor`)'
    : 'this machine has no NVIDIA GPU';
}

function mismatch(gpu: Gpu, arch: Arch): string | undefined {
  const own = archOf(gpu.computeCapability);
  if (own?.name === arch.name) return undefined;
  const use = own ? `; use --arch ${own.name}` : '';
  return `code for ${arch.name} does not run on this ${gpu.name}${use}`;
}

/** What a run's figures depend on beside its variants. `gpu`: what the runner on the GPU said of it, where there is one. */
export async function environmentOf(
  { folder }: Request,
  { executor }: Host,
  { nvccVersion, cxxVersion }: Toolchain,
  gpu: DeviceInfo | undefined,
): Promise<EnvironmentEvent> {
  const commit = await commitOf(executor, folder);
  return {
    event: 'environment',
    ...(commit && { commit }),
    nvcc: nvccVersion,
    cxx: cxxVersion,
    host: { cpu: cpus()[0]?.model ?? 'unknown', cores: availableParallelism(), node: process.version },
    ...(gpu && { gpu: describeGpu(gpu) }),
  };
}

/** Without the uuid: evidence is published. */
function describeGpu(info: DeviceInfo): NonNullable<EnvironmentEvent['gpu']> {
  const { uuid: _, device: _d, ...rest } = info;
  return { ...rest, ...limitsOf(info), l2Bandwidth: l2BandwidthOf(info) };
}

/** Where a request's compilers read and write. `note`: told now and then what is waited for. */
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
    slots: new Slots(request.jobs),
    signal: host.signal,
    onWait: (owner) => note(`waiting for ${describeOwner(owner)}, which compiles what is needed here too`),
  };
}

/** Folders of this package whose every file goes into a runner, a kernel or a library; of its families, only the run's own does. */
const sourceFolders = ['src', 'harness', 'templates/include', 'templates/bindings'];

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
