import { basename, dirname, join } from 'node:path';

/** A line of a source. */
export interface Place {
  readonly uri: string;
  readonly line: number;
}

/** Source lines that a message names, the access that was found out first. */
export function placesIn(message: string, file: string): Place[] {
  const named = [...message.matchAll(/(?:\bat |^)(\S+\.(?:cuh?|h|hpp)):(\d+)/g)];
  return named.map(([, name = '', line]) => ({
    uri: basename(name) === basename(file) ? file : join(dirname(file), name),
    line: Number(line),
  }));
}
