import { resolve } from 'node:path';
import { archNamed, archOf, defaultArch } from '../arch/index.ts';
import { askedGpus } from '../backends/gpus.ts';
import { automatic, backends, emulatedOnly, parseDevices, wantsGpu } from '../backends/index.ts';
import { defaultJobs } from '../compile/context.ts';
import { type Config, loadConfig } from '../config.ts';
import { type DiscoveredFamily, loadFamily } from '../discover.ts';
import { mustBeReplaceable } from '../emit/place.ts';
import { UsageError } from '../errors.ts';
import { localExecutor } from '../exec/local.ts';
import type { Arch } from '../model/arch.ts';
import type { AnyFamily } from '../model/family.ts';
import type { Gpu } from '../model/gpu.ts';
import type { Stage } from '../model/stage.ts';
import type { Workload } from '../model/workload.ts';
import type { Request, Settings } from '../request.ts';
import { mustHaveGpu } from '../setup.ts';
import { presetOf } from '../space/enumerate.ts';
import { parseWhere } from '../space/where.ts';
import { createRun, findRun, openRun, type Run, takeRun } from '../store/run.ts';
import { findGpus } from '../toolchain/gpu.ts';
import { quoted } from '../util/shell.ts';
import { caseOf, withBlock, withMatrix } from './matrix.ts';
import { keepWorkloads, matrixWorkloads } from './matrix-workloads.ts';
import type { Options } from './options.ts';
import { remark } from './output.ts';
import { isFile, onlyOf } from './subject.ts';

/** The configuration for the working directory, with the options that win over it. */
export async function configOf(options: Options): Promise<Config> {
  const config = await loadConfig(process.cwd(), options.config);
  return {
    ...config,
    ...(options.out !== undefined && { out: resolve(options.out) }),
    ...(options.device !== undefined && { device: options.device }),
    ...(options.watchdog !== undefined && { watchdogSeconds: options.watchdog }),
    jobs: options.jobs ?? Math.min(config.jobs, defaultJobs()),
  };
}

export function runsRoot(config: Config): string {
  return resolve(config.out, 'runs');
}

/** The GPUs of this machine, where one is asked. */
async function gpusFor({ device }: Pick<Config, 'device'>): Promise<readonly Gpu[]> {
  return wantsGpu(device) ? findGpus(localExecutor) : [];
}

/** The architecture asked for, that of the first GPU that is asked, or the default, in this order. */
export async function archFor(options: Pick<Options, 'arch'>, config: Config): Promise<Arch> {
  const name = options.arch ?? config.arch;
  if (name !== undefined) return archNamed(name);
  const [gpu] = askedGpus(await gpusFor(config), config.device);
  return (gpu && archOf(gpu.computeCapability)) ?? defaultArch;
}

async function settingsOf(arch: Arch, options: Options, config: Config): Promise<Settings> {
  const { config: file, out, watchdog } = options;
  const other = options.arch !== undefined || !(await isUsual(arch, config));
  return {
    ...(other && { arch: arch.name }),
    ...(file !== undefined && { config: file }),
    ...(out !== undefined && { out }),
    ...(watchdog !== undefined && { watchdog }),
  };
}

/** Whether a later command would choose it too, with a GPU to ask and without one. */
async function isUsual(arch: Arch, config: Config): Promise<boolean> {
  for (const device of [emulatedOnly, automatic])
    if ((await archFor({}, { ...config, device })).name !== arch.name) return false;
  return true;
}

/** A request with the run that keeps its journal. */
export interface Prepared {
  readonly request: Request;
  readonly run: Run;
  readonly resumed: boolean;
}

/** A new run over a family's space, over one variant of it, or over a file in place of a variant. */
export async function prepareNew(
  familyName: string,
  stages: readonly Stage[],
  options: Options,
  subject?: string,
): Promise<Prepared> {
  const config = await configOf(options);
  refuseIdle(options, config, subject);
  const times = stages.includes('time');
  const gated = times ? undefined : options.matrix;
  const discovered = await loadWith(familyName, config, gated);
  const arch = await archFor(options, config);
  const only = subject === undefined ? undefined : onlyOf(subject, discovered, arch, options.as);
  const space = only
    ? {}
    : spaceOf(
        discovered.family,
        withBlock(options, discovered.family),
        await usualPreset(discovered, arch, config, stages),
      );
  const depth = options.depth ?? 'quick';
  await mustHaveDevice(config, arch, stages);
  if (stages.includes('emit')) mustBeReplaceable(config.out);
  const settings = await settingsOf(arch, options, config);
  const given = times ? await matrixWorkloads(discovered, options, config) : undefined;
  const run = createRun(runsRoot(config), {
    family: discovered.family.name,
    arch: arch.name,
    command: ['gen', ...process.argv.slice(2).map(quoted)].join(' '),
    space,
    depth,
    device: config.device.text,
    ...(only && { only: only.variant.id }),
    ...(gated !== undefined && { matrix: gated }),
    ...(given && { workloads: given.map(({ id }) => id) }),
    ...(only?.source && { file: only.source.path }),
  });
  const gate = gateOf(depth, options, gated);
  const request = requestOf({ discovered, arch, space, only, stages, config, options, gate, settings });
  return { run, resumed: false, request: { ...request, ...workloadsFor(run, given) } };
}

/**
 * An existing run, to go on with or to do further stages of. Which points and which gate: as it was begun. One about a single
 * variant goes as far as its verdict: a library of it alone would take the place of the library.
 */
export async function prepareExisting(
  id: string | undefined,
  familyName: string | undefined,
  stages: readonly Stage[],
  options: Options,
): Promise<Prepared> {
  refuse(
    options,
    ['preset', 'where', 'limit', 'arch', 'depth'],
    'cannot be changed for a run that was begun: leave it out, or begin a new run',
  );
  if (options.static && options.prefix === undefined)
    throw new UsageError('--static says how to install: name the folder with --prefix <folder>');
  const config = await configOf(options);
  if (stages.includes('emit')) mustBeReplaceable(config.out);
  const root = runsRoot(config);
  const later = id === undefined && !stages.includes('render'); // stands on what a run has done before
  const found =
    (later ? findRun(root, hasPassed, remark, familyName) : undefined) ??
    openRun(root, id, familyName, remark);
  const { info } = found;
  if (familyName !== undefined && info.family !== familyName) {
    throw new UsageError(`run ${info.id} is one of ${info.family}, not of ${familyName}`);
  }
  const discovered = await loadWith(info.family, config, info.matrix);
  const gate = { depth: info.depth, ...(info.matrix !== undefined && { case: caseOf(info.matrix) }) };
  const arch = archNamed(info.arch);
  const only =
    info.only === undefined ? undefined : onlyOf(info.file ?? info.only, discovered, arch, info.only);
  const upToGate: readonly Stage[] = ['render', 'build', 'gate'];
  const wanted = only && stages.includes('gate') ? upToGate : stages;
  const device = { ...config, device: options.device ?? parseDevices(info.device) };
  await mustHaveDevice(device, arch, wanted);
  const settings = await settingsOf(arch, options, config);
  const given = await matrixWorkloads(discovered, options, config);
  const request = requestOf({
    discovered,
    arch,
    space: info.space,
    only,
    stages: wanted,
    config: device,
    options,
    gate,
    settings,
  });
  const run = takeRun(found);
  return { run, resumed: true, request: { ...request, ...workloadsFor(run, given) } };
}

/** The run's workloads of files, and what is timed: those of --matrix, else those that the run was begun for, else all. */
function workloadsFor(run: Run, given: readonly Workload[] | undefined): Pick<Request, 'further' | 'timed'> {
  const further = keepWorkloads(run, given ?? []);
  const begun = run.info.workloads;
  const timed = given ?? (begun && further.filter(({ id }) => begun.includes(id)));
  return { further, ...(timed && { timed }) };
}

async function loadWith(name: string, config: Config, matrix: string | undefined): Promise<DiscoveredFamily> {
  const discovered = await loadFamily(name, { families: config.families });
  return { ...discovered, family: withMatrix(discovered.family, matrix) };
}

function hasPassed(run: Run): boolean {
  return run.records().some((one) => one.event === 'verdict' && one.verdict === 'passed');
}

/** Nobody should wait for a compiler to learn that the GPU that was asked for is not there. */
async function mustHaveDevice({ device }: Config, arch: Arch, stages: readonly Stage[]): Promise<void> {
  const asksGpu = stages.includes('gate') || stages.includes('time');
  if (asksGpu && wantsGpu(device) && !device.gpuOptional) await mustHaveGpu(device, arch, localExecutor);
}

/** Throws a UsageError for options that mean nothing here: nobody should believe them obeyed. */
export function refuse(options: Options, names: readonly (keyof Options)[], why: string): void {
  const given = names.filter((name) => options[name] !== undefined);
  if (given.length === 0) return;
  throw new UsageError(`${given.map((name) => `--${name}`).join(', ')} ${why}`);
}

function refuseIdle(options: Options, { device }: Config, subject: string | undefined): void {
  if (subject !== undefined)
    refuse(options, ['preset', 'where', 'limit'], 'cannot narrow one variant: leave it out, or the variant');
  if (subject === undefined || !isFile(subject))
    refuse(options, ['as'], 'says which variant a .cu file stands for: name the file, or leave it out');
  if (!device.devices.some((name) => backends[name].seeded))
    refuse(
      options,
      ['seed'],
      `is for the emulated device, and --device ${device.text} does not ask it: leave one out`,
    );
}

function requestOf(parts: {
  readonly discovered: DiscoveredFamily;
  readonly arch: Arch;
  readonly space: Omit<Request['space'], 'arch'>;
  readonly only: Request['only'] | undefined;
  readonly stages: readonly Stage[];
  readonly config: Config;
  readonly options: Options;
  readonly gate: Request['gate'];
  readonly settings: Settings;
}): Request {
  const { discovered, arch, space, only, stages, config, options, gate, settings } = parts;
  const { family, folder } = discovered;
  const { device, jobs, out, watchdogSeconds } = config;
  const wisdom = discovered.wisdom.find((one) => one.arch === arch.name);
  return {
    ...(wisdom && { wisdom }),
    ...{ family, folder, arch, gate, settings, device, jobs, out, watchdogSeconds },
    space: { arch, ...space },
    ...(only && { only }),
    ...(options.accuracy !== undefined && { accuracy: options.accuracy }),
    ...(options.dump !== undefined && { dump: options.dump }),
    ...prefixOf(options),
    stages: new Set(stages),
    install: options.install,
  };
}

function prefixOf({ prefix, static: archives }: Options): Pick<Request, 'prefix'> {
  return prefix === undefined ? {} : { prefix: { path: resolve(prefix), shared: archives !== true } };
}

/** Default preset. For a library made without a GPU it is that of the shipped winners. */
async function usualPreset(
  { wisdom }: DiscoveredFamily,
  arch: Arch,
  config: Config,
  stages: readonly Stage[],
): Promise<string> {
  const known = wisdom.find((one) => one.arch === arch.name);
  const holds = known?.records.some(({ variant }) => !known.gone.includes(variant)) ?? false;
  if (!holds || !stages.includes('emit')) return 'default';
  const gpus = await gpusFor(config);
  return gpus.length > 0 ? 'default' : 'shipped';
}

/** The `usual` preset where nothing else is said. Refuses what the family lacks, so that no run begins with it. */
export function spaceOf(
  family: AnyFamily,
  { preset, where, limit }: Options,
  usual = 'default',
): Omit<Request['space'], 'arch'> {
  const unsaid = preset === undefined && where === undefined && family.presets[usual] !== undefined;
  const chosen = unsaid ? usual : preset;
  presetOf(family, chosen);
  if (where !== undefined) parseWhere(where, family);
  return {
    ...(chosen !== undefined && { preset: chosen }),
    ...(where !== undefined && { where }),
    ...(limit !== undefined && { limit }),
  };
}

function gateOf(depth: 'quick' | 'full', options: Options, matrix: string | undefined): Request['gate'] {
  return {
    depth,
    ...(matrix !== undefined && { case: caseOf(matrix) }),
    ...(options.case !== undefined && { case: options.case }),
    ...(options.seed !== undefined && { seed: options.seed }),
  };
}
