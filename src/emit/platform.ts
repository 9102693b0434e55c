import { EnvironmentError } from '../errors.ts';
import type { Executor } from '../exec/executor.ts';

/** Libraries that any Linux with the C library of a manylinux tag has (PEP 600). */
const everywhere = /^(lib(c|m|dl|rt|pthread|gcc_s)\.so\.\d+|ld-linux-[\w-]+\.so\.\d+)$/;
/** The newest version of libgcc_s's symbols that all of them have. */
const newestGcc = [4, 8];
const machines: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' };

/** A shared library's requirements on the machine that loads it. */
export interface Needs {
  /** `libc.so.6` … */
  readonly libraries: readonly string[];
  /** `GLIBC_2.34`, `GCC_3.0` … */
  readonly versions: readonly string[];
}

/** Reads a shared library's needs off its dynamic section. */
export async function needsOf(library: string, executor: Executor): Promise<Needs> {
  const { exitCode, stdout, stderr } = await executor.run(['objdump', '-p', library], {
    env: { LC_ALL: 'C' },
  });
  if (exitCode !== 0)
    throw new EnvironmentError(`objdump, of binutils, cannot read ${library}: ${stderr.trim()}`);
  const all = (pattern: RegExp) => [...stdout.matchAll(pattern)].flatMap(([, found]) => found ?? []);
  return {
    libraries: all(/^\s*NEEDED\s+(\S+)$/gm),
    versions: all(/^\s*0x[0-9a-f]+ 0x[0-9a-f]+ \d+ (\S+)$/gm),
  };
}

/**
 * The platform tag of a wheel with these libraries: manylinux with the oldest C library that has every symbol they need (PEP 600), or
 * plain `linux` where they need more than such machines are known to have.
 */
export function platformTag(needs: readonly Needs[], machine: string = process.arch): string {
  const arch = machines[machine] ?? machine;
  const versions = needs.flatMap((one) => one.versions);
  const plain = versions.every((one) => isGlibc(one) || isOldGcc(one));
  const known = needs.flatMap(({ libraries }) => libraries).every((name) => everywhere.test(name));
  if (!plain || !known) return `linux_${arch}`;
  const minors = versions.filter(isGlibc).map((one) => Number(one.split(/[_.]/)[2]));
  return `manylinux_2_${Math.max(17, ...minors)}_${arch}`;
}

function isGlibc(version: string): boolean {
  return /^GLIBC_2\.\d+(\.\d+)?$/.test(version);
}

function isOldGcc(version: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^GCC_/, '').split('.').map(Number);
  const [most = 0, least = 0] = newestGcc;
  return version.startsWith('GCC_') && (major < most || (major === most && minor <= least));
}
