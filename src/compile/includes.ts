import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hashOf } from '../util/hash.ts';

const includeLine = /^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]/gm;

/**
 * Hash over a text and every file that it includes, directly or not, from the given folders or from beside the includer.
 * Headers found nowhere belong to a compiler, whose version is part of every key. Conditions are not evaluated: a header
 * in a branch not taken counts too, which can only cost a rebuild.
 */
export function includeHash(text: string, folders: readonly string[], beside?: string): string {
  const seen = new Map<string, string>();
  const visit = (content: string, own: string | undefined) => {
    for (const [, name = ''] of content.matchAll(includeLine)) {
      const path = find(name, own === undefined ? folders : [own, ...folders]);
      if (path === undefined || seen.has(path)) continue;
      const included = readFileSync(path, 'utf8');
      seen.set(path, hashOf(included));
      visit(included, dirname(path));
    }
  };
  visit(text, beside);
  return hashOf(text, ...[...seen.values()].sort());
}

function find(name: string, folders: readonly string[]): string | undefined {
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
