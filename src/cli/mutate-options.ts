import { type Command, Option } from 'commander';
import { launchOperator } from '../mutate/mutant.ts';
import { operators } from '../mutate/operators/index.ts';
import { count, type Options, seed } from './options.ts';

/** Options of `gen mutate` beside those of a run. */
export interface MutateOptions extends Options {
  /** At most this many mutants. */
  readonly sample?: number;
  /** Only mutants by these. */
  readonly operator?: readonly string[];
  /** Only mutants of these: headers by their names in `#include`, `mma.cu` the rendered source of a template. */
  readonly file?: readonly string[];
  /** Only these: ids, or their first digits. */
  readonly mutant?: readonly string[];
  /** The case whose outputs other projects' rules look at. */
  readonly rules?: string;
  /** Runs of the variants as they are, instead of mutants. */
  readonly alarms?: number;
  /** Time for beginning mutants or runs. */
  readonly seconds?: number;
  /** With `--resume`: survivors too. */
  readonly retry?: boolean;
  /** With `--resume`: other results of the family that count where they say more. */
  readonly join?: readonly string[];
  readonly floor?: string;
  readonly updateFloor?: boolean;
  readonly markdown?: string;
  readonly list?: boolean;
}

/** Names of all operators: on text, and on the launch. */
const operatorNames = [...operators.map(({ name }) => name), launchOperator];

/** Choice of mutants, and use of the results. */
export function withMutants(command: Command): Command {
  return command
    .option('--sample <n>', 'at most n mutants, spread over paths and operators', count)
    .addOption(new Option('--operator <name...>', 'only mutants by these operators').choices(operatorNames))
    .option('--file <name...>', 'only mutants of these files, e.g. tw/swizzle.cuh; --list shows them')
    .option('--mutant <id...>', 'only these mutants, by the first digits of their ids; --list shows them')
    .option('--list', 'list the mutants without trying them')
    .option('--rules <case>', "also ask other projects' acceptance rules about the outputs of this gate case")
    .option(
      '--alarms <n>',
      'gate the unmutated variants n times instead: every failure is a false alarm',
      count,
    )
    .option('--seed <n>', 'with --alarms: the first schedule seed (default: 1)', seed)
    .option('--seconds <n>', 'start no mutant after n seconds; report what is done', seed)
    .option('--floor <file>', 'exit with 1 if fewer are killed than this file requires')
    .option('--update-floor', 'with --floor: rewrite the file')
    .option('--markdown <file>', 'write the tables into a document')
    .option('--as <variant id>', 'variant that a file stands for (default: the one named in its first line)')
    .option('--resume [file]', 'continue results (default: the newest)')
    .option('--retry', 'with --resume: try survivors again, and what is argued about single variants')
    .option('--join <file...>', 'with --resume: take over other results of the family');
}
