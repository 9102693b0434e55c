import { crc32, deflateRawSync } from 'node:zlib';

/** A file of an archive. */
export interface ZipEntry {
  /** Path inside the archive, with `/`. */
  readonly path: string;
  readonly data: Buffer;
  readonly executable?: boolean;
}

/** 1980-01-01, the first day that the format knows: equal contents give equal archives. */
const firstDay = (1 << 5) | 1;
const version = 20;
const deflated = 8;
/** Of the upper half of "external attributes": a regular file. */
const regularFile = 0o100000;

/** A ZIP archive (APPNOTE 6.3) of files in the given order, below 4 GB. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.path);
    const packed = deflateRawSync(entry.data, { level: 9 });
    const common = commonHeader(entry, name, packed);
    const local = Buffer.concat([numbers([0x04034b50, 4]), common, numbers([0, 2]), name, packed]);
    parts.push(local);
    directory.push(directoryEntry(entry, common, offset, name));
    offset += local.length;
  }
  const index = Buffer.concat(directory);
  const count = entries.length;
  const end = numbers(
    [0x06054b50, 4],
    [0, 2],
    [0, 2],
    [count, 2],
    [count, 2],
    [index.length, 4],
    [offset, 4],
    [0, 2],
  );
  return Buffer.concat([...parts, index, end]);
}

/** From "version needed" to "file name length": the same in both headers of a file. */
function commonHeader({ data }: ZipEntry, name: Buffer, packed: Buffer): Buffer {
  return numbers(
    [version, 2],
    [0x0800, 2], // names are UTF-8
    [deflated, 2],
    [0, 2],
    [firstDay, 2],
    [crc32(data), 4],
    [packed.length, 4],
    [data.length, 4],
    [name.length, 2],
  );
}

function directoryEntry({ executable }: ZipEntry, common: Buffer, offset: number, name: Buffer): Buffer {
  const mode = regularFile | (executable ? 0o755 : 0o644);
  const unix = (3 << 8) | version;
  const head = numbers([0x02014b50, 4], [unix, 2]);
  const tail = numbers([0, 2], [0, 2], [0, 2], [0, 2], [mode * 0x10000, 4], [offset, 4]);
  return Buffer.concat([head, common, tail, name]);
}

/** Little-endian numbers, each with its bytes. */
function numbers(...fields: readonly (readonly [value: number, bytes: 2 | 4])[]): Buffer {
  return Buffer.concat(
    fields.map(([value, bytes]) => {
      const field = Buffer.alloc(bytes);
      field.writeUIntLE(value, 0, bytes);
      return field;
    }),
  );
}
