import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultArch } from '../../src/arch/index.ts';
import { type CompileContext, defaultJobs } from '../../src/compile/context.ts';
import { compileCuda } from '../../src/compile/nvcc.ts';
import { buildPtx } from '../../src/compile/variant.ts';
import { type DiscoveredFamily, loadFamily } from '../../src/discover.ts';
import { emitLibrary, type Library } from '../../src/emit/emit.ts';
import { localExecutor } from '../../src/exec/local.ts';
import type { Artifact } from '../../src/model/artifact.ts';
import type { Source, Variant } from '../../src/model/variant.ts';
import type { Verdict } from '../../src/model/verdict.ts';
import type { WisdomRecord } from '../../src/model/wisdom.ts';
import type { Workload } from '../../src/model/workload.ts';
import { renderVariant } from '../../src/render/render.ts';
import { writeSource } from '../../src/render/write.ts';
import { select } from '../../src/select/policy.ts';
import { enumerate } from '../../src/space/enumerate.ts';
import { portableArch } from '../../src/space/support.ts';
import type { Toolchain } from '../../src/toolchain/find.ts';
import { cachePaths } from '../../src/toolchain/paths.ts';
import { findToolchain } from '../../src/toolchain/toolchain.ts';
import { Slots } from '../../src/util/limit.ts';
import { packageRoot } from '../../src/util/package-root.ts';

/** Folders that hold `cmake` and `ninja` where they are not on PATH. */
export const toolFolders: readonly string[] = [join(cachePaths(process.env).root, 'bin')].filter((folder) =>
  existsSync(folder),
);

const path = [...toolFolders, ...(process.env.PATH ?? '').split(':')];

/** Whether a program is on PATH or among what `npm test` installs. */
export function hasTool(name: string): boolean {
  return path.some((folder) => existsSync(join(folder, name)));
}

/** Environment of CMake: with Ninja if there is one, since a machine with g++ need not have make. */
export const toolEnvironment: Readonly<Record<string, string>> = {
  PATH: path.join(':'),
  ...(hasTool('ninja') && { CMAKE_GENERATOR: 'Ninja' }),
};

interface TestLibrary {
  readonly out: string;
  /** Default: bsr-spmm. */
  readonly of?: Pick<DiscoveredFamily, 'family' | 'folder'>;
  /** Presets of the family (default: `quick`), and which of their variants, in the language of `--where`. */
  readonly presets?: readonly string[];
  readonly where: string;
  /** Records of the wisdom for some workloads; those of other variants do not count. */
  readonly winners?: readonly WisdomRecord[];
  /** Default: those of the family. */
  readonly workloads?: readonly Workload[];
  /** Workloads that nobody timed. */
  readonly guessed?: readonly Workload[];
  /**
   * Compiled for CUDA too where there is a toolkit (default), or for the emulated device alone. `empty`: with device code
   * that has no kernels, for tests of what the host does.
   */
  readonly cuda?: boolean | 'empty';
}

/**
 * Emits a family's operation into a library. It stands for a run whose gate said `passed`: what follows here checks results again, through
 * the installed library.
 */
export async function emitTestLibrary(request: TestLibrary): Promise<Library> {
  const { out, presets = ['quick'], where, winners = [], cuda = true, workloads, guessed } = request;
  const { family, folder } = request.of ?? (await loadFamily('bsr-spmm'));
  const all = presets.flatMap(
    (preset) => enumerate(family, { arch: defaultArch, preset, where }).variants as Variant[],
  );
  const toolchain = cuda ? await findToolchain(localExecutor) : undefined;
  const artifacts: Artifact[] = [];
  for (const variant of all) {
    const source = renderVariant(family, folder, variant, out);
    writeSource(source);
    if (!toolchain) artifacts.push(emulated(source));
    else if (cuda === 'empty') artifacts.push(await emptyCode(defaultArch.name, source, out, toolchain));
    else artifacts.push(await cubin(source, folder, out, toolchain));
  }
  const variants = artifacts.map(({ source }) => source.variant);
  const ids = new Set(variants.map(({ id }) => id));
  return emitLibrary({
    family,
    folder,
    selection: select(family, variants, [], {
      known: { records: winners.filter(({ variant }) => ids.has(variant)), runs: [] },
      ...(workloads && { workloads }),
      guessed,
    }),
    artifacts,
    ...(toolchain && {
      ptxOf: async (source: Source) => {
        if (cuda === 'empty') return emptyCode('compute_80', source, out, toolchain);
        const arch = portableArch(family, source.variant.parameters);
        return buildPtx(source, arch, toolchain, contextIn(out, folder));
      },
    }),
    run: {
      id: 'test',
      date: new Date().toISOString(),
      verdicts: variants.map(passed),
      nvcc: toolchain?.nvccVersion,
    },
    out,
    executor: localExecutor,
    cudaHome: toolchain?.cudaHome,
  });
}

function contextIn(out: string, folder: string): CompileContext {
  return {
    executor: localExecutor,
    cacheRoot: join(out, 'artifacts'),
    packageRoot,
    familyFolder: folder,
    slots: new Slots(defaultJobs()),
  };
}

async function cubin(source: Source, folder: string, out: string, toolchain: Toolchain): Promise<Artifact> {
  const artifact = await compileCuda(source, defaultArch, toolchain, contextIn(out, folder));
  if ('verdict' in artifact) throw new Error(`${source.variant.id}: ${artifact.evidence.message}`);
  return artifact;
}

/** A cubin, or PTX, without kernels. */
async function emptyCode(
  arch: string,
  source: Source,
  out: string,
  { nvcc, cxx }: Toolchain,
): Promise<Artifact> {
  const kind = arch.startsWith('compute_') ? 'ptx' : 'cubin';
  const path = join(out, `empty.${kind}`);
  if (!existsSync(path)) {
    writeFileSync(join(out, 'empty.cu'), '');
    const argv = [nvcc, `-${kind}`, '-arch', arch, '-ccbin', cxx, 'empty.cu', '-o', path];
    const { exitCode, stderr } = await localExecutor.run(argv, { cwd: out });
    if (exitCode !== 0) throw new Error(stderr);
  }
  return { ...emulated(source), device: 'cuda', arch, path };
}

/** The library compiles the source itself; nothing of the emulated artifact but the source travels. */
function emulated(source: Source): Artifact {
  return {
    source,
    device: 'emulated',
    arch: process.arch,
    path: source.path,
    key: source.hash,
    cached: true,
    seconds: 0,
  };
}

function passed({ id }: Variant): Verdict {
  return { variant: id, device: 'emulated', verdict: 'passed', evidence: { message: 'stands for the gate' } };
}
