// Whether variants that are rendered otherwise than in another checkout still compile to the same machine code, byte by byte.
// With --write what was timed there, or has the machine code of what was, keeps its place in the family's wisdom:
// wisdom/same-code/<arch>.json names the sources. --evidence: files of runs whose sources count as timed, too, before
// `gen report --wisdom` makes records of them.
// Run: node --import jiti/register bench/same-code.ts <other checkout, built> [--family bsr-spmm] [--preset shipped] [--where ...]
//   [--limit n] [--write] [--evidence file]...
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { defaultArch } from '../src/arch/index.ts';
import { compileCuda } from '../src/compile/nvcc.ts';
import { loadFamily } from '../src/discover.ts';
import { localExecutor } from '../src/exec/local.ts';
import { runEvidenceSchema } from '../src/model/evidence.ts';
import type { Source, Variant } from '../src/model/variant.ts';
import { sameCodeSchema, wisdomSchema } from '../src/model/wisdom.ts';
import { renderVariant } from '../src/render/render.ts';
import { enumerate } from '../src/space/enumerate.ts';
import { idOf, pointOfId, symbolOf } from '../src/space/id.ts';
import { findToolchain } from '../src/toolchain/toolchain.ts';
import { sha256 } from '../src/util/hash.ts';
import { mapLimit, Slots } from '../src/util/limit.ts';
import { packageRoot } from '../src/util/package-root.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    family: { type: 'string', default: 'bsr-spmm' },
    preset: { type: 'string', default: 'shipped' },
    where: { type: 'string' },
    limit: { type: 'string' },
    write: { type: 'boolean', default: false },
    evidence: { type: 'string', multiple: true, default: [] },
  },
});
const { preset, where, limit, write, evidence } = values;
const other = resolve(positionals[0] ?? '.');
const toolchain = await findToolchain(localExecutor);
const slots = new Slots(availableParallelism());
if (!toolchain) throw new Error('no CUDA compiler: run `npx gen toolchain install`');
const { family, folder, wisdom } = await loadFamily(values.family);
const scratch = mkdtempSync(join(tmpdir(), 'tilewright-same-code-'));

/** The source of each variant as the other checkout renders it; presets differ, so that some are asked for by their ids. */
async function renderedThere(variants: readonly Variant[]): Promise<(variant: Variant) => Source> {
  const restricted = [...(where ? ['--where', where] : []), ...(limit ? ['--limit', limit] : [])];
  await renderThere(['--preset', preset, ...restricted]);
  const ofPreset = new Set(sourcesThere().keys());
  for (const { id } of variants.filter((variant) => !ofPreset.has(variant.id))) await renderThere([id]);
  const all = sourcesThere();
  return (variant) => {
    const path = all.get(variant.id);
    if (path === undefined) throw new Error(`${other} does not render ${variant.id}`);
    const text = readFileSync(path, 'utf8');
    const symbol = symbolOf(basename(path, '.cu'));
    return { variant: { ...variant, symbol }, path, text, hash: sha256(text) };
  };
}

async function renderThere(args: readonly string[]): Promise<void> {
  const argv = ['node', join(other, 'dist/cli.js'), 'render', family.name, ...args];
  const { exitCode, stderr } = await localExecutor.run([...argv, '--out', scratch, '--quiet'], {
    cwd: other,
  });
  if (exitCode !== 0) throw new Error(stderr);
}

/** Files by today's id: ids may be written otherwise there, so that a file is found by the point that it stands for. */
function sourcesThere(): ReadonlyMap<string, string> {
  const sources = join(scratch, 'sources', family.name);
  const files = readdirSync(sources).filter((name) => name.endsWith('.cu'));
  return new Map(files.map((name) => [idNow(basename(name, '.cu')), join(sources, name)]));
}

const idNow = (id: string) => idOf(family, pointOfId(family, id));

async function machineCode(source: Source, root: string): Promise<Buffer> {
  const context = {
    executor: localExecutor,
    cacheRoot: join(packageRoot, 'node_modules/.cache/tilewright'),
    packageRoot: root,
    familyFolder: join(root, 'templates/kernels', family.name),
    slots,
  };
  if (!toolchain) throw new Error('unreachable');
  const artifact = await compileCuda(source, defaultArch, toolchain, context);
  if ('verdict' in artifact) throw new Error(`${source.variant.id}: ${artifact.evidence.message}`);
  return textOf(readFileSync(artifact.path), source.variant.symbol);
}

/** Section `.text.<symbol>` of a cubin, which is an ELF file of 64 bits. */
function textOf(cubin: Buffer, symbol: string): Buffer {
  const start = Number(cubin.readBigUInt64LE(0x28));
  const [size, count, names] = [0x3a, 0x3c, 0x3e].map((at) => cubin.readUInt16LE(at)) as [
    number,
    number,
    number,
  ];
  const sections = Array.from({ length: count }, (_, index) => {
    const at = start + index * size;
    const [from, bytes] = [0x18, 0x20].map((field) => Number(cubin.readBigUInt64LE(at + field))) as [
      number,
      number,
    ];
    return { name: cubin.readUInt32LE(at), data: cubin.subarray(from, from + bytes) };
  });
  const table = sections[names]?.data ?? Buffer.alloc(0);
  const nameOf = (from: number) => table.toString('latin1', from, table.indexOf(0, from));
  const text = sections.find(({ name }) => nameOf(name) === `.text.${symbol}`);
  if (!text) throw new Error(`no machine code of ${symbol}`);
  return text.data;
}

try {
  const { variants } = enumerate(family, {
    ...{ arch: defaultArch, preset },
    ...(where && { where }),
    ...(limit && { limit: Number(limit) }),
  });
  const sourceThere = await renderedThere(variants);
  const compared = await mapLimit(variants as Variant[], availableParallelism(), async (variant) => {
    const [here, there] = [renderVariant(family, folder, variant), sourceThere(variant)];
    const [now, before] = [await machineCode(here, packageRoot), await machineCode(there, other)];
    return { id: variant.id, here: here.hash, there: there.hash, same: now.equals(before) };
  });
  for (const { id } of compared.filter(({ same }) => !same)) console.log(`differs: ${id}`);
  console.log(
    `${compared.filter(({ same }) => same).length} of ${compared.length} have the same machine code`,
  );
  if (write) writeSameCode(compared);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

interface Compared {
  readonly here: string;
  readonly there: string;
  readonly same: boolean;
}

/** Writes the map of sources with the same machine code: known entries lead on to today's sources; those not compared stay. */
function writeSameCode(compared: readonly Compared[]): void {
  const place = join(folder, 'wisdom/same-code');
  mkdirSync(place, { recursive: true });
  const asked = new Map(compared.map((one) => [one.there, one]));
  for (const { arch } of wisdom) {
    const file = join(place, `${arch}.json`);
    const known = existsSync(file)
      ? sameCodeSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).sources
      : {};
    // As the file has it: what is loaded is renamed already.
    const { records } = wisdomSchema.parse(
      JSON.parse(readFileSync(join(folder, 'wisdom', `${arch}.json`), 'utf8')),
    );
    const timedSources = [...records.map(({ source }) => source), ...evidence.flatMap(sourcesIn)];
    const sources = [...new Set(timedSources)].flatMap((timed) => {
      const one = asked.get(known[timed] ?? timed);
      const now = one ? one.same && one.here : known[timed];
      return !now || now === timed ? [] : [[timed, now] as const];
    });
    const json = { nvcc: toolchain?.nvccVersion, sources: Object.fromEntries(sources.toSorted()) };
    writeFileSync(file, `${JSON.stringify(json, null, 1)}\n`);
    console.log(`${file}: ${sources.length} sources`);
  }
}

/** Sources of the variants that a run timed. */
function sourcesIn(file: string): string[] {
  const { variants } = runEvidenceSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  return Object.values(variants).flatMap(({ source }) => source ?? []);
}
