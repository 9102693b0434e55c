import { join } from 'node:path';
import { cuda, wantsGpu } from '../backends/index.ts';
import type { CompileContext } from '../compile/context.ts';
import { buildWorker } from '../compile/worker.ts';
import { type DeviceSession, openDevice } from '../device/session.ts';
import { EnvironmentError } from '../errors.ts';
import type { Executor } from '../exec/executor.ts';
import { localExecutor } from '../exec/local.ts';
import type { CheckingGpu } from '../kernel-file/gpu.ts';
import { readSanitizerLog, type Sanitizer, sanitizers } from '../kernel-file/sanitizer.ts';
import type { Gpu } from '../model/gpu.ts';
import type { Verdict } from '../model/verdict.ts';
import { findGpus } from '../toolchain/gpu.ts';
import { findToolchain } from '../toolchain/toolchain.ts';
import { makeTemporary, removeTemporary } from '../util/temporary.ts';
import type { Options } from './options.ts';

/** A GPU beside the emulated device, where one is asked for by name. Throws an EnvironmentError where it is not there. */
export async function openGpu(
  context: CompileContext,
  flags: Options,
): Promise<(CheckingGpu & { readonly close: () => Promise<void> }) | undefined> {
  const { device } = flags;
  if (device === undefined || !wantsGpu(device) || device.gpuOptional) return undefined;
  const [gpu] = await findGpus(localExecutor);
  const toolchain = await findToolchain(localExecutor);
  if (!gpu) throw new EnvironmentError(`--device ${device.text}: this machine has no NVIDIA GPU`);
  if (!toolchain)
    throw new EnvironmentError(`--device ${device.text} needs nvcc: a CUDA toolkit is not found`);
  const worker = await buildWorker(cuda.name, toolchain, context);
  const patience = { kernel: flags.watchdog ?? cuda.patience.kernel, host: cuda.patience.host };
  const start = (executor: Executor) => startOn(worker.path, executor, patience, gpu);
  const { sanitize } = flags;
  let opened: Promise<DeviceSession> | undefined;
  const session = () => {
    opened ??= start(localExecutor);
    return opened;
  };
  return {
    compilers: toolchain,
    arch: archOf(gpu),
    name: gpu.name,
    use: async (task) => (sanitize === undefined ? task(await session()) : sanitized(sanitize, start, task)),
    close: async () => (await opened?.catch(() => undefined))?.close(),
  };
}

async function startOn(
  path: string,
  executor: Executor,
  patience: typeof cuda.patience,
  gpu: Gpu,
): Promise<DeviceSession> {
  const device = await openDevice(cuda.name, path, executor, patience, { gpu });
  if (!device.available) throw new EnvironmentError(device.reason);
  return device.session;
}

/** Features of one architecture alone are asked for where there are any: wgmma needs sm_90a. */
function archOf({ computeCapability }: Gpu): string {
  return `sm_${computeCapability}${computeCapability >= 90 ? 'a' : ''}`;
}

/** Gates within a worker of its own, which compute-sanitizer watches: what it finds makes a passed kernel fail. */
async function sanitized(
  tool: Sanitizer,
  start: (executor: Executor) => Promise<DeviceSession>,
  task: (session: DeviceSession) => Promise<Verdict>,
): Promise<Verdict> {
  const folder = makeTemporary('sanitizer');
  const log = join(folder, `${tool}.log`);
  const command = ['compute-sanitizer', '--tool', tool, '--log-file', log];
  try {
    const session = await start({
      ...localExecutor,
      open: (argv, options) => localExecutor.open([...command, ...argv], options),
    });
    const verdict = await task(session).finally(() => session.close());
    const { errors, first } = readSanitizerLog(log);
    const evidence = { ...verdict.evidence, sanitizer: { tool, errors } };
    if (errors === 0 || verdict.verdict !== 'passed') return { ...verdict, evidence };
    const message = `compute-sanitizer ${tool}: ${errors} errors, the first: ${first}`;
    return { ...verdict, verdict: sanitizers[tool], evidence: { ...evidence, message } };
  } finally {
    removeTemporary(folder);
  }
}
