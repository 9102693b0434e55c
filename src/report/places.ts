import { basename, dirname, join } from 'node:path';

/** A line of a source. */
export interface Place {
  readonly uri: string;
  readonly line: number;
}

/** Source lines that a message names, the access that was found out first. Only the file itself may have blanks in its name. */
export function placesIn(message: string, file: string): Place[] {
  const own = [file, basename(file)].map(literally).join('|');
  const named = [
    ...message.matchAll(new RegExp(String.raw`(?:\bat |^)(${own}|\S+\.(?:cuh?|h|hpp)):(\d+)`, 'g')),
  ];
  return named.map(([, name = '', line]) => ({
    uri: basename(name) === basename(file) ? file : join(dirname(file), name),
    line: Number(line),
  }));
}

/** A regular expression for a text as it stands. */
function literally(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
