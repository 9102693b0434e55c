import type { Command } from 'commander';
import { archHelp, type Options, withDepth, withMachine, withOutput } from './options.ts';

/** `gen import-triton`, loaded when it is called. */
export function addImport(program: Command, done: (code: number) => void): void {
  const command = program
    .command('import-triton')
    .description('take a kernel that Triton compiled in place of a variant; gate and time it on a GPU')
    .argument('<kernel>', "its .json in Triton's cache, with the .cubin beside it, or their folder")
    .option('--as <variant id>', 'variant that it stands for (default: the one named in the description)')
    .option('--description <file>', 'arguments and grid (default: the .yaml beside the .json)')
    .option('--arch <name>', archHelp);
  withDepth(withMachine(withOutput(command))).action(async (place: string, options: Options) =>
    done(await (await import('./import-triton.ts')).importTriton(place, options)),
  );
}
