import type { Arch } from '../model/arch.ts';
import type { Artifact, Resources } from '../model/artifact.ts';
import type { Verdict } from '../model/verdict.ts';

/**
 * Advisories after which the result may be right but the kernel is not what was written: ptxas serialised wgmma
 * (C7510, C7518; C7513 where A's registers are written while in flight) or inserted the waits that were missing (C7517, with copies
 * of accumulators that may be read too early: wrong on a GPU; C7520).
 */
const repairs = /\(C75(?:10|13|17|18|20)\)|wgmma\.mma_async instructions are serialized/;

/**
 * Reads what `nvcc -Xptxas -v` prints. Where a source holds several kernels, each figure is the largest of any.
 */
export function parsePtxas(text: string): Resources {
  const largest = (pattern: RegExp) =>
    [...text.matchAll(pattern)].reduce((most, [, figure]) => Math.max(most, Number(figure)), 0);
  return {
    registers: largest(/Used (\d+) registers/g),
    spillStoreBytes: largest(/(\d+) bytes spill stores/g),
    spillLoadBytes: largest(/(\d+) bytes spill loads/g),
    stackBytes: largest(/(\d+) bytes stack frame/g),
    staticSharedBytes: largest(/(\d+) bytes smem/g),
    barriers: largest(/used (\d+) barriers/g),
    warnings: [
      ...new Set(
        text
          .split('\n')
          .filter((line) => /ptxas.*warning|\(C7\d{3}\)/.test(line))
          .map((line) => line.replace(/^.*?ptxas\s*(?:info|warning)\s*:\s*/, '').trim()),
      ),
    ],
  };
}

/** Reason that ptxas's advisories make a kernel unacceptable; undefined if they do not. */
export function repaired(resources: Resources): string | undefined {
  const advisory = resources.warnings.find((warning) => repairs.test(warning));
  return advisory && `ptxas changed the kernel's synchronisation: ${advisory}`;
}

/** Verdict `resources` for a kernel that needs more than its family or the architecture allows; else undefined. */
export function budgetVerdict(artifact: Artifact, arch: Arch): Verdict | undefined {
  const { resources, source } = artifact;
  if (!resources) return undefined;
  const { budget, id } = source.variant;
  const spilled = resources.spillStoreBytes + resources.spillLoadBytes;
  const shared = budget.sharedBytes + resources.staticSharedBytes;
  const registers = registersOfBlock(resources.registers, budget.threads);
  const limits: readonly [figure: number, limit: number, message: string][] = [
    [budget.threads, arch.maxThreadsPerBlock, `${budget.threads} threads in a block`],
    [shared, arch.maxSharedBytesPerBlock, `${shared} bytes of shared memory in a block`],
    [
      resources.registers,
      budget.maxRegisters ?? arch.maxRegistersPerThread,
      `${resources.registers} registers per thread`,
    ],
    [registers, arch.registersPerSm, `${registers} registers in a block of ${budget.threads} threads`],
    [spilled, budget.maxSpillBytes ?? 0, `${spilled} bytes of registers spilled to memory`],
    // Without spills: an array that is not in registers, since its index is not known when it is compiled.
    [
      resources.stackBytes,
      budget.maxSpillBytes ?? 0,
      `${resources.stackBytes} bytes of local memory per thread`,
    ],
  ];
  const broken = limits.find(([figure, limit]) => figure > limit);
  if (!broken) return undefined;
  const [figure, limit, message] = broken;
  return {
    variant: id,
    device: 'none',
    verdict: 'resources',
    evidence: { message: `${message}; ${arch.name} and the family allow ${limit}`, figure, limit, resources },
  };
}

/** Registers are handed out to warps in units of 256. */
function registersOfBlock(perThread: number, threads: number): number {
  return Math.ceil(threads / 32) * Math.ceil((perThread * 32) / 256) * 256;
}
