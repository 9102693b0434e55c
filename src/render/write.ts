import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Source } from '../model/variant.ts';
import { ifThere, makeFolder, onDisk, replaceFile } from '../util/disk.ts';

/** Writes a rendered source where it belongs. True if the file was new or different. */
export function writeSource(source: Source): boolean {
  return writeIfDifferent(source.path, source.text);
}

/**
 * Puts `text` at `path`, unless it is there already: unchanged files keep their time stamps. A reader never sees half a
 * file. Throws an EnvironmentError when the disk refuses.
 */
export function writeIfDifferent(path: string, text: string): boolean {
  if (ifThere(`read ${path}`, () => readFileSync(path, 'utf8')) === text) return false;
  onDisk(`write ${path}`, () => {
    makeFolder(dirname(path));
    replaceFile(path, text);
  });
  return true;
}
