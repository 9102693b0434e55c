import { basename, dirname, join, resolve } from 'node:path';
import { cuda, emulated } from '../backends/index.ts';
import { type CompileContext, defaultJobs, type RunnerCompilers } from '../compile/context.ts';
import { buildWorker } from '../compile/worker.ts';
import { type DeviceSession, openDevice } from '../device/session.ts';
import { describedFamilies, loadDescribed } from '../discover.ts';
import { EnvironmentError, UsageError } from '../errors.ts';
import { localExecutor } from '../exec/local.ts';
import { type Checked, type CheckHost, checkSource, draftPlans } from '../kernel-file/check.ts';
import { descriptionJsonSchema } from '../kernel-file/description.ts';
import { draftText } from '../kernel-file/draft.ts';
import type { Event } from '../model/event.ts';
import type { GateScope } from '../model/verdict.ts';
import { annotation } from '../report/annotations.ts';
import {
  baselineText,
  type Finding,
  findingsOf,
  isKnown,
  readBaseline,
  staleFindings,
} from '../report/baseline.ts';
import { checkedReport } from '../report/checked.ts';
import { hasFailed, type Judged, junitReport } from '../report/junit.ts';
import { sarifReport } from '../report/sarif.ts';
import { findCxx, findToolkit } from '../toolchain/find.ts';
import { cachePaths } from '../toolchain/paths.ts';
import { onDisk, rewriteFile } from '../util/disk.ts';
import { Slots } from '../util/limit.ts';
import { packageRoot } from '../util/package-root.ts';
import { flagText, quoted } from '../util/shell.ts';
import { atMostEvery } from '../util/throttle.ts';
import { asCalled } from './called.ts';
import { exitCode } from './exit.ts';
import { openGpu } from './kernel-file-gpu.ts';
import { mustSuitOwnSource } from './kernel-file-options.ts';
import type { Options } from './options.ts';

/** A kernel that was checked, and whether the baseline has what was found. */
type Told = Checked & { readonly known?: boolean };

/** `validate softmax.cu [kernel]`. */
export async function checkOwnSource(
  file: string,
  kernel: string | undefined,
  flags: Options,
): Promise<number> {
  mustSuitOwnSource(flags);
  const begin = performance.now();
  const baseline = flags.baseline === undefined ? undefined : readBaseline(flags.baseline);
  const opened = await open(flags);
  const gpu = await openGpu(opened.context, flags);
  const { against, include = [] } = flags;
  const gate: GateScope = {
    depth: flags.depth ?? 'quick',
    ...(flags.case !== undefined && { case: flags.case }),
    ...(flags.seed !== undefined && { seed: flags.seed }),
  };
  const request = {
    file,
    gate,
    include,
    ...(kernel !== undefined && { kernel }),
    ...(against !== undefined && { against }),
    ...(flags.description !== undefined && { description: flags.description }),
    ...(flags.dump !== undefined && { dump: flags.dump }),
  };
  const all: Told[] = [];
  try {
    for await (const checked of checkSource(request, { ...opened, ...(gpu && { gpu }) })) {
      const said = withCommand(checked, file, flags);
      const one = baseline && isKnown(said, file, baseline) ? { ...said, known: true } : said;
      all.push(one);
      tell(one, file, flags);
    }
  } finally {
    await opened.close();
    await gpu?.close();
  }
  if (!flags.json && !flags.quiet)
    process.stderr.write(`${all.length} checked in ${((performance.now() - begin) / 1000).toFixed(1)} s\n`);
  if (flags.baseline !== undefined) settleBaseline(flags.baseline, baseline, all, file, flags);
  const { junit, sarif } = flags;
  if (junit !== undefined) writeFor('junit', junit, junitReport(all, file));
  if (sarif !== undefined) writeFor('sarif', sarif, sarifReport(all, file));
  // Nothing is new in a baseline that has just been written.
  return codeOf(
    flags.baseline !== undefined && !baseline ? all.map((one) => ({ ...one, known: true })) : all,
  );
}

/** Writes the file that an option names. */
function writeFor(option: 'baseline' | 'junit' | 'sarif', path: string, text: string): void {
  onDisk(`write ${path}`, () => rewriteFile(path, text), `name another file with --${option}`);
}

/** Writes a first baseline; of one that is there, says what is found no more. */
function settleBaseline(
  path: string,
  baseline: readonly Finding[] | undefined,
  all: readonly Checked[],
  file: string,
  { quiet }: Options,
): void {
  const say = (text: string) => quiet || process.stderr.write(`${text}\n`);
  if (baseline === undefined) {
    const findings = all.flatMap((one) => findingsOf(one, file));
    writeFor('baseline', path, baselineText(findings));
    say(`${path} written: ${findings.length} known findings`);
    return;
  }
  for (const { kernel, verdict, message } of staleFindings(all, file, baseline))
    say(`${path}: no longer found in ${kernel}: ${verdict}, ${message}`);
}

/** `gen describe softmax.cu [kernel]`, `gen describe --schema`. */
export async function describeSource(
  file: string | undefined,
  kernel: string | undefined,
  flags: Options & { readonly schema?: boolean },
): Promise<number> {
  if (flags.schema) {
    process.stdout.write(`${JSON.stringify(descriptionJsonSchema(), null, 2)}\n`);
    return exitCode.done;
  }
  if (file === undefined) throw new UsageError('gen describe needs a .cu file, or --schema');
  const { compilers, context, close } = await open(flags);
  try {
    const drafted = await draftPlans(file, kernel, { compilers, context });
    process.stdout.write(draftText(drafted));
    const refused = drafted.filter((one) => 'refusal' in one);
    for (const { kernel: name, refusal } of refused)
      process.stderr.write(`${name} is not described: ${refusal}\n`);
    return refused.length > 0 ? exitCode.couldNotRun : exitCode.done;
  } finally {
    await close();
  }
}

interface CheckContext {
  readonly compilers: RunnerCompilers;
  readonly context: CompileContext;
  readonly session: () => Promise<DeviceSession>;
  readonly operationOf: CheckHost['operationOf'];
  readonly close: () => Promise<void>;
}

/** g++ and a runner of the emulated device, built the first time; a CUDA toolkit gives its types where there is one. */
async function open(flags: Options): Promise<CheckContext> {
  const environment = process.env;
  const [cxx, { toolkit }] = await Promise.all([
    findCxx(environment, localExecutor),
    findToolkit(environment, localExecutor),
  ]);
  const { cudaHome, nvccVersion } = toolkit ?? {};
  const compilers = { ...cxx, ...(cudaHome && { cudaHome }), ...(nvccVersion && { nvccVersion }) };
  const context: CompileContext = {
    executor: localExecutor,
    cacheRoot:
      flags.out === undefined
        ? join(dirname(cachePaths(environment).base), 'check')
        : resolve(flags.out, 'artifacts'),
    packageRoot,
    familyFolder: join(packageRoot, 'harness/check'),
    described: describedFamilies(),
    slots: new Slots(flags.jobs ?? defaultJobs()),
  };
  let opened: Promise<DeviceSession> | undefined;
  const session = () => {
    opened ??= openSession(compilers, context, flags);
    return opened;
  };
  const operationOf = async (name: string) => (await loadDescribed(name)).operation;
  return {
    compilers,
    context,
    session,
    operationOf,
    close: async () => (await opened?.catch(() => undefined))?.close(),
  };
}

async function openSession(
  compilers: RunnerCompilers,
  context: CompileContext,
  flags: Options,
): Promise<DeviceSession> {
  const say = (text: string) => flags.quiet || process.stderr.write(`${text}\n`);
  const soFar = atMostEvery(2, (text: string) => say(text));
  const worker = await buildWorker(emulated.name, compilers, context, (done, all) => {
    if (done === 0) say(`building the emulated device: ${all} parts, this once`);
    else if (done < all) soFar(`${done} of ${all} parts built`);
  });
  const patience = { kernel: flags.watchdog ?? 30, host: 300 };
  const device = await openDevice(emulated.name, worker.path, localExecutor, patience);
  if (!device.available) throw new EnvironmentError(device.reason);
  return device.session;
}

/** A failure with the one command that shows it again. */
function withCommand(one: Checked, file: string, flags: Options): Checked {
  if (!('verdict' in one) || one.verdict.verdict === 'passed') return one;
  const { evidence } = one.verdict;
  const { against, description, depth, watchdog } = flags;
  const seed = typeof evidence.seed === 'number' ? evidence.seed : undefined;
  const include = (flags.include ?? []).map((folder) => ` --include ${quoted(folder)}`).join('');
  const command = `npx validate ${quoted(file)} ${quoted(one.kernel)}${one.gpu === undefined ? '' : ` --device ${cuda.name}`}`;
  const reproduce =
    command + flagText({ against, description, case: evidence.case, seed, depth, watchdog }) + include;
  return { ...one, verdict: { ...one.verdict, evidence: { ...evidence, reproduce } } };
}

function tell(one: Told, file: string, flags: Options): void {
  if (!flags.json) process.stdout.write(asCalled(checkedReport(one, file, process.stdout)));
  if (!flags.json && process.env.GITHUB_ACTIONS === 'true') process.stdout.write(annotation(one, file));
  if (flags.json) process.stdout.write(`${JSON.stringify(eventOf(one, file))}\n`);
}

function eventOf(one: Told, file: string): Event {
  if (!('verdict' in one)) return { event: 'error', kind: 'usage', message: one.refusal };
  return {
    event: 'verdict',
    ...one.verdict,
    evidence: { ...one.verdict.evidence, ...(one.known && { known: true }) },
    variant: `${basename(file)}:${one.kernel}`,
    parameters: {},
    key: one.key,
  };
}

/** A kernel that failed decides; then one that could not be checked. */
function codeOf(all: readonly Judged[]): number {
  if (all.some(hasFailed)) return exitCode.no;
  return all.some((one) => 'refusal' in one) ? exitCode.couldNotRun : exitCode.done;
}
