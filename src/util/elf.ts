/** A section of an ELF file. */
export interface Section {
  readonly name: string;
  /** Bytes that it takes when it is loaded. */
  readonly size: number;
  /** Contents in the file; empty if there are none, as for shared memory. */
  readonly bytes: DataView;
}

/** A type of section that has no contents in the file: SHT_NOBITS. */
const noBits = 8;

/** The sections of a 64-bit little-endian ELF file, such as a cubin, by the format's specification. Throws on other files. */
export function readSections(file: Uint8Array): Section[] {
  const elf = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.byteLength < 64 || elf.getUint32(0, false) !== 0x7f454c46 || elf.getUint8(4) !== 2)
    throw new Error('this is not an ELF file of 64 bits');
  const table = Number(elf.getBigUint64(0x28, true));
  const step = elf.getUint16(0x3a, true);
  const headers = Array.from({ length: elf.getUint16(0x3c, true) }, (_, index) => table + step * index);
  const sizeOf = (header: number) => Number(elf.getBigUint64(header + 0x20, true));
  const contents = (header: number) => {
    const length = elf.getUint32(header + 4, true) === noBits ? 0 : sizeOf(header);
    const at = length > 0 ? Number(elf.getBigUint64(header + 0x18, true)) : 0;
    return new DataView(file.buffer, file.byteOffset + at, length);
  };
  const names = contents(headers[elf.getUint16(0x3e, true)] ?? table);
  return headers.map((header) => ({
    name: readText(names, elf.getUint32(header, true)),
    size: sizeOf(header),
    bytes: contents(header),
  }));
}

/** A text in a table of texts that end with a zero. */
export function readText(table: DataView, from: number): string {
  let end = from;
  while (end < table.byteLength && table.getUint8(end) !== 0) end++;
  return Buffer.from(table.buffer, table.byteOffset + from, end - from).toString('latin1');
}
