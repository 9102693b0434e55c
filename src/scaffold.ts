import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { UsageError } from './errors.ts';
import { onDisk } from './util/disk.ts';
import { packageRoot } from './util/package-root.ts';

/** Source of a new family: a copy of a real one, complete and tested. */
interface Example {
  readonly name: string;
  readonly folder: string;
}

const kernels = join(packageRoot, 'templates/kernels');
const smallest: Example = { name: 'new-kernel', folder: join(packageRoot, 'templates/_new/kernels') };

/** Folders that belong to the copied family alone: renderings, times and scores of its variants. */
const itsOwn: readonly string[] = ['golden', 'wisdom', 'mutation'];

/**
 * Makes `<root>/templates/kernels/<name>` a copy of the small example family, or of the package's family `like`, under its
 * new name, and returns that folder. It passes the gate as it stands. Throws a UsageError for a name that will not do, a
 * folder that exists, and a family that cannot be copied.
 */
export function newKernel(name: string, root: string = process.cwd(), like?: string): string {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    throw new UsageError(
      `'${name}' cannot name a family: lower case letters, digits and single dashes only, e.g. 'batched-gemv'`,
    );
  }
  const example = like === undefined ? smallest : exampleNamed(like);
  const folder = join(resolve(root), 'templates', 'kernels', name);
  const taken = [folder, join(kernels, name)].find((path) => existsSync(path));
  if (taken) throw new UsageError(`there is a family '${name}' already, in ${taken}; choose another name`);
  const copy = () => {
    try {
      copyExample(example, folder, resolve(root) === packageRoot);
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  };
  onDisk(`write ${folder}`, copy, 'begin it in another folder');
  return folder;
}

function exampleNamed(name: string): Example {
  const names = readdirSync(kernels).filter((entry) => existsSync(join(kernels, entry, 'family.ts')));
  if (names.includes(name)) return { name, folder: join(kernels, name) };
  throw new UsageError(`there is no family '${name}' to begin with; there are: ${names.join(', ')}`);
}

/** `within`: the copy lies in this package, where a family imports the model by its path. */
function copyExample(example: Example, folder: string, within: boolean): void {
  const wanted = (from: string) => !itsOwn.includes(basename(from));
  cpSync(example.folder, folder, { recursive: true, filter: wanted });
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const text = renamed(path, readFileSync(path, 'utf8'), example.name, basename(folder));
    writeFileSync(path, within ? text : outside(text, example.name));
  }
}

const identifier = (dashed: string) => dashed.replaceAll('-', '_');
const word = (text: string) => new RegExp(`(?<![A-Za-z0-9])${text}(?![A-Za-z0-9])`, 'g');

/**
 * The text of a family's file under another name. A name without a dash is an identifier too: as a family's name it is what
 * `family.ts` and a page of Markdown say, else the identifier.
 */
function renamed(path: string, text: string, from: string, to: string): string {
  const dashed = from.includes('-') || extname(path) === '.md';
  return text
    .replace(`name: '${from}'`, `name: '${basename(path) === 'family.ts' ? to : identifier(to)}'`)
    .replaceAll(word(from), dashed ? to : identifier(to))
    .replaceAll(word(identifier(from)), identifier(to))
    .replaceAll(word(identifier(from).toUpperCase()), identifier(to).toUpperCase());
}

/** Imports of the model as another package makes them. Throws a UsageError for what no other package may import. */
function outside(text: string, example: string): string {
  const moved = text.replaceAll('../../../src/model/family.ts', 'tilewright/family');
  const internal = /'(\.\.\/\.\.\/\.\.\/src\/[^']*)'/.exec(moved)?.[1];
  if (internal === undefined) return moved;
  throw new UsageError(
    `'${example}' imports ${internal}, which is this package's alone: begin with another family`,
  );
}
