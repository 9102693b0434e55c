import { type Command, InvalidArgumentError, Option } from 'commander';
import { archNames, defaultArch } from '../arch/index.ts';
import { type DeviceChoice, parseDevices } from '../backends/index.ts';
import { packageNames } from '../emit/binding.ts';
import { type Sanitizer, sanitizerNames } from '../kernel-file/sanitizer.ts';

/** Options that every command about variants takes, as commander hands them on. */
export interface Options {
  readonly preset?: string;
  readonly where?: string;
  readonly limit?: number;
  readonly arch?: string;
  readonly device?: DeviceChoice;
  readonly sanitize?: Sanitizer;
  readonly baseline?: string;
  readonly jobs?: number;
  /** Seconds. */
  readonly watchdog?: number;
  readonly out?: string;
  readonly config?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly install: boolean;
  readonly depth?: 'quick' | 'full';
  readonly case?: string;
  readonly seed?: number;
  /** A Matrix Market file, with the size of its blocks behind an @. */
  readonly matrix?: string;
  /** True: the newest run of the family. */
  readonly resume?: string | true;
  readonly as?: string;
  /** `validate x.cu`: the reference. */
  readonly against?: string;
  readonly description?: string;
  readonly include?: readonly string[];
  readonly watch?: boolean;
  readonly dump?: string;
  readonly junit?: string;
  readonly sarif?: string;
  /** Rank of accuracy. */
  readonly accuracy?: number;
  /** Folder in which `gen emit` installs the library. */
  readonly prefix?: string;
  /** `gen emit --prefix`: archives instead of shared libraries. */
  readonly static?: boolean;
}

/** A positive whole number. */
export function count(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number, at least 1.');
}

/** A whole number that is not negative. */
export function seed(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number, at least 0.');
}

/** Options of a run's output: its folder and the form of the result. */
export function withOutput(command: Command): Command {
  return withForm(command, 'print JSON lines on stdout, each with `event`; the last is `summary` or `error`');
}

/** The same for a command that only answers a question. */
export function withAnswer(command: Command): Command {
  return withForm(command, 'print JSON lines on stdout, each with `event`');
}

function withForm(command: Command, json: string): Command {
  return command
    .option('--out <folder>', 'folder for everything generated (default: generated)')
    .option('--config <file>', 'a gen.config.ts (default: the nearest upwards)')
    .option('--json', json)
    .option('--quiet', 'no progress on stderr');
}

export const archHelp = `${archNames} (default: the GPU's, else ${defaultArch.name})`;

/** Points of the space. */
export function withSpace(command: Command): Command {
  return command
    .option(
      '--preset <name>',
      'a preset of the family (default: `default`; all points with --where; `shipped` for a sweep without a GPU, if there is wisdom)',
    )
    .option('--where <condition>', 'only points that satisfy it, e.g. "block == 64 && tileN >= 128"')
    .option('--limit <n>', 'at most n variants, evenly spaced', count)
    .option('--arch <name>', archHelp);
}

/** Options of compiling and gating. */
export function withMachine(command: Command): Command {
  return command
    .option(
      '--device <name>',
      'auto (emulated, and all GPUs if there are any), emulated, cuda (all GPUs), cuda:1 or cuda:0,2 (default: auto)',
      (text: string) => parseDevices(text),
    )
    .option(
      '--jobs <n>',
      'parallel compilers and emulated devices (default: one per core, as memory allows)',
      count,
    )
    .option('--watchdog <seconds>', 'kill a kernel that runs longer, verdict `hang` (default: 30)', count)
    .option('--no-install', 'never download a toolchain; report what is missing instead');
}

export function withDepth(command: Command): Command {
  return command.addOption(
    new Option('--depth <name>', 'number of gate cases, listed in docs/verdicts.md (default: quick)').choices(
      ['quick', 'full'],
    ),
  );
}

/** A part of the gate, to look into a failure: who passes it has not passed the gate. */
export function withGatePart(command: Command): Command {
  return command
    .option('--case <id>', 'run only this gate case')
    .option('--seed <n>', 'emulated device: run only the schedule of this seed', seed)
    .option(
      '--matrix <file>',
      "gate on this Matrix Market file's matrix, values included; <file>@<block> on variants of that block",
    )
    .option('--dump <folder>', "write each case's inputs, output and reference, as .npy");
}

/** A matrix as a workload. */
export function withMatrix(command: Command): Command {
  return command.option(
    '--matrix <file>',
    "workloads: this Matrix Market file's matrix, values included; <file>@<block> in blocks of that size (default: each)",
  );
}

/** Options of checking the user's own `.cu`. */
export function withCheck(command: Command): Command {
  return command
    .option(
      '--against <reference>',
      'for a .cu: file.c:function, file.cu:kernel, file.py:function, oracle:family or out.npy',
    )
    .option('--description <file>', 'for a .cu: its description, instead of those in it and beside it')
    .option('--include <folder...>', 'for a .cu: folders of its headers')
    .addOption(
      new Option('--sanitize <tool>', 'for a .cu with --device cuda: also under compute-sanitizer').choices(
        sanitizerNames,
      ),
    )
    .option(
      '--baseline <file>',
      'for a .cu: known findings, which do not fail; the file is written if there is none',
    )
    .option('--watch', 'for a .cu: check again whenever a file beside it changes, until interrupted')
    .option('--junit <file>', 'for a .cu: also write a JUnit report')
    .option('--sarif <file>', 'for a .cu: also write SARIF, which code hosts show beside the lines');
}

/** Options of the selection. */
export function withChoice(command: Command): Command {
  return command.option(
    '--accuracy <rank>',
    'worst rank of accuracy that may be chosen, if the family ranks it (default: the best that passed)',
    seed,
  );
}

export function withPrefix(command: Command): Command {
  return command
    .option('--prefix <folder>', 'also build the library with CMake and install it there')
    .option('--static', 'with --prefix: archives instead of shared libraries');
}

/** A flag for each package that the library can be put into. */
export function withPackages(command: Command): Command {
  return packageNames().reduce(
    (all, name) => all.option(`--${name}`, `also write the ${name} package of the library, to <out>/${name}`),
    command,
  );
}

export function withResume(command: Command): Command {
  return command.option('--resume [run]', 'continue an interrupted run (default: the newest)');
}
