import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../errors.ts';
import { loadDefault } from '../load-module.ts';
import type { Binding, PackageBinding } from '../model/binding.ts';
import { packageRoot } from '../util/package-root.ts';

/** Folder of a binding's files. */
export function bindingFolder(name: string): string {
  return join(packageRoot, 'templates', 'bindings', name);
}

/** Names of the folders that say in `file` what they make, sorted. */
function named(file: string): readonly string[] {
  return readdirSync(bindingFolder('.'))
    .filter((name) => !name.startsWith('_') && existsSync(join(bindingFolder(name), file)))
    .toSorted();
}

/** Names of the parts of an emitted library. */
export function bindingNames(): readonly string[] {
  return named('binding.ts');
}

/** Names of the packages that an emitted library can be put into. */
export function packageNames(): readonly string[] {
  return named('package.ts');
}

/** Loads `templates/bindings/<name>/binding.ts`; it is TypeScript even where this package runs compiled. */
export async function loadBinding(name: string): Promise<Binding> {
  const known = bindingNames();
  if (!known.includes(name))
    throw new UsageError(`there is no binding '${name}'; there are: ${known.join(', ')}`);
  return (await loadDefault(join(bindingFolder(name), 'binding.ts'))) as Binding;
}

/** Loads `templates/bindings/<name>/package.ts`. */
export async function loadPackageBinding(name: string): Promise<PackageBinding> {
  return (await loadDefault(join(bindingFolder(name), 'package.ts'))) as PackageBinding;
}
