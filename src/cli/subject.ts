import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { DiscoveredFamily } from '../discover.ts';
import { UsageError } from '../errors.ts';
import type { Arch } from '../model/arch.ts';
import type { Source, Variant } from '../model/variant.ts';
import type { Request } from '../request.ts';
import { pointOfId } from '../space/id.ts';
import { variantOf } from '../space/variant.ts';
import { onDisk, readText } from '../util/disk.ts';
import { sha256 } from '../util/hash.ts';
import type { Options } from './options.ts';

/**
 * A family and what of it: `my-op <variant>`, or a variant alone, whose id says which family it is of. So does the
 * id that a file stands for: `as`, or what the file says.
 */
export function subjectOf(
  first: string,
  second?: string,
  as?: string,
): readonly [family: string, what: string | undefined] {
  if (second !== undefined) return [first, second];
  const id = isFile(first) ? (as ?? idOfFile(first, textOf(first))) : first;
  const [prefix = '', ...tokens] = id.split('.');
  return tokens.length > 0 ? [prefix, first] : [first, undefined];
}

/** One variant by its id, or a file that stands for one. */
export function onlyOf(
  subject: string,
  { family }: DiscoveredFamily,
  arch: Arch,
  as?: string,
): NonNullable<Request['only']> {
  if (!isFile(subject)) return { variant: variantOf(family, pointOfId(family, subject), arch) };
  const path = resolve(subject);
  const text = textOf(subject);
  const id = as ?? idOfFile(path, text);
  const variant = variantOf(family, pointOfId(family, id), arch);
  mustDefine(variant, text, path);
  return { variant, source: sourceOf(variant, path, text) };
}

/** Whether words of the command line mean a file: no id of a variant looks like that. */
export function isFile(subject: string): boolean {
  return /\.cuh?$|\//.test(subject);
}

function textOf(file: string): string {
  if (!existsSync(file)) throw new UsageError(`there is no file ${file}`);
  return onDisk(`read ${file}`, () => readText(file));
}

/** Rendered files begin with their id and are named after it. */
function idOfFile(path: string, text: string): string {
  const said = /^\/\/ ([\w-]+(?:\.[\w-]+)+)$/m.exec(text.slice(0, 300))?.[1];
  const id = said ?? basename(path, '.cu');
  if (id.includes('.')) return id;
  throw new UsageError(
    `${path} does not say which variant it stands for: name one with --as <id>, or in its first line, as rendered files do: // <id>`,
  );
}

function mustDefine({ symbol, id }: Variant, text: string, path: string): void {
  if (text.includes(`TW_EXPORT(${symbol})`) || text.includes(`\nTW_IMPORTED(${symbol},`)) return;
  throw new UsageError(
    `${path} does not define the kernel of ${id}: it must have a kernel '${symbol}' and end with TW_EXPORT(${symbol}); name another variant with --as <id>`,
  );
}

function sourceOf(variant: Variant, path: string, text: string): Source {
  return { variant, path, text, hash: sha256(text) };
}

/** Whether `validate` is asked about somebody's own `.cu`, which is no variant of a family. */
export function isOwnSource(first: string, flags: Options): boolean {
  if (!/\.(cu|cuh)$/.test(first) || flags.as !== undefined) return false;
  if (!existsSync(first)) return true;
  const text = textOf(first);
  return !/\bTW_(EXPORT|IMPORTED)\(/.test(text) && !/^\/\/ [\w-]+(\.[\w-]+){2,}$/m.test(text.slice(0, 300));
}
