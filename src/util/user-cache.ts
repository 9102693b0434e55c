import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { EnvironmentError } from '../errors.ts';

/** The folder for all that is kept between commands and belongs to no output folder; emitted libraries have the same rule. */
export function userCache(environment: Readonly<Record<string, string | undefined>>): string {
  const { TILEWRIGHT_CACHE, XDG_CACHE_HOME = '' } = environment;
  if (TILEWRIGHT_CACHE) return TILEWRIGHT_CACHE;
  // The XDG specification: a relative path is invalid and ignored.
  return join(isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homeFolder(), '.cache'), 'tilewright');
}

function homeFolder(): string {
  const home = [homedir, () => userInfo().homedir].map(unlessUnknown).find(isAbsolute);
  if (home !== undefined) return home;
  throw new EnvironmentError(
    'this user has no home folder, in which compilers and translated families are kept: set HOME, or TILEWRIGHT_CACHE to another folder',
  );
}

/** Node throws for a user id that the system does not know, as containers run under. */
function unlessUnknown(ask: () => string): string {
  try {
    return ask();
  } catch {
    return '';
  }
}
