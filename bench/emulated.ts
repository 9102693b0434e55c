// Cost of a variant on the emulated device: compiling it, then three checked runs (one per kind of schedule) on one
// problem of 50 to 200 MFLOP. CPU seconds, so that other work on the machine does not count, and wall-clock seconds.
// Run: node --import jiti/register bench/emulated.ts [preset] [density of the blocks] [limit of variants]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultArch } from '../src/arch/index.ts';
import { compileEmulated } from '../src/compile/host.ts';
import { buildWorker } from '../src/compile/worker.ts';
import { jobVariant } from '../src/device/job-variant.ts';
import { openDevice } from '../src/device/session.ts';
import { loadFamily } from '../src/discover.ts';
import { UsageError } from '../src/errors.ts';
import { localExecutor } from '../src/exec/local.ts';
import { schedulesFrom } from '../src/gate/schedules.ts';
import type { Artifact } from '../src/model/artifact.ts';
import type { Point } from '../src/model/parameter.ts';
import type { Variant } from '../src/model/variant.ts';
import { cppSignature } from '../src/render/operation.ts';
import { renderVariant } from '../src/render/render.ts';
import { enumerate } from '../src/space/enumerate.ts';
import { ensureToolchain } from '../src/toolchain/toolchain.ts';
import { mapLimit, Slots } from '../src/util/limit.ts';
import { packageRoot } from '../src/util/package-root.ts';

const [preset = 'quick', density = '0.25', limit] = process.argv.slice(2);
const size = { m: 384, n: 512, k: 1024 };
const jobs = availableParallelism();

/** CPU seconds of all processes that this one has started and seen end. */
function childSeconds(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

async function clocked<T>(task: () => Promise<T>): Promise<{ result: T; cpu: number; wall: number }> {
  const [cpu, wall] = [childSeconds(), performance.now()];
  const result = await task();
  return { result, cpu: childSeconds() - cpu, wall: (performance.now() - wall) / 1000 };
}

const problemOf = ({ block, input, output }: Point) => ({
  ...size,
  block,
  input,
  output,
  values: 'normal',
  pattern: { kind: 'equal-rows', density: Number(density) },
  seed: 1,
});

const { family, folder } = await loadFamily('bsr-spmm');
const { variants } = enumerate(family, { arch: defaultArch, preset, ...(limit && { limit: Number(limit) }) });
const [first, ...rest] = variants;
if (!first) throw new UsageError(`the preset ${preset} has no variants`);
const toolchain = await ensureToolchain({ executor: localExecutor, install: false, progress: console.error });
const out = mkdtempSync(join(tmpdir(), 'tilewright-bench-'));
process.once('exit', () => rmSync(out, { recursive: true, force: true }));
const cacheRoot = join(out, 'artifacts');
const context = {
  executor: localExecutor,
  cacheRoot,
  packageRoot,
  familyFolder: folder,
  signature: cppSignature(family.operation),
  slots: new Slots(jobs),
};

async function compile(variant: Variant): Promise<Artifact> {
  const built = await compileEmulated(renderVariant(family, folder, variant, out), toolchain, context);
  if ('verdict' in built) throw new Error(`${variant.id}: ${built.evidence.message}`);
  return built;
}

/** Each on a worker of its own, so that its CPU time can be told from the others'. */
async function check(worker: string, artifact: Artifact): Promise<string> {
  const { variant } = artifact.source;
  const opened = await openDevice('emulated', worker, localExecutor);
  if (!opened.available) throw new Error(opened.reason);
  const problem = problemOf(variant.parameters as Point);
  const { verdict, evidence } = await opened.session.gate({
    variant: jobVariant(artifact),
    cases: [{ id: 'bench', tier: 'exact', problem }],
    schedules: schedulesFrom(1),
    vendor: false,
  });
  await opened.session.close();
  return verdict === 'passed' ? 'passed' : `${verdict}: ${evidence.message}`;
}

const flops = 2 * size.m * size.n * size.k * Number(density);
/** Seconds of each of so many. */
const each = ({ cpu, wall }: { cpu: number; wall: number }, count: number) =>
  `${(cpu / count).toFixed(3)} s CPU, ${(wall / count).toFixed(3)} s`;
console.log(`${variants.length} variants of ${preset}, ${(flops / 1e6).toFixed(0)} MFLOP, ${jobs} at a time`);
const worker = await clocked(() => buildWorker('emulated', toolchain, context));
console.log(`once     runner        ${worker.cpu.toFixed(1)} s CPU, ${worker.wall.toFixed(1)} s`);
const header = await clocked(() => compile(first));
console.log(`once     header and first variant  ${header.cpu.toFixed(1)} s CPU, ${header.wall.toFixed(1)} s`);
const compiled = await clocked(() => mapLimit(rest, jobs, compile));
const artifacts = [header.result, ...compiled.result];
const checked = await clocked(() => mapLimit(artifacts, jobs, (one) => check(worker.result.path, one)));
console.log(`variant  compile       ${each(compiled, rest.length)}`);
console.log(`variant  three checked runs  ${each(checked, variants.length)}`);
for (const said of checked.result.filter((text) => text !== 'passed')) console.log(`  ${said}`);
