import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { hashOf } from '../util/hash.ts';
import { includeNames, locateHeader } from '../util/includes.ts';

/** A header as far as keys care: what it is and whom it includes. */
interface Header {
  readonly hash: string;
  readonly names: readonly string[];
  readonly stamp: string;
}

const headers = new Map<string, Header>();

/**
 * Hash over a text and every file that it includes, directly or not, from the given folders or from beside the includer.
 * Headers found nowhere belong to a compiler, whose version is part of every key. Conditions are not evaluated: a header
 * in a branch not taken counts too, which can only cost a rebuild.
 */
export function includeHash(text: string, folders: readonly string[], beside?: string): string {
  const seen = new Map<string, string>();
  const visit = (names: readonly string[], own: string | undefined) => {
    for (const name of names) {
      const path = locateHeader(name, own === undefined ? folders : [own, ...folders]);
      if (path === undefined || seen.has(path)) continue;
      const header = read(path);
      seen.set(path, header.hash);
      visit(header.names, dirname(path));
    }
  };
  visit(includeNames(text), beside);
  return hashOf(text, ...[...seen.values()].sort());
}

/** Every variant includes the same few headers: each is read once, and again when it has changed. */
function read(path: string): Header {
  const { mtimeMs, size } = statSync(path);
  const stamp = `${mtimeMs} ${size}`;
  const known = headers.get(path);
  if (known?.stamp === stamp) return known;
  const text = readFileSync(path, 'utf8');
  const header = { hash: hashOf(text), names: includeNames(text), stamp };
  headers.set(path, header);
  return header;
}
