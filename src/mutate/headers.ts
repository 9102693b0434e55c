import { readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { locateHeader } from '../util/includes.ts';
import { Code } from './code.ts';
import { oneDeviceOnly } from './regions.ts';

/** A header with device code that a kernel includes. */
export interface Header {
  /** Path below `folder`. */
  readonly file: string;
  /** The folder of includes in which it was found. */
  readonly folder: string;
  readonly text: string;
}

const include = /^#\s*include\s*"([^"]+)"/;

/** Headers of the kernels' own folders that a text includes, directly or not; those that one device alone includes are no part of the kernel. */
export function headersOf(text: string, folders: readonly string[]): Header[] {
  const found = new Map<string, Header>();
  const visit = (code: string, beside: string | undefined) => {
    const parsed = new Code(code);
    const closed = oneDeviceOnly(parsed);
    for (const { kind, text: line, at } of parsed.tokens) {
      if (closed.some(({ begin, end }) => begin <= at && at < end)) continue;
      const name = kind === 'directive' ? include.exec(line)?.[1] : undefined;
      const path =
        name === undefined
          ? undefined
          : locateHeader(name, beside === undefined ? folders : [beside, ...folders]);
      if (path === undefined || found.has(path)) continue;
      const folder = folders.find((one) => path.startsWith(`${one}/`)) ?? dirname(path);
      const header = { file: relative(folder, path), folder, text: readFileSync(path, 'utf8') };
      found.set(path, header);
      visit(header.text, dirname(path));
    }
  };
  visit(text, undefined);
  return [...found.values()];
}

/** Every word of a text: what may reach a function of a header. */
export function wordsOf(text: string): Set<string> {
  return new Set(new Code(text).tokens.flatMap((token) => (token.kind === 'word' ? [token.text] : [])));
}
