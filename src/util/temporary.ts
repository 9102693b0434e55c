import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onDisk } from './disk.ts';
import { forgetFolder, guardFolder } from './guard.ts';

/** Advice where such a folder or what is in it cannot be written. */
export const anotherTemporary = 'name another folder with TMPDIR';

/** A folder for temporary files that nobody else can read. It is gone when this process is, whatever ends that. */
export function makeTemporary(name: string): string {
  const start = join(tmpdir(), `tilewright-${name}-`);
  const path = onDisk(`create ${start}…`, () => mkdtempSync(start), anotherTemporary);
  guardFolder(path);
  return path;
}

/** Removes such a folder with all that is in it. */
export function removeTemporary(path: string): void {
  rmSync(path, { recursive: true, force: true });
  forgetFolder(path);
}

/** Lends a task a temporary folder. */
export async function inTemporary<T>(name: string, task: (folder: string) => Promise<T>): Promise<T> {
  const folder = makeTemporary(name);
  try {
    return await task(folder);
  } finally {
    removeTemporary(folder);
  }
}
