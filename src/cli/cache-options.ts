import type { Command } from 'commander';
import type { CacheOptions } from './cache.ts';

/** The commands themselves, loaded when one runs. */
const commands = () => import('./cache.ts');

/** `gen cache`: what contexts of emitted libraries measured. */
export function addCache(program: Command, done: (code: number) => void): void {
  const cache = program.command('cache').description('tuning records of emitted libraries (docs/tuner.md)');
  const add = (name: string, description: string) =>
    cache
      .command(name)
      .description(description)
      .option('--folder <folder>', "the cache (default: `tuned` in the user's cache folder)");
  add('list', 'list keys with their kernels and times')
    .option('--json', 'print JSON lines on stdout, each with `event`')
    .action(async (options: CacheOptions) => done((await commands()).listCache(options)));
  add('show', 'show records in full')
    .argument('<text>', 'a part of the key, of the variant or of the path')
    .action(async (text: string, options: CacheOptions) => done((await commands()).showCache(text, options)));
  add('prune', 'remove damaged files and leftovers of killed processes')
    .option('--older-than <days>', 'also remove older records')
    .action(async (options: CacheOptions) => done((await commands()).pruneCache(options)));
  add('export', 'write all records as JSON lines, for another machine with such a GPU and driver')
    .argument('[file]', 'default: stdout')
    .option(
      '--wisdom <family>',
      "add the times to the family's wisdom/timings/<arch>.json, which its libraries ship",
    )
    .action(async (file: string | undefined, options: CacheOptions) =>
      done(await (await commands()).exportCache(file, options)),
    );
  add('import', 'add exported records; those that are there stay')
    .argument('<file>')
    .action(async (file: string, options: CacheOptions) =>
      done((await commands()).importCache(file, options)),
    );
  add('verify', 'list files that are no valid records; exit code 1 if there are any').action(
    async (options: CacheOptions) => done((await commands()).verifyCache(options)),
  );
}
