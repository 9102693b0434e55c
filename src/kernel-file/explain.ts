import { resolve } from 'node:path';
import type { ReadSource } from './source.ts';

interface Message {
  readonly file: string;
  readonly line: string;
  readonly kind: string;
  readonly text: string;
}

/**
 * One line for g++'s objection to a kernel, with a place in the user's own files. An error within a header of ours is shown
 * at the user's code that includes or calls it.
 */
export function explain(said: string, source: ReadSource): string {
  const messages = [
    ...said.matchAll(/^([^\s:][^:\n]*):(\d+)(?::\d+)?:\s+(?:(fatal error|error|note|warning):\s+)?(.*)$/gm),
  ].map(([, file = '', line = '', kind = '', text = '']): Message => ({ file, line, kind, text }));
  const own = new Set(
    source.items.flatMap(({ tokens }) =>
      tokens.filter(({ kind }) => kind !== 'system').map(({ file }) => file),
    ),
  );
  const isOwn = ({ file }: Message) => own.has(file) || resolve(file) === resolve(source.path);
  const at = messages.findIndex(({ kind }) => kind.endsWith('error'));
  const error = messages[at];
  if (!error) return `${source.path} does not compile: ${said.trim().split('\n')[0] ?? ''}`;
  const behind = messages.slice(at).find(isOwn);
  const before = messages
    .slice(0, at)
    .findLast((one) => isOwn(one) && /required from|In instantiation/.test(one.text));
  const place = isOwn(error) ? error : (before ?? behind);
  const where = place ? `${place.file}:${place.line}` : source.path;
  const headers =
    source.missing.length > 0
      ? `; not found: ${source.missing.join(', ')} (name folders with --include)`
      : '';
  return `${where}: ${inUserWords(error.text)}${headers}`;
}

/** Without the names that only we give. */
function inUserWords(text: string): string {
  const unknown =
    /['‘](\w+)['’] (?:was not declared in this scope|has not been declared|does not name a type)/.exec(text);
  if (unknown)
    return `'${unknown[1]}' is not known to the emulated device, nor declared in the files that were found`;
  return text.replaceAll(/tw_(?:type|key|initial|holder)_/g, '').replaceAll('::simt::ids->', '');
}
