import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UsageError } from './errors.ts';
import { onDisk } from './util/disk.ts';
import { packageRoot } from './util/package-root.ts';

/** The family that is copied is a real one, complete and tested, of this name. */
const example = 'new-kernel';

/**
 * Makes `<root>/templates/kernels/<name>` a copy of the example family under its new name, and returns that folder. It
 * passes the gate as it stands. Throws a UsageError for a name that will not do and for a folder that exists.
 */
export function newKernel(name: string, root: string = process.cwd()): string {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    throw new UsageError(
      `'${name}' cannot name a family: lower case letters, digits and single dashes only, e.g. 'batched-gemv'`,
    );
  }
  const folder = join(resolve(root), 'templates', 'kernels', name);
  const taken = [folder, join(packageRoot, 'templates', 'kernels', name)].find((path) => existsSync(path));
  if (taken) throw new UsageError(`there is a family '${name}' already, in ${taken}; choose another name`);
  const copy = () => {
    try {
      copyExample(folder, name, resolve(root) === packageRoot);
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  };
  onDisk(`write ${folder}`, copy, 'begin it in another folder');
  return folder;
}

function copyExample(folder: string, name: string, within: boolean): void {
  cpSync(join(packageRoot, 'templates/_new/kernels'), folder, { recursive: true });
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    writeFileSync(path, renamed(readFileSync(path, 'utf8'), name, within));
  }
}

/** `within`: the copy lies in this package, where a family imports the model by its path. */
function renamed(text: string, name: string, within: boolean): string {
  const identifier = (dashed: string) => dashed.replaceAll('-', '_');
  const named = text
    .replaceAll(example, name)
    .replaceAll(identifier(example), identifier(name))
    .replaceAll(identifier(example).toUpperCase(), identifier(name).toUpperCase());
  return within ? named : named.replaceAll('../../../src/model/family.ts', 'tilewright/family');
}
