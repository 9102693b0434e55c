// What bounds a variant: one launch of it under Nsight Compute, summed up as JSON and as a page per workload.
//
//   node --import jiti/register bench/ncu.ts --from docs/results/h200-hopper.json --workload 8192.d12.b32 8192.d12.b64 8192.d12.b128
//   node --import jiti/register bench/ncu.ts --workload 8192.d12.b128 --variant <id>
//   node --import jiti/register bench/ncu.ts --read docs/results/ncu-h200.json --pages docs/results      (no GPU)
//
// The variant runs in the runner that also times it, twice on the workload's own data: the first launch checks it against the
// reference, the second is profiled. Needs ncu on PATH (or NCU), and the right to read the GPU's counters.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { archNamed } from '../src/arch/index.ts';
import { defaultJobs } from '../src/compile/context.ts';
import { buildVariant } from '../src/compile/variant.ts';
import { buildWorker } from '../src/compile/worker.ts';
import { jobVariant } from '../src/device/job-variant.ts';
import { type DiscoveredFamily, loadFamily } from '../src/discover.ts';
import { localExecutor } from '../src/exec/local.ts';
import type { Artifact } from '../src/model/artifact.ts';
import { type RunEvidence, runEvidenceSchema } from '../src/model/evidence.ts';
import { renderVariant } from '../src/render/render.ts';
import { writeSource } from '../src/render/write.ts';
import { jsonText } from '../src/report/json-text.ts';
import {
  ncuMetrics,
  type Profile,
  type ProfileFile,
  profileOf,
  profilePage,
  readNcuCsv,
} from '../src/report/ncu.ts';
import { fastest } from '../src/report/ranking.ts';
import { commitOf } from '../src/setup.ts';
import { pointOfId } from '../src/space/id.ts';
import { variantOf } from '../src/space/variant.ts';
import { findToolchain } from '../src/toolchain/toolchain.ts';
import { Slots } from '../src/util/limit.ts';
import { packageRoot } from '../src/util/package-root.ts';

const usage = `bench/ncu.ts [options]
  --family <name>      default: bsr-spmm
  --arch <name>        default: sm_90a
  --workload <id...>   what to run; repeat it or list several
  --variant <id...>    which variants on each workload that they apply to
  --from <evidence>    take the best variant of each workload from an evidence file
  --out <folder>       for everything generated (default: generated)
  --json <file>        where the summary goes (default: <out>/ncu/ncu.json)
  --pages <folder>     where a page per workload goes (default: <out>/ncu)
  --read <json>        no GPU: write the pages of an earlier summary
  --seconds <n>        limit of one profile (default: 180)
  --set <name>         ncu's set of sections (default: full)
  --dry-run            build everything, print the commands, run none`;

const ncu = process.env.NCU ?? 'ncu';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    family: { type: 'string', default: 'bsr-spmm' },
    arch: { type: 'string', default: 'sm_90a' },
    workload: { type: 'string', multiple: true, default: [] },
    variant: { type: 'string', multiple: true, default: [] },
    from: { type: 'string' },
    out: { type: 'string', default: 'generated' },
    json: { type: 'string' },
    pages: { type: 'string' },
    read: { type: 'string' },
    seconds: { type: 'string', default: '180' },
    set: { type: 'string', default: 'full' },
    'dry-run': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** A variant on a workload. */
interface Subject {
  readonly variant: string;
  readonly workload: string;
  readonly median?: number;
}

function readEvidence(path: string): RunEvidence {
  return runEvidenceSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
}

/** Values after the first of a flag that takes several are positional: ids of variants hold an underscore, workloads none. */
function subjectsOf({ family }: DiscoveredFamily): Subject[] {
  const variants = [...options.variant, ...positionals.filter((one) => one.includes('_'))];
  const workloads = [...options.workload, ...positionals.filter((one) => !one.includes('_'))];
  const evidence = options.from === undefined ? undefined : readEvidence(options.from);
  return workloads.flatMap((id): Subject[] => {
    const workload = family.workloads.find((one) => one.id === id);
    if (!workload)
      throw new Error(`${family.name} has no workload ${id}; \`gen show ${family.name}\` lists them`);
    const measured = evidence?.workloads.find((one) => one.id === id);
    const best = measured && fastest(measured)[0];
    const able = variants.filter((one) => family.applies(pointOfId(family, one), workload));
    return [
      ...(best ? [{ variant: best.subject, workload: id, median: best.median }] : []),
      ...able.map((variant) => ({ variant, workload: id })),
    ];
  });
}

/** Everything that profiling needs, built: the runner and a cubin of each variant. */
async function build(discovered: DiscoveredFamily, subjects: readonly Subject[]) {
  const { family, folder } = discovered;
  const out = resolve(options.out);
  const toolchain = await findToolchain(localExecutor);
  if (!toolchain) throw new Error('there is no CUDA compiler: `gen toolchain install`, or set CUDA_HOME');
  const slots = new Slots(defaultJobs());
  const context = {
    executor: localExecutor,
    cacheRoot: join(out, 'artifacts'),
    packageRoot,
    familyFolder: folder,
  };
  const worker = await buildWorker('cuda', toolchain, context, slots);
  const artifacts = new Map<string, Artifact>();
  for (const id of new Set(subjects.map(({ variant }) => variant))) {
    const source = renderVariant(family, folder, variantOf(family, pointOfId(family, id)), out);
    writeSource(source);
    const built = await buildVariant(source, archNamed(options.arch), false, toolchain, context, slots);
    const cubin = built.artifacts.find(({ device }) => device === 'cuda');
    if (!cubin || built.verdict) throw new Error(`${id} does not build: ${built.verdict?.evidence.message}`);
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

async function profile(
  discovered: DiscoveredFamily,
  subject: Subject,
  worker: string,
  artifact: Artifact,
  folder: string,
) {
  const { symbol } = artifact.source.variant;
  const base = join(folder, `${subject.workload}.${discovered.family.name}-${artifact.key.slice(0, 8)}`);
  const [jobFile, report] = [`${base}.job.json`, `${base}.ncu-rep`];
  writeFileSync(jobFile, `${jobOf(discovered, subject, artifact)}\n`);
  const read = [ncu, '--import', report, '--csv', '--page', 'raw', '--print-units', 'base'];
  // A release that lacks one of the named metrics may refuse them all: its own sections alone will do then.
  for (const metrics of [ncuMetrics, []]) {
    const argv = profileCommand(symbol, worker, jobFile, report, metrics);
    console.error(`$ ${argv.map((one) => (/^[\w./:,=-]+$/.test(one) ? one : `'${one}'`)).join(' ')}`);
    if (options['dry-run']) return undefined;
    const run = await localExecutor.run(argv, { timeoutMs: 1000 * Number(options.seconds) });
    const csv = existsSync(report) ? await localExecutor.run(read, { timeoutMs: 120_000 }) : undefined;
    writeFileSync(`${base}.log`, `${run.stdout}\n${run.stderr}\n`);
    if (csv?.exitCode === 0) {
      writeFileSync(`${base}.csv`, csv.stdout);
      const [launch] = readNcuCsv(csv.stdout);
      if (launch) return profileOf(launch, { ...subject, device: launch.device });
    }
    console.error(
      `no profile of ${subject.variant} (see ${base}.log):\n${explained(`${run.stdout}\n${run.stderr}`)}`,
    );
  }
  return undefined;
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

function writePages(file: ProfileFile, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const workload of new Set(file.profiles.map((one) => one.workload))) {
    const path = join(folder, `ncu-${workload}.md`);
    writeFileSync(path, profilePage(file, workload));
    console.error(`wrote ${path}`);
  }
}

async function firstLine(argv: readonly string[], pattern: RegExp): Promise<string> {
  const answer = await localExecutor.run(argv, { timeoutMs: 30_000 }).catch(() => undefined);
  return pattern.exec(answer?.stdout ?? '')?.[0].trim() ?? 'unknown';
}

async function main(): Promise<number> {
  const folder = resolve(options.out, 'ncu');
  if (options.read !== undefined) {
    writePages(
      JSON.parse(readFileSync(options.read, 'utf8')) as ProfileFile,
      resolve(options.pages ?? folder),
    );
    return 0;
  }
  const discovered = await loadFamily(options.family);
  const subjects = subjectsOf(discovered);
  if (subjects.length === 0)
    throw new Error(`nothing to profile: name --workload, and --variant or --from\n${usage}`);
  mkdirSync(folder, { recursive: true });
  const { worker, artifacts } = await build(discovered, subjects);
  const commit = await commitOf(localExecutor);
  const head = {
    // Where a machine keeps its files is nobody's business.
    command: [
      'bench/ncu.ts',
      ...process.argv.slice(2).map((word) => (isAbsolute(word) ? basename(word) : word)),
    ].join(' '),
    date: new Date().toISOString(),
    ...(commit !== undefined && { commit }),
    ncu: await firstLine([ncu, '--version'], /^Version.*$/m),
    gpu: await firstLine(['nvidia-smi', '--query-gpu=name,driver_version', '--format=csv,noheader'], /^.+$/m),
  };
  const profiles: Profile[] = [];
  for (const subject of subjects) {
    const artifact = artifacts.get(subject.variant);
    if (!artifact) throw new Error(`${subject.variant} was not built`);
    const found = await profile(discovered, subject, worker, artifact, folder);
    if (found) profiles.push(found);
    if (profiles.length === 0) continue;
    // After each one: a session cut short leaves what it has.
    const file: ProfileFile = { ...head, profiles };
    const json = options.json ?? join(folder, 'ncu.json');
    writeFileSync(json, `${jsonText(file)}\n`);
    console.error(`wrote ${json}`);
    writePages(file, resolve(options.pages ?? folder));
  }
  return options['dry-run'] || profiles.length === subjects.length ? 0 : 1;
}

if (options.help) console.log(usage);
else process.exitCode = await main();
