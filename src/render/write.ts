import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { AnyFamily } from '../model/family.ts';
import type { Source } from '../model/variant.ts';
import { ifThere, makeFolder, onDisk, replaceFile } from '../util/disk.ts';
import { renderOperation } from './operation.ts';

/** Writes a rendered source where it belongs. True if the file was new or different. */
export function writeSource(source: Source): boolean {
  return writeIfDifferent(source.path, source.text);
}

/** Writes the operation's signature in C++ beside the family's rendered sources, for its author to read. */
export function writeSignature({ name, operation }: AnyFamily, out: string): void {
  writeIfDifferent(resolve(out, 'sources', name, 'operation.hpp'), renderOperation(operation));
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
