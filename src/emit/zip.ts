import { type Zippable, zipSync } from 'fflate';

/** A file of an archive. */
export interface ZipEntry {
  /** Path inside the archive, with `/`. */
  readonly path: string;
  readonly data: Buffer;
  readonly executable?: boolean;
}

/** The first day that the format knows, in whichever zone: equal contents give equal archives. */
const firstDay = new Date(1980, 0, 1);
const unix = 3;
/** Of the upper half of "external attributes": a regular file. */
const regularFile = 0o100000;

/** A ZIP archive (APPNOTE 6.3) of files in the given order, below 4 GB. */
export function zipOf(entries: readonly ZipEntry[]): Uint8Array {
  const files: Zippable = {};
  for (const { path, data, executable } of entries) {
    const mode = regularFile | (executable ? 0o755 : 0o644);
    files[path] = [data, { level: 6, mtime: firstDay, os: unix, attrs: mode * 0x10000 }];
  }
  return zipSync(files);
}
