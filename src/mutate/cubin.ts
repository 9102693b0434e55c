import { readSections } from '../util/elf.ts';
import { hashOf } from '../util/hash.ts';

/** Sections that a launch depends on: code, what the driver is told of each kernel, constants and shared memory. */
const loaded = /^\.(?:text|nv\.(?:info|constant|shared|global|local))/;

/** Hash over everything in a cubin that decides what it does: equal for two kernels that no GPU can tell apart. */
export function machineCode(cubin: Uint8Array): string {
  const parts = readSections(cubin)
    .filter(({ name }) => loaded.test(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return hashOf(
    ...parts.flatMap(({ name, size, bytes }) => [
      `${name} ${size}`,
      new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    ]),
  );
}
