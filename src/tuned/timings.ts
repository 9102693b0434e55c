import type { Timing } from '../model/wisdom.ts';
import type { CacheFile } from './cache.ts';

/** Times that contexts measured for calls of an operation: the best of each key. `features`: those that dispatch knows. */
export function timingsOf(
  files: readonly CacheFile[],
  operation: string,
  features: ReadonlySet<string>,
): Timing[] {
  return files.flatMap(({ record, environment }) => {
    if (!record || record.refused !== undefined || !record.key.startsWith(`${operation} `)) return [];
    if (record.measured.length === 0) return [];
    const known = wordsOf(record.key).filter(([name]) => features.has(name));
    const numbers = known.map(([name, value]) => [name, numberOf(value)] as const);
    const source = `${memberOf(environment, 'gpu')}, driver ${memberOf(environment, 'driver')}`;
    const times = Object.fromEntries(
      record.measured.map(([id, time]) => [id, Number(time.toPrecision(4))] as const),
    );
    return [{ name: record.key, features: Object.fromEntries(numbers), source, times }];
  });
}

/** major * 10 + minor; undefined where the records are of no GPU. */
export function capabilityOf(environment: string): number | undefined {
  const [major, minor] = memberOf(environment, 'compute capability').split('.').map(Number);
  return major !== undefined && minor !== undefined ? 10 * major + minor : undefined;
}

function wordsOf(key: string): (readonly [string, string])[] {
  return key
    .split(' ')
    .slice(1)
    .map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]);
}

/** Sizes are numbers, features half octaves: `2^-6/2`. */
function numberOf(value: string): number {
  const octaves = /^2\^(-?\d+)\/2$/.exec(value);
  return octaves ? 2 ** (Number(octaves[1]) / 2) : Number(value);
}

function memberOf(environment: string, name: string): string {
  const line = environment.split('\n').find((one) => one.startsWith(`${name}: `));
  return line?.slice(name.length + 2) ?? '';
}
