import { type Command, Option } from 'commander';
import { launchOperator } from '../mutate/mutant.ts';
import { operators } from '../mutate/operators/index.ts';
import { count, type Flags, seed } from './options.ts';

/** Flags of `gen mutate` beside those of a run. */
export interface MutateFlags extends Flags {
  /** At most this many mutants. */
  readonly sample?: number;
  /** Only mutants by these. */
  readonly operator?: readonly string[];
  /** The case whose outputs other projects' rules look at. */
  readonly rules?: string;
  /** Runs of the variants as they are, instead of mutants. */
  readonly alarms?: number;
  /** Time for beginning mutants or runs. */
  readonly seconds?: number;
  /** With `--resume`: survivors too. */
  readonly retry?: boolean;
  readonly floor?: string;
  readonly updateFloor?: boolean;
  readonly markdown?: string;
  readonly list?: boolean;
}

/** Names of all operators: on text, and on the launch. */
const operatorNames = [...operators.map(({ name }) => name), launchOperator];

/** Which mutants, and what is done with the results. */
export function withMutants(command: Command): Command {
  return command
    .option('--sample <n>', 'at most this many mutants, spread over paths and operators', count)
    .addOption(new Option('--operator <name...>', 'only mutants by these').choices(operatorNames))
    .option('--list', 'name the mutants and try none')
    .option('--rules <case>', "also ask other projects' acceptance rules about the outputs of this gate case")
    .option(
      '--alarms <n>',
      'run the variants as they are so often instead: what does not pass is a false alarm',
      count,
    )
    .option('--seed <n>', 'with --alarms: the first schedule seed (default: 1)', seed)
    .option('--seconds <n>', 'begin nothing after so many seconds: what was done is reported', seed)
    .option('--floor <file>', 'end with 1 where a smaller share is killed than this file says')
    .option('--update-floor', 'with --floor: write what was killed now')
    .option('--markdown <file>', 'put the tables into a document')
    .option('--as <variant id>', 'which variant a file stands for (default: what its first line says)')
    .option('--resume [file]', 'go on with results (default: the newest)')
    .option('--retry', 'with --resume: try survivors again');
}
