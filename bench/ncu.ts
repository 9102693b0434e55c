// Bottlenecks of a variant: one launch of it under Nsight Compute, summed up as JSON and as a page per workload.
//
//   node --import jiti/register bench/ncu.ts --from docs/results/h200-hopper.json --workload 8192.d12.b32 8192.d12.b64 8192.d12.b128
//   node --import jiti/register bench/ncu.ts --workload 8192.d12.b128 --variant <id>
//   node --import jiti/register bench/ncu.ts --read docs/results/ncu-h200.json --pages docs/results      (no GPU)
//
// The variant runs in the runner that also times it, twice on the workload's own data: the first launch checks it against the
// reference, the second is profiled. Needs ncu on PATH (or NCU), and the right to read the GPU's counters.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { Command } from 'commander';
import type { z } from 'zod';
import { archNamed } from '../src/arch/index.ts';
import { defaultJobs } from '../src/compile/context.ts';
import { buildVariant } from '../src/compile/variant.ts';
import { buildWorker } from '../src/compile/worker.ts';
import { jobVariant } from '../src/device/job-variant.ts';
import { type DiscoveredFamily, loadFamily } from '../src/discover.ts';
import { EnvironmentError, UsageError } from '../src/errors.ts';
import { localExecutor } from '../src/exec/local.ts';
import type { Artifact } from '../src/model/artifact.ts';
import { runEvidenceSchema } from '../src/model/evidence.ts';
import { isCandidate } from '../src/model/family.ts';
import { cppSignature } from '../src/render/operation.ts';
import { renderVariant } from '../src/render/render.ts';
import { writeSource } from '../src/render/write.ts';
import { jsonText } from '../src/report/json-text.ts';
import { fastest } from '../src/report/ranking.ts';
import { commitOf } from '../src/setup.ts';
import { pointOfId } from '../src/space/id.ts';
import { variantOf } from '../src/space/variant.ts';
import { findToolchain } from '../src/toolchain/toolchain.ts';
import { Slots } from '../src/util/limit.ts';
import { packageRoot } from '../src/util/package-root.ts';
import { profilePage } from './ncu/page.ts';
import { ncuMetrics, type Profile, type ProfileFile, profileFileSchema } from './ncu/profile.ts';
import { profileOf, readNcuCsv } from './ncu/read.ts';

interface Options {
  readonly family: string;
  readonly arch: string;
  readonly workload: readonly string[];
  readonly variant: readonly string[];
  readonly from?: string;
  readonly out: string;
  readonly json?: string;
  readonly pages?: string;
  readonly read?: string;
  readonly seconds: string;
  readonly set: string;
  readonly dryRun: boolean;
}

const ncu = process.env.NCU ?? 'ncu';
const options = new Command('bench/ncu.ts')
  .option('--family <name>', 'a kernel family', 'bsr-spmm')
  .option('--arch <name>', 'what to compile for', 'sm_90a')
  .option('--workload <id...>', 'what to run', [])
  .option('--variant <id...>', 'which variants, on each workload that they apply to', [])
  .option('--from <evidence>', 'take the best variant of each workload from an evidence file')
  .option('--out <folder>', 'for everything generated', 'generated')
  .option('--json <file>', 'where the summary goes (default: <out>/ncu/ncu.json)')
  .option('--pages <folder>', 'where a page per workload goes (default: <out>/ncu)')
  .option('--read <json>', 'no GPU: write the pages of an earlier summary')
  .option('--seconds <n>', 'limit of one profile', '180')
  .option('--set <name>', "ncu's set of sections", 'full')
  .option('--dry-run', 'build everything, print the commands, run none', false)
  .parse()
  .opts<Options>();
const folder = resolve(options.out, 'ncu');

/** A variant on a workload. */
interface Subject {
  readonly variant: string;
  readonly workload: string;
  readonly median?: number;
}

function readFile<T>(path: string, schema: z.ZodType<T>): T {
  if (!existsSync(path)) throw new UsageError(`there is no file ${path}`);
  return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
}

/** The best variant of each workload by the evidence, and those that were named. */
function subjectsOf({ family }: DiscoveredFamily): Subject[] {
  const evidence = options.from === undefined ? undefined : readFile(options.from, runEvidenceSchema);
  const subjects = options.workload.flatMap((id): Subject[] => {
    const workload = family.workloads.find((one) => one.id === id);
    if (!workload)
      throw new UsageError(
        `${family.name} has no workload ${id}; \`npx gen show ${family.name}\` lists them`,
      );
    const measured = evidence?.workloads.find((one) => one.id === id);
    const best = measured && fastest(measured)[0];
    const able = options.variant.filter((one) => isCandidate(family, pointOfId(family, one), workload));
    return [
      ...(best ? [{ variant: best.subject, workload: id, median: best.median }] : []),
      ...able.map((variant) => ({ variant, workload: id })),
    ];
  });
  if (subjects.length > 0) return subjects;
  throw new UsageError('nothing to profile: name --workload, and --variant or --from; --help lists the rest');
}

/** Everything that profiling needs, built: the runner and a cubin of each variant. */
async function build(discovered: DiscoveredFamily, subjects: readonly Subject[]) {
  const { family, folder: familyFolder } = discovered;
  const out = resolve(options.out);
  const toolchain = await findToolchain(localExecutor);
  if (!toolchain)
    throw new EnvironmentError('there is no CUDA compiler: `npx gen toolchain install`, or set CUDA_HOME');
  const slots = new Slots(defaultJobs());
  const context = {
    executor: localExecutor,
    cacheRoot: join(out, 'artifacts'),
    packageRoot,
    familyFolder,
    signature: cppSignature(family.operation),
    slots,
  };
  const worker = await buildWorker('cuda', toolchain, context);
  const artifacts = new Map<string, Artifact>();
  for (const id of new Set(subjects.map(({ variant }) => variant))) {
    const source = renderVariant(family, familyFolder, variantOf(family, pointOfId(family, id)), out);
    writeSource(source);
    const built = await buildVariant(source, archNamed(options.arch), [], toolchain, context);
    const [cubin] = built.artifacts;
    if (!cubin || built.verdict)
      throw new UsageError(`${id} does not build: ${built.verdict?.evidence.message}`);
    artifacts.set(id, cubin);
  }
  return { worker: worker.path, artifacts };
}

/** A timing job that takes no samples: the check before and the check after are the two launches. */
function jobOf({ family }: DiscoveredFamily, { workload }: Subject, artifact: Artifact): string {
  return JSON.stringify({
    job: 'time',
    id: '1',
    workload: family.workloads.find(({ id }) => id === workload),
    variants: [jobVariant(artifact)],
    baselines: false,
    options: { warmup: 0, samples: 1, launchesPerSample: 1, hot: false, cold: false, recheck: true },
  });
}

/**
 * The runner dies with the thread that started it, and the profiler may start it from a passing one: a shell that stays
 * stands between them, which also reads the job from its file.
 */
const shell = '"$0" < "$1"; code=$?; exit $code';

function profileCommand(
  symbol: string,
  worker: string,
  jobFile: string,
  report: string,
  metrics: readonly string[],
) {
  return [
    ...[ncu, '--target-processes', 'all', '--force-overwrite', '--export', report, '--set', options.set],
    ...(metrics.length > 0 ? ['--metrics', metrics.join(',')] : []),
    ...['--kernel-name', symbol, '--launch-skip', '1', '--launch-count', '1'],
    ...['--replay-mode', 'kernel', '--cache-control', 'none', '--clock-control', 'none'],
    ...['/bin/sh', '-c', shell, worker, jobFile],
  ];
}

/** Profiles one variant; undefined, said on stderr, where the tool gives nothing. */
async function profile(
  discovered: DiscoveredFamily,
  subject: Subject,
  worker: string,
  artifact: Artifact,
): Promise<Profile | undefined> {
  const { symbol } = artifact.source.variant;
  const base = join(folder, `${subject.workload}.${discovered.family.name}-${artifact.key.slice(0, 8)}`);
  const [jobFile, report] = [`${base}.job.json`, `${base}.ncu-rep`];
  writeFileSync(jobFile, `${jobOf(discovered, subject, artifact)}\n`);
  // A release that lacks one of the named metrics may refuse them all: its own sections alone will do then.
  for (const metrics of [ncuMetrics, []]) {
    const argv = profileCommand(symbol, worker, jobFile, report, metrics);
    console.error(`$ ${argv.map((one) => (/^[\w./:,=-]+$/.test(one) ? one : `'${one}'`)).join(' ')}`);
    if (options.dryRun) return undefined;
    rmSync(report, { force: true }); // one of an earlier session would be taken for this one's
    const run = await localExecutor.run(argv, { timeoutMs: 1000 * Number(options.seconds) });
    const said = `${run.stdout}\n${run.stderr}\n`;
    writeFileSync(`${base}.log`, said);
    const csv = existsSync(report) ? await rawPage(report) : undefined;
    if (csv !== undefined) writeFileSync(`${base}.csv`, csv);
    const [launch] = csv === undefined ? [] : readNcuCsv(csv);
    if (launch) return profileOf(launch, { ...subject, device: launch.device });
    console.error(`no profile of ${subject.variant} (see ${base}.log):\n${explained(said)}`);
  }
  return undefined;
}

/** The report's raw page as ncu prints it; undefined if it cannot. */
async function rawPage(report: string): Promise<string | undefined> {
  const argv = [ncu, '--import', report, '--csv', '--page', 'raw', '--print-units', 'base'];
  const { exitCode, stdout } = await localExecutor.run(argv, { timeoutMs: 120_000 });
  return exitCode === 0 ? stdout : undefined;
}

function explained(text: string): string {
  if (text.includes('ERR_NVGPUCTRPERM')) return '  the driver keeps the counters from this user: run as root';
  const said = text
    .split('\n')
    .filter((line) => /==ERROR==|==WARNING==|"verdict":"(?!passed)|error/i.test(line));
  return (said.length > 0 ? said : text.trim().split('\n'))
    .slice(-8)
    .map((line) => `  ${line.slice(0, 400)}`)
    .join('\n');
}

function writePages(file: ProfileFile): void {
  const pages = resolve(options.pages ?? folder);
  mkdirSync(pages, { recursive: true });
  for (const workload of new Set(file.profiles.map((one) => one.workload))) {
    const path = join(pages, `ncu-${workload}.md`);
    writeFileSync(path, profilePage(file, workload));
    console.error(`wrote ${path}`);
  }
}

function writeProfiles(file: ProfileFile): void {
  const json = options.json ?? join(folder, 'ncu.json');
  writeFileSync(json, `${jsonText(file)}\n`);
  console.error(`wrote ${json}`);
  writePages(file);
}

async function firstLine(argv: readonly string[], pattern: RegExp): Promise<string> {
  const answer = await localExecutor.run(argv, { timeoutMs: 30_000 }).catch(() => undefined);
  return pattern.exec(answer?.stdout ?? '')?.[0].trim() ?? 'unknown';
}

/** Provenance of the profiles: command, date, commit, machine; without paths of the machine. */
async function session(familyFolder: string): Promise<Omit<ProfileFile, 'profiles'>> {
  const words = process.argv.slice(2).map((word) => (isAbsolute(word) ? basename(word) : word));
  const commit = await commitOf(localExecutor, familyFolder);
  return {
    command: ['bench/ncu.ts', ...words].join(' '),
    date: new Date().toISOString(),
    ...(commit !== undefined && { commit }),
    ncu: await firstLine([ncu, '--version'], /^Version.*$/m),
    gpu: await firstLine(['nvidia-smi', '--query-gpu=name,driver_version', '--format=csv,noheader'], /^.+$/m),
  };
}

/** Profiles every subject; 1 where one of them gave nothing. */
async function profileAll(): Promise<number> {
  const discovered = await loadFamily(options.family);
  const subjects = subjectsOf(discovered);
  mkdirSync(folder, { recursive: true });
  const { worker, artifacts } = await build(discovered, subjects);
  const head = await session(discovered.folder);
  const profiles: Profile[] = [];
  for (const subject of subjects) {
    const artifact = artifacts.get(subject.variant);
    if (!artifact) throw new Error(`${subject.variant} was not built`);
    const found = await profile(discovered, subject, worker, artifact);
    if (!found) continue;
    profiles.push(found);
    writeProfiles({ ...head, profiles }); // after each one: a session cut short leaves what it has
  }
  return options.dryRun || profiles.length === subjects.length ? 0 : 1;
}

try {
  if (options.read === undefined) process.exitCode = await profileAll();
  else writePages(readFile(options.read, profileFileSchema));
} catch (error) {
  if (!(error instanceof UsageError || error instanceof EnvironmentError)) throw error;
  console.error(`error: ${error.message}`);
  process.exitCode = 2;
}
