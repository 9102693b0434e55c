import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../errors.ts';
import { loadDefault } from '../load-module.ts';
import type { Binding } from '../model/binding.ts';
import { packageRoot } from '../util/package-root.ts';

/** Folder of a binding's files. */
export function bindingFolder(name: string): string {
  return join(packageRoot, 'templates', 'bindings', name);
}

/** Loads `templates/bindings/<name>/binding.ts`; it is TypeScript even where this package runs compiled. */
export async function loadBinding(name: string): Promise<Binding> {
  const known = (await readdir(bindingFolder('.'))).filter((entry) => !entry.startsWith('_'));
  if (!known.includes(name))
    throw new UsageError(`there is no binding '${name}'; there are: ${known.join(', ')}`);
  return (await loadDefault(join(bindingFolder(name), 'binding.ts'))) as Binding;
}
