import { existsSync, readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Binding } from '../model/binding.ts';
import {
  formerManifestSchema,
  type Manifest,
  type ManifestOperation,
  manifestSchema,
} from '../model/manifest.ts';
import { readText } from '../util/disk.ts';
import { parseJson } from '../util/json.ts';
import { filesIn } from './files.ts';
import { kernelFolder } from './place.ts';
import type { LibraryRequest } from './request.ts';

/**
 * Copies the other operations of the former library into the staged one, which has its shared sources and nothing else yet. An
 * operation stays only among the very sources that it was gated with: where these have changed, none does, and the remark
 * says how to get it back.
 */
export async function keep(
  former: string,
  { family, remark }: LibraryRequest,
  binding: Binding,
  staged: string,
): Promise<Manifest['operations']> {
  const manifest = manifestIn(former);
  const { data } = manifestSchema.safeParse(manifest);
  if (!data && manifest !== undefined) for (const lost of lostFrom(manifest, family)) remark?.(lost);
  const operations: readonly [string, ManifestOperation][] = Object.entries(data?.operations ?? {});
  const others = operations.filter(([, other]) => other.family !== family.name);
  const same = others.length === 0 || (await hasSameFiles(staged, former));
  const kept = others.filter(([name]) => same && name !== family.operation.name);
  for (const [name, other] of others) {
    const { run } = other.provenance;
    if (name === family.operation.name)
      remark?.(`the library had ${name} of ${other.family}: that of ${family.name} takes its place`);
    else if (same) remark?.(`the library keeps ${name} of run ${run}`);
    else
      remark?.(
        `the library loses ${name}: shared sources have changed since; \`npx gen emit ${run}\` adds it again`,
      );
  }
  for (const [name] of kept) await copyOperation(name, former, binding, staged);
  return Object.fromEntries(kept);
}

/** Remarks on the other operations of a library whose manifest is of another version: nothing of them can be kept. */
function lostFrom(manifest: unknown, { name, operation }: LibraryRequest['family']): string[] {
  const { data } = formerManifestSchema.safeParse(manifest);
  const why = 'its manifest is of another version';
  if (!data) return [`the library loses what it had: ${why}; emit every other operation again`];
  return Object.entries(data.operations)
    .filter(([own, { family }]) => family !== name && own !== operation.name)
    .map(([own, { provenance }]) => {
      const run = provenance?.run ?? `<run of ${own}>`;
      return `the library loses ${own}: ${why}; \`npx gen emit ${run}\` adds it again`;
    });
}

/** Undefined where there is no library. */
function manifestIn(library: string): unknown {
  const file = join(library, 'manifest.json');
  return existsSync(file) ? parseJson(readText(file)) : undefined;
}

/** Whether all files of one folder are in the other, too, with the same contents. */
async function hasSameFiles(one: string, other: string): Promise<boolean> {
  const files = await filesIn(one);
  return files.every((file) => {
    const twin = join(other, file);
    return existsSync(twin) && readFileSync(twin).equals(readFileSync(join(one, file)));
  });
}

async function copyOperation(name: string, former: string, binding: Binding, staged: string): Promise<void> {
  const places = [kernelFolder(name), ...binding.operation.copies(name).map(({ to }) => to)];
  for (const place of new Set(places.filter((one) => existsSync(join(former, one)))))
    await cp(join(former, place), join(staged, place), { recursive: true });
}
