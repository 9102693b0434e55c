import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../util/disk.ts';

/** Milliseconds. A file that is younger can change again within the resolution of its file system's clock. */
const settled = 2000;

/** Inode, bytes, and times of the last change of contents and of anything (ns): a program cannot set back the latter. */
function stampsOf(folder: string, names: readonly string[]): Readonly<Record<string, string>> {
  const stampOf = (name: string) => {
    const { ino, size, mtimeNs, ctimeNs } = statSync(join(folder, name), { bigint: true });
    return [name, [ino, size, mtimeNs, ctimeNs].join(' ')] as const;
  };
  return Object.fromEntries(names.map(stampOf));
}

const fileOf = (folder: string) => join(folder, 'checked.json');

/** Whether no file has been touched since `stamp` was called: their contents need not be read to know that they are as they were. */
export function isStamped(folder: string, names: readonly string[]): boolean {
  try {
    return readFileSync(fileOf(folder), 'utf8') === JSON.stringify(stampsOf(folder, names));
  } catch {
    return false;
  }
}

/** Notes that the files have just been read and are as they should be. Without effect where that cannot be written. */
export function stamp(folder: string, names: readonly string[]): void {
  try {
    const youngest = Math.max(0, ...names.map((name) => statSync(join(folder, name)).ctimeMs));
    if (youngest <= Date.now() - settled)
      replaceFile(fileOf(folder), JSON.stringify(stampsOf(folder, names)));
  } catch {
    // The next reader compares contents again.
  }
}
