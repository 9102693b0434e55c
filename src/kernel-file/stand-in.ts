// Empty files in the place of headers that were not found.
import { writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { UsageError } from '../errors.ts';
import { makeFolder, onDisk } from '../util/disk.ts';
import { anotherTemporary } from '../util/temporary.ts';

/** Folders that a name may climb by `../`, without leaving the temporary folder. */
const mostClimbed = 12;

/** A folder within a temporary one, so deep that headers such as `../../common.h` lie in the temporary one too. */
export function makeStand(temporary: string): string {
  const stand = join(temporary, ...Array<string>(mostClimbed).fill('in'));
  onDisk(`create ${stand}`, () => makeFolder(stand), anotherTemporary);
  return stand;
}

/** Puts an empty file where a compiler that looks in `stand` finds the header. */
export function putEmpty(stand: string, header: string): void {
  const path = join(stand, header);
  const climbed = relative(stand, path)
    .split('/')
    .filter((part) => part === '..').length;
  if (climbed > mostClimbed)
    throw new UsageError(`the header ${header} is not there, and its name leads too far up for an empty one`);
  putText(path, '');
}

/** Writes a file below a temporary folder. */
export function putText(path: string, text: string): void {
  const write = () => {
    makeFolder(dirname(path));
    writeFileSync(path, text);
  };
  onDisk(`write ${path}`, write, anotherTemporary);
}
