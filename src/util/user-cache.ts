import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder for all that is kept between commands and belongs to no output folder. */
export function userCache(environment: Readonly<Record<string, string | undefined>>): string {
  const { TILEWRIGHT_CACHE, XDG_CACHE_HOME } = environment;
  return TILEWRIGHT_CACHE || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'tilewright');
}
