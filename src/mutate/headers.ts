import { readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { hashOf } from '../util/hash.ts';
import { locateHeader } from '../util/includes.ts';
import { Code } from './code.ts';
import { oneDeviceOnly, unreached } from './regions.ts';
import type { Token } from './tokens.ts';

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

/** Tokens of a text and of what it reaches in headers, through other headers too. */
export interface Reached {
  /** Words that may reach a function of a header. */
  readonly words: ReadonlySet<string>;
  /** Digest of the tokens, 16 hexadecimal digits: comments and functions that nothing calls have no part in it. */
  readonly digest: string;
}

export function reachedFrom(text: string, headers: readonly Header[]): Reached {
  const codes = headers.map((header) => new Code(header.text));
  const own = new Code(text).tokens;
  const words = new Set(wordsOf(own));
  for (let before = 0; before < words.size; ) {
    before = words.size;
    for (const code of codes) for (const word of wordsOf(open(code, words))) words.add(word);
  }
  const tokens = [own, ...codes.map((code) => open(code, words))].flat();
  return { words, digest: hashOf(...tokens.map((token) => token.text)).slice(0, 16) };
}

/** Tokens of a header that the words reach. */
function open(code: Code, words: ReadonlySet<string>): Token[] {
  const closed = unreached(code, words);
  return code.tokens.filter(({ at }) => !closed.some(({ begin, end }) => begin <= at && at < end));
}

const wordsOf = (tokens: readonly Token[]) =>
  tokens.filter(({ kind }) => kind === 'word').map(({ text }) => text);
