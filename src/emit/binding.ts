import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../errors.ts';
import { loadDefault } from '../load-module.ts';
import type { Binding, PackageBinding } from '../model/binding.ts';
import { packageRoot } from '../util/package-root.ts';

/** Folder of a binding's files. */
export function bindingFolder(name: string): string {
  return join(packageRoot, 'templates', 'bindings', name);
}

/** The binding that is the library itself. */
export const libraryBinding = 'c';

/** Names of the packages that an emitted library can be put into, sorted. */
export function packageNames(): readonly string[] {
  return bindingNames().filter((name) => name !== libraryBinding);
}

function bindingNames(): string[] {
  return readdirSync(bindingFolder('.'))
    .filter((entry) => !entry.startsWith('_'))
    .toSorted();
}

/** Loads `templates/bindings/<name>/binding.ts`; it is TypeScript even where this package runs compiled. */
export async function loadBinding(name: string): Promise<Binding> {
  return (await load(name)) as Binding;
}

export async function loadPackageBinding(name: string): Promise<PackageBinding> {
  return (await load(name)) as PackageBinding;
}

async function load(name: string): Promise<unknown> {
  const known = bindingNames();
  if (!known.includes(name))
    throw new UsageError(`there is no binding '${name}'; there are: ${known.join(', ')}`);
  return loadDefault(join(bindingFolder(name), 'binding.ts'));
}
