import { access, chmod, constants, cp, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../errors.ts';
import type { Artifact } from '../model/artifact.ts';
import type { Binding } from '../model/binding.ts';
import type { Manifest, ManifestOperation } from '../model/manifest.ts';
import type { Source } from '../model/variant.ts';
import { diskError, makeFolder } from '../util/disk.ts';
import { guardFolder } from '../util/guard.ts';
import { describeOwner, type LockOwner, withLock } from '../util/lock.ts';
import { packageVersion } from '../util/package-version.ts';
import { inTemporary, makeTemporary, removeTemporary } from '../util/temporary.ts';
import { bindingFolder, loadBinding } from './binding.ts';
import { copyFromFamily, replaceFolder, write, writeOperation, writeRendered, writeShared } from './files.ts';
import { packImage } from './images.ts';
import { installLibrary } from './install.ts';
import { keep } from './keep.ts';
import { buildManifest, cubinsOf, describeOperation, type Shipped } from './manifest.ts';
import {
  clearRemains,
  kernelFolder,
  kernelSource,
  libraryPath,
  lockPath,
  mustBeReplaceable,
  stagedPrefix,
} from './place.ts';
import { mustCompile } from './proof.ts';
import type { LibraryRequest } from './request.ts';
import { emulatedIds } from './twin.ts';
import { typedManifest } from './typescript.ts';

export interface Library {
  readonly path: string;
  readonly manifest: Manifest;
}

/**
 * Puts the selected variants as an operation into the library, a source tree that needs nothing of this package any more, and
 * installs it where that is asked for. Other operations that the library has stay in it, see `keep`. One process at a time writes into a folder; what is installed is built from a copy of its own.
 */
export async function emitLibrary(request: LibraryRequest): Promise<Library> {
  const { install, selection, out, signal } = request;
  if (selection.variants.length === 0)
    throw new UsageError(`nothing to emit: no variant of ${request.family.name} was selected`);
  if (install) await mustTakeFiles(install.prefix);
  const copy = install && makeTemporary('library');
  const onWait = (owner: LockOwner | undefined) =>
    request.remark?.(`waiting for ${describeOwner(owner)}, which writes the library in ${out}`);
  const lock = { onWait, elsewhere: 'name another folder with --out', ...(signal && { signal }) };
  try {
    const library = await withLock(lockPath(out), lock, () => writeLibrary(request, copy));
    if (copy) await installCopy(request, library, copy);
    return library;
  } finally {
    if (copy) removeTemporary(copy);
  }
}

async function installCopy(
  { install, executor }: LibraryRequest,
  { path }: Library,
  copy: string,
): Promise<void> {
  if (install) await installLibrary(copy, install.prefix, executor, { ...install, shownAs: path });
}

/** Writes and compiles the library aside, and throws it away. */
export async function provePackage(request: LibraryRequest & { readonly cxx: string }): Promise<void> {
  const binding = await loadBinding('c');
  await inTemporary('proof', async (staged) => {
    await writePackage(request, binding, staged);
    await mustCompile(staged, { ...request, binding, operation: request.family.operation.name });
  });
}

/** Before anything is built for it. */
async function mustTakeFiles(prefix: string): Promise<void> {
  try {
    makeFolder(prefix);
    await access(prefix, constants.W_OK);
  } catch (error) {
    throw diskError(error, `install into ${prefix}`, 'name another folder with --prefix');
  }
}

/**
 * Makes the tree aside and renames it into place, so that whatever fails leaves the former library as it was. `copy`: a folder
 * that gets the same files.
 */
async function writeLibrary(request: LibraryRequest, copy: string | undefined): Promise<Library> {
  const binding = await loadBinding('c');
  clearRemains(request.out);
  mustBeReplaceable(request.out);
  const staged = await mkdtemp(join(request.out, stagedPrefix));
  guardFolder(staged);
  try {
    await chmod(staged, 0o755);
    const path = libraryPath(request.out);
    const manifest = await writePackage(request, binding, staged, path);
    const { cxx } = request;
    const operation = request.family.operation.name;
    if (cxx !== undefined) await mustCompile(staged, { ...request, cxx, binding, operation });
    if (copy) await cp(staged, copy, { recursive: true });
    await replaceFolder(staged, path);
    return { path, manifest };
  } catch (error) {
    await rm(staged, { recursive: true, force: true });
    throw diskError(error, `write the library to ${request.out}`);
  }
}

/** `former`: the library whose other operations stay. */
async function writePackage(
  request: LibraryRequest,
  binding: Binding,
  staged: string,
  former?: string,
): Promise<Manifest> {
  const folder = bindingFolder(binding.name);
  await writeShared(binding, folder, staged);
  const kept = former === undefined ? {} : await keep(former, request, binding, staged);
  const own = await writeOwn(request, binding, staged);
  const operations = { ...kept, [own.signature.name]: own };
  for (const operation of Object.values(operations)) {
    await writeOperation(binding, folder, operation, staged);
    await writeTypes(operation, staged);
  }
  const manifest = buildManifest(operations, packageVersion());
  await writeRendered(binding, folder, manifest, staged, { cudaHint: request.cudaHome ?? '' });
  await write(join(staged, 'manifest.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  return manifest;
}

/** Writes the parts of the package that come from the run and its family. */
async function writeOwn(
  request: LibraryRequest,
  binding: Binding,
  staged: string,
): Promise<ManifestOperation> {
  const { family, selection, artifacts } = request;
  const sources = selection.variants.map((id) => sourceOf(id, artifacts));
  const held = emulatedIds(
    family,
    sources.map(({ variant }) => variant),
    selection,
  );
  const ptx = await ptxOfFallbacks(sources, request);
  const shipped: Shipped[] = [];
  for (const source of sources) {
    const { id } = source.variant;
    const cubins = cubinsOf(id, artifacts);
    shipped.push(await ship(source, held.has(id), [...cubins, ...(ptx.get(id) ?? [])], request, staged));
  }
  const kernels = shipped.map(({ source }) => source.text);
  await copyFromFamily(binding, family.operation.name, request.folder, kernels, staged);
  return describeOperation(request, shipped, packageVersion());
}

async function writeTypes(operation: ManifestOperation, staged: string): Promise<void> {
  await write(join(staged, 'typescript', `${operation.signature.name}.ts`), typedManifest(operation));
}

/** PTX of each fallback that has a cubin, by id: what a GPU runs that nobody compiled for. */
async function ptxOfFallbacks(
  sources: readonly Source[],
  { selection, artifacts, ptxOf, remark }: LibraryRequest,
): Promise<ReadonlyMap<string, readonly Artifact[]>> {
  const asked = sources.filter(
    ({ variant: { id } }) => selection.fallbacks.includes(id) && cubinsOf(id, artifacts).length > 0,
  );
  const made = await Promise.all(
    asked.map(async (source): Promise<[string, Artifact[]]> => {
      const { id } = source.variant;
      const ptx = await ptxOf?.(source);
      if (ptx && 'verdict' in ptx) remark?.(`${id} goes without PTX: ${ptx.evidence.message}`);
      return [id, ptx && !('verdict' in ptx) ? [ptx] : []];
    }),
  );
  return new Map(made);
}

/** Puts one variant's source and device code into the package. */
async function ship(
  source: Source,
  emulated: boolean,
  code: readonly Artifact[],
  request: LibraryRequest,
  staged: string,
): Promise<Shipped> {
  const { name } = request.family.operation;
  const folder = kernelFolder(name);
  const { id } = source.variant;
  await write(join(staged, kernelSource(name, id, emulated)), source.text);
  const { cudaHome, executor } = request;
  if (code.length > 0 && cudaHome === undefined)
    throw new Error('there are cubins, but no CUDA toolkit was named to pack them with');
  const images = [];
  for (const one of code) images.push(await packImage(one, staged, folder, cudaHome ?? '', executor));
  return { source, emulated, images };
}

function sourceOf(id: string, artifacts: readonly Artifact[]): Source {
  const artifact = artifacts.find(({ source }) => source.variant.id === id);
  if (!artifact) throw new Error(`${id} is selected but was given no artifact`);
  return artifact.source;
}
