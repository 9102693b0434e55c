import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { backends, emulatedOnly } from '../backends/index.ts';
import { type DiscoveredFamily, loadFamily } from '../discover.ts';
import { UsageError } from '../errors.ts';
import { localExecutor } from '../exec/local.ts';
import type { Arch } from '../model/arch.ts';
import type { Source } from '../model/variant.ts';
import { MutantTrials, type Workshop } from '../mutant-trials/trials.ts';
import { putBetweenMarks } from '../mutate/document.ts';
import { type Equivalent, parseEquivalents } from '../mutate/equivalents.ts';
import { dropBelow, floorOf, readFloor, writeFloor } from '../mutate/floor.ts';
import type { Planned } from '../mutate/plan.ts';
import { mutationPage, percent, survivor } from '../mutate/report.ts';
import type { MutantResult, MutationInfo } from '../mutate/result.ts';
import { newestResults, ResultsFile, releaseResults } from '../mutate/results-file.ts';
import { score, tally } from '../mutate/score.ts';
import { standing } from '../mutate/standing.ts';
import { cppSignature } from '../render/operation.ts';
import { renderVariant } from '../render/render.ts';
import { chooseDevices, commitOf } from '../setup.ts';
import { enumerate } from '../space/enumerate.ts';
import { ensureToolchain } from '../toolchain/toolchain.ts';
import { ifThere } from '../util/disk.ts';
import { Slots } from '../util/limit.ts';
import { packageRoot } from '../util/package-root.ts';
import { exitCode } from './exit.ts';
import { onInterrupt } from './interrupt.ts';
import { type ChosenMutants, chooseMutants, listMutants } from './mutate-choice.ts';
import type { MutateOptions } from './mutate-options.ts';
import { archFor, configOf, spaceOf } from './prepare.ts';
import { onlyOf, subjectOf } from './subject.ts';

/** `gen mutate`: 0 where it is done, 1 where the score is below the floor or a correct variant was refused. */
export async function mutate(
  first: string,
  second: string | undefined,
  options: MutateOptions,
): Promise<number> {
  const { device = emulatedOnly } = options;
  if (device.devices.every((name) => backends[name].gpu))
    throw new UsageError('gen mutate gates on the emulated device first: --device auto adds the GPUs');
  const config = await configOf(options);
  const [name, what] = subjectOf(first, second, options.as);
  const discovered = await loadFamily(name, { families: config.families });
  const arch = await archFor(options, config);
  const sources = sourcesOf(discovered, what, arch, options, config.out);
  if (options.list) return listMutants(chooseMutants(sources, discovered.folder, options).chosen, options);
  const interrupt = onInterrupt();
  const note = (message: string) => {
    if (!options.quiet) process.stderr.write(`${message}\n`);
  };
  const { gpus } = await chooseDevices({ device, arch }, { executor: localExecutor });
  const install = { executor: localExecutor, environment: process.env, install: options.install ?? true };
  const shop: Workshop = {
    ...{ family: discovered.family, arch, note, executor: localExecutor, environment: process.env },
    ...{ jobs: config.jobs, watchdogSeconds: config.watchdogSeconds, depth: options.depth ?? 'quick' },
    gpus,
    ...(options.rules !== undefined && { rulesCase: options.rules }),
    equivalents: equivalentsOf(discovered.folder),
    retry: options.retry ?? false,
    sound: await soundBefore(discovered, options, config.out),
    ...(options.seconds !== undefined && { seconds: options.seconds }),
    context: {
      ...{ executor: localExecutor, packageRoot, signal: interrupt.signal },
      cacheRoot: join(config.out, 'artifacts'),
      slots: new Slots(config.jobs),
      familyFolder: discovered.folder,
      signature: cppSignature(discovered.family.operation),
    },
    toolchain: await ensureToolchain({ ...install, signal: interrupt.signal, progress: note }),
  };
  const trials = new MutantTrials(shop);
  try {
    await Promise.race([trials.open(), interrupt.happened]);
    const work = options.alarms === undefined ? tryMutants : countAlarms;
    const passing = await Promise.race([trials.passing(sources), interrupt.happened]);
    if (passing.length === 0)
      throw new UsageError('no variant passes as it is: there is nothing to make mutants of');
    return await Promise.race([work(trials, passing, shop, options, config.out), interrupt.happened]);
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    note('stopped; repeat the command with --resume to continue');
    return exitCode.interrupted;
  } finally {
    interrupt.release();
    releaseResults();
    await trials.close();
  }
}

/** Variants of which the results that are gone on with say that they pass as they are, by this commit's gate. */
async function soundBefore(
  { family, folder }: DiscoveredFamily,
  { resume, retry }: MutateOptions,
  out: string,
): Promise<ReadonlySet<string>> {
  if (resume === undefined) return new Set();
  const path = resume === true ? newestResults(join(out, 'mutants'), family.name) : resume;
  const known = path === undefined ? undefined : ResultsFile.openOf(family.name, path).info;
  if (retry) return new Set();
  const commit = await commitOf(localExecutor, folder);
  return new Set(commit !== undefined && known?.commit === commit ? known.variants : []);
}

/** The rendered variants of a space, one of them, or a file that stands for one. */
function sourcesOf(
  discovered: DiscoveredFamily,
  what: string | undefined,
  arch: Arch,
  options: MutateOptions,
  out: string,
): Source[] {
  const { family, folder } = discovered;
  if (what !== undefined) {
    const { variant, source } = onlyOf(what, discovered, arch, options.as);
    return [source ?? renderVariant(family, folder, variant, out)];
  }
  if (options.as !== undefined) throw new UsageError('--as says which variant a .cu file stands for');
  const { variants } = enumerate(family, { arch, ...spaceOf(family, options, 'quick') });
  return variants.map((variant) => renderVariant(family, folder, variant, out));
}

function equivalentsOf(folder: string): readonly Equivalent[] {
  const path = join(folder, 'mutation/equivalents.json');
  const text = ifThere(`read ${path}`, () => readFileSync(path, 'utf8'));
  return text === undefined ? [] : parseEquivalents(text, path);
}

async function tryMutants(
  trials: MutantTrials,
  sources: readonly Source[],
  shop: Workshop,
  options: MutateOptions,
  out: string,
): Promise<number> {
  const { all, chosen } = chooseMutants(sources, shop.context.familyFolder, options);
  const used = sources.filter((source) => chosen.some((one) => one.source === source));
  const commit = await commitOf(shop.executor, shop.context.familyFolder);
  const now = { date: new Date().toISOString(), ...(commit !== undefined && { commit }) };
  const file = await fileFor(trials, used, shop, options, out, { all, chosen, now });
  shop.note(`${chosen.length} of ${all.length} mutants of ${used.length} variants; results in ${file.path}`);
  let done = 0;
  const onResult = (result: MutantResult) => {
    file.add(result);
    if (options.json) process.stdout.write(`${JSON.stringify({ event: 'mutant', ...result })}\n`);
    const { outcome, verdict = '', path, operator, file: where, line } = result;
    const onGpu = result.gpu ? `, GPU: ${result.gpu.outcome} ${result.gpu.verdict ?? ''}` : '';
    shop.note(`${++done}: ${outcome} ${verdict} ${path} ${operator} ${where}:${line}${onGpu}`);
    if (outcome === 'survived') shop.note(survivor(result));
  };
  const earlier = ({ path, mutant }: Planned) => file.find({ path, id: mutant.id });
  await trials.run(chosen, earlier, onResult);
  if (options.resume !== undefined) file.compact();
  const results = chosen.flatMap((one) => earlier(one) ?? []);
  return finish(file.info, results, shop, options);
}

/** A new file of results, or the newest where the command is to go on. */
async function fileFor(
  trials: MutantTrials,
  sources: readonly Source[],
  shop: Workshop,
  options: MutateOptions,
  out: string,
  { all, chosen, now }: ChosenMutants & { readonly now: Pick<MutationInfo, 'date' | 'commit'> },
): Promise<ResultsFile> {
  const { family, arch, rulesCase, retry, gpus } = shop;
  const folder = join(out, 'mutants');
  const about = {
    ...{ mutants: all.length, sample: chosen.length },
    variants: sources.map(({ variant }) => variant.id),
  };
  const pathFor = (when: string) => join(folder, `${family.name}-${when.replaceAll(/[:.]/g, '')}.jsonl`);
  if (options.resume !== undefined) {
    const path = options.resume === true ? newestResults(folder, family.name) : options.resume;
    if (path === undefined)
      throw new UsageError(`there are no results of ${family.name} in ${folder} to go on with`);
    const known = ResultsFile.take(family.name, path);
    if (gpus[0] && known.info.gpu === undefined) known.describe({ gpu: gpus[0].name });
    const file = retry ? known.copy(pathFor(now.date), now) : known;
    for (const other of options.join ?? []) file.join(ResultsFile.open(other));
    const whole = [options.operator, options.file, options.mutant].every((only) => only === undefined);
    const stands = standing(all, whole);
    const changed = file.forget((result) => !stands(result));
    if (changed > 0) shop.note(`${changed} results are of code that has changed since`);
    if (whole && trials.judged && file.info.variants.every((id) => about.variants.includes(id)))
      file.describe({ ...about, ...now }); // all are of this commit's code
    return file;
  }
  const sound: MutationInfo['sound'] = {};
  if (rulesCase !== undefined)
    for (const source of sources) {
      const opinions = await trials.soundOpinions(source);
      if (opinions) sound[source.variant.id] = opinions;
    }
  return ResultsFile.create(pathFor(now.date), {
    ...{ version: 1, ...now, family: family.name, arch: arch.name, ...about },
    ...(gpus[0] && { gpu: gpus[0].name }),
    ...(rulesCase !== undefined && { rulesCase, sound }),
  });
}

function finish(
  info: MutationInfo,
  results: readonly MutantResult[],
  { depth, note }: Workshop,
  options: MutateOptions,
): number {
  const counts = tally(results);
  const page = mutationPage(info, results);
  if (options.markdown !== undefined) putBetweenMarks(options.markdown, info.family, page);
  if (options.json)
    process.stdout.write(
      `${JSON.stringify({ event: 'mutation', ...info, depth, ...counts, score: score(counts) })}\n`,
    );
  else if (options.markdown === undefined) process.stdout.write(`${page}\n`);
  const { killed, survived } = counts;
  note(`killed ${killed} of ${killed + survived} defects: ${percent(score(counts))}`);
  return options.floor === undefined
    ? exitCode.done
    : compareWithFloor(options.floor, info, results, depth, options);
}

/** Fails where a smaller share is killed than the floor says. */
function compareWithFloor(
  path: string,
  info: MutationInfo,
  results: readonly MutantResult[],
  depth: 'quick' | 'full',
  { preset, where, limit, sample, operator, file, mutant, updateFloor }: MutateOptions,
): number {
  const now = floorOf(info, results, depth, { preset, where, limit, sample, operator, file, mutant });
  if (updateFloor) writeFloor(path, now);
  const drop = updateFloor ? undefined : dropBelow(readFloor(path), now, path);
  if (drop === undefined) return exitCode.done;
  process.stderr.write(`${drop}\n`);
  return exitCode.no;
}

/** Runs the variants as they are under ever other seeds: whatever is not `passed` is a false alarm. */
async function countAlarms(
  trials: MutantTrials,
  sources: readonly Source[],
  { note, depth }: Workshop,
  { alarms: wanted = 0, seed: first = 1, json }: MutateOptions,
): Promise<number> {
  let runs = 0;
  const alarms = await trials.falseAlarms(sources, { runs: wanted, first }, (done) => {
    runs = done;
    if (done % 100 === 0) note(`${done} of ${wanted} runs`);
  });
  const summary = { event: 'alarms', runs, depth, variants: sources.length, alarms };
  if (json) console.log(JSON.stringify(summary));
  else {
    console.log(
      `${alarms.length} false alarms in ${runs} runs of ${sources.length} correct variants at depth ${depth}`,
    );
    for (const { variant, verdict, evidence } of alarms)
      console.log(`  ${variant}: ${verdict}, seed ${evidence.seed}: ${evidence.message}`);
  }
  return alarms.length > 0 ? exitCode.no : exitCode.done;
}
