import { hashOf } from '../util/hash.ts';

/** Sections that a launch depends on: code, what the driver is told of each kernel, constants and shared memory. */
const loaded = /^\.(?:text|nv\.(?:info|constant|shared|global|local))/;

/**
 * Hash over everything in a cubin (ELF, 64 bits) that decides what it does: equal for two kernels that no GPU can tell
 * apart.
 */
export function machineCode(cubin: Uint8Array): string {
  const view = new DataView(cubin.buffer, cubin.byteOffset, cubin.byteLength);
  if (cubin.byteLength < 64 || view.getUint32(0, false) !== 0x7f454c46 || view.getUint8(4) !== 2)
    throw new Error('a cubin is not an ELF file of 64 bits');
  const start = Number(view.getBigUint64(0x28, true));
  const size = view.getUint16(0x3a, true);
  const sections = Array.from({ length: view.getUint16(0x3c, true) }, (_, index) =>
    sectionAt(view, start + index * size),
  );
  const names = sections[view.getUint16(0x3e, true)];
  const parts = sections
    .map(({ name, ...place }) => ({ name: textAt(cubin, (names?.offset ?? 0) + name), ...place }))
    .filter(({ name }) => loaded.test(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return hashOf(
    ...parts.flatMap(({ name, offset, bytes, stored }) => [
      `${name} ${bytes}`,
      stored ? cubin.subarray(offset, offset + bytes) : '',
    ]),
  );
}

function sectionAt(view: DataView, at: number) {
  const noBits = 8;
  return {
    name: view.getUint32(at, true),
    stored: view.getUint32(at + 4, true) !== noBits,
    offset: Number(view.getBigUint64(at + 0x18, true)),
    bytes: Number(view.getBigUint64(at + 0x20, true)),
  };
}

function textAt(bytes: Uint8Array, at: number): string {
  return Buffer.from(bytes.subarray(at, bytes.indexOf(0, at))).toString('latin1');
}
