import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Executor } from '../exec/executor.ts';
import { makeFolder } from '../util/disk.ts';
import type { Extension } from './extension.ts';
import { filesIn } from './files.ts';
import { needsOf, platformTag } from './platform.ts';
import { type ZipEntry, zipOf } from './zip.ts';

/** Shared libraries that a wheel takes, those that were built. */
const libraryNames = ['libtilewright.so', 'libtilewright_emulated.so'];

/** Linker flags for libraries without unused symbols that need no C++ runtime of the machine that loads them. */
export const wheelDefinitions: Readonly<Record<string, string>> = {
  CMAKE_SHARED_LINKER_FLAGS: '-static-libstdc++ -Wl,--gc-sections -s',
};

interface WheelRequest {
  /** Folder of the package: modules in folders, METADATA, and the library's source tree in `library`. */
  readonly tree: string;
  /** Folder of the shared libraries. */
  readonly libraries: string;
  readonly extensions: readonly Extension[];
  /** Folder that gets the wheel. */
  readonly folder: string;
  readonly executor: Executor;
}

/** Writes a wheel (PEP 427) of the package with its shared libraries, and gives its path. Equal contents give equal wheels. */
export async function buildWheel(request: WheelRequest): Promise<string> {
  const { tree, libraries, extensions, folder, executor } = request;
  const metadata = await readFile(join(tree, 'METADATA'), 'utf8');
  const name = `${field(metadata, 'Name')}-${field(metadata, 'Version')}`;
  const built = libraryNames.map((file) => join(libraries, file)).filter((file) => existsSync(file));
  const binaries = [...built, ...extensions.map(({ file }) => file)];
  const needs = await Promise.all(binaries.map((file) => needsOf(file, executor)));
  const tag = `py3-none-${platformTag(needs)}`;
  const info = `${name}.dist-info`;
  const modules = await filesIn(tree, (path) => path.includes('/') && !/^(library|dist)\//.test(path));
  const files: ZipEntry[] = [
    ...(await Promise.all(modules.map(async (path) => ({ path, data: await readFile(join(tree, path)) })))),
    ...(await Promise.all(built.map((file) => libraryEntry(file)))),
    ...(await Promise.all(extensions.map(extensionEntry))),
    { path: `${info}/METADATA`, data: Buffer.from(metadata) },
    { path: `${info}/WHEEL`, data: Buffer.from(wheelFile(tag)) },
    { path: `${info}/licenses/LICENSE`, data: await readFile(join(tree, 'library', 'LICENSE')) },
  ];
  const record = { path: `${info}/RECORD`, data: Buffer.from(recordOf(files, info)) };
  const path = join(folder, `${name}-${tag}.whl`);
  makeFolder(folder);
  await writeFile(`${path}.part`, zipOf([...files, record]));
  await rename(`${path}.part`, path);
  return path;
}

async function libraryEntry(file: string): Promise<ZipEntry> {
  const name = file.slice(file.lastIndexOf('/') + 1);
  return { path: `tilewright/lib/${name}`, data: await readFile(file), executable: true };
}

async function extensionEntry({ path, file }: Extension): Promise<ZipEntry> {
  return { path, data: await readFile(file), executable: true };
}

function field(metadata: string, name: string): string {
  const found = new RegExp(`^${name}: (.+)$`, 'm').exec(metadata)?.[1];
  if (found === undefined) throw new Error(`METADATA has no ${name}`);
  return found;
}

function wheelFile(tag: string): string {
  return `Wheel-Version: 1.0\nGenerator: tilewright\nRoot-Is-Purelib: false\nTag: ${tag}\n`;
}

/** One line a file: path, digest, bytes; of the record itself the path alone. */
function recordOf(files: readonly ZipEntry[], info: string): string {
  const lines = files.map(({ path, data }) => {
    const digest = createHash('sha256').update(data).digest('base64url');
    return `${path},sha256=${digest},${data.length}`;
  });
  return `${[...lines, `${info}/RECORD,,`].join('\n')}\n`;
}
