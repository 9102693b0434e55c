import { Command, Option } from 'commander';
import { type Stage, stages } from '../model/stage.ts';
import { type PartName, partNames } from '../toolchain/parts.ts';
import { packageVersion } from '../util/package-version.ts';
import { addCache } from './cache-options.ts';
import type { CellsOptions } from './cells.ts';
import { addImport } from './import-options.ts';
import { type MutateOptions, withMutants } from './mutate-options.ts';
import {
  archHelp,
  type Options,
  withAnswer,
  withCheck,
  withChoice,
  withDepth,
  withGatePart,
  withMachine,
  withMatrix,
  withOutput,
  withPackages,
  withPrefix,
  withResume,
  withSpace,
} from './options.ts';
import type { ProblemOptions } from './problem.ts';
import type { ReportOptions } from './report.ts';

/** Modules that commands run, each loaded when its command does: what only names the commands starts at once. */
const modules = {
  cells: () => import('./cells.ts'),
  check: () => import('./check.ts'),
  doctor: () => import('./doctor.ts'),
  emit: () => import('./emit.ts'),
  inspect: () => import('./inspect.ts'),
  mutate: () => import('./mutate.ts'),
  problem: () => import('./problem.ts'),
  report: () => import('./report.ts'),
  run: () => import('./run-command.ts'),
  setup: () => import('./setup.ts'),
  subject: () => import('./subject.ts'),
  validate: () => import('./kernel-file.ts'),
  watch: () => import('./kernel-file-watch.ts'),
};

/** Told the exit code of the command that ran. */
type Done = (code: number) => void;

const footer = `
Exit codes: 0 done; 1 nothing passed, or the gate said no; 2 could not run
(wrong argument, missing compiler, full disk), or could not write to stdout
(the work was done, its output is lost; a reader that leaves, as in \`| head\`,
is no error); 130 stopped with Ctrl-C, SIGTERM or SIGHUP (the run is kept, the
last line says how to resume it).`;

/** All commands. Each calls one function, whose number is the exit code. */
export function programOf(done: Done): Command {
  const program = new Command('gen')
    .description('Turns a search space of CUDA kernels into gated, timed variants and a library.')
    .version(packageVersion())
    .addHelpText('after', footer)
    .configureHelp({ showGlobalOptions: true, minWidthToWrap: 30 });
  addLineCommands(program, done);
  addRunCommands(program, done);
  addMutate(program, done);
  addInspectCommands(program, done);
  addMachineCommands(program, done);
  addCache(program, done);
  return program;
}

function addLineCommands(program: Command, done: Done): void {
  const sweep = program
    .command('sweep')
    .argument('[family]', 'a kernel family; see `gen list`')
    .description('enumerate, render, compile, gate, time, select and emit the library');
  withChoice(withMatrix(withResume(withDepth(withMachine(withSpace(withOutput(sweep))))))).action(
    async (family: string | undefined, options: Options) =>
      done(await (await modules.run()).sweepFamily(family, options)),
  );
  const render = subjectCommand(program, 'render', 'write the rendered sources');
  withSpace(withOutput(render)).action(upTo('render', done));
  const build = subjectCommand(program, 'build', 'render and compile');
  withMachine(withSpace(withOutput(build))).action(upTo('build', done));
  addValidate(program, 'validate', done);
  addImport(program, done);
  addDescribe(program, done);
}

/** `gen validate`; the program `validate` is the same. */
function addValidate(program: Command, name: string, done: Done): void {
  const command = subjectCommand(
    program,
    name,
    'gate variants, one variant or an edited .cu of one; or the kernels of any .cu',
  );
  const gate = upTo('gate', done);
  withCheck(withGatePart(withDepth(withMachine(withSpace(withOutput(command))))))
    .option('--as <variant id>', 'variant that a file stands for (default: the one named in its first line)')
    .action(async (first: string, second: string | undefined, options: Options) =>
      (await modules.subject()).isOwnSource(first, options)
        ? done(await ownSource(first, second, options))
        : gate(first, second, options),
    );
}

async function ownSource(first: string, second: string | undefined, options: Options): Promise<number> {
  if (options.watch) return (await modules.watch()).watchOwnSource(first, second, options);
  return (await modules.validate()).checkOwnSource(first, second, options);
}

/** The first description of a `.cu`. */
function addDescribe(program: Command, done: Done): void {
  program
    .command('describe')
    .description('write a first description of the kernels of a .cu, for `validate`')
    .argument('[file]', 'a .cu file')
    .argument('[kernel]', 'one of its kernels')
    .option('--schema', 'print the JSON schema of descriptions')
    .option('--out <folder>', "folder for everything generated (default: the user's cache)")
    .action(async (file: string | undefined, kernel: string | undefined, options: Options) =>
      done(await (await modules.validate()).describeSource(file, kernel, options)),
    );
}

function subjectCommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .argument('<family>', 'a kernel family (see `gen list`); not needed before a variant')
    .argument('[variant]', 'id of one variant, or path of a .cu file that stands for one');
}

/** Runs all stages up to and with the named one. */
function upTo(stage: Stage, done: Done) {
  const wanted = stages.slice(0, stages.indexOf(stage) + 1);
  return async (first: string, second: string | undefined, options: Options) =>
    done(await (await modules.run()).runStages(wanted, first, second, options));
}

/** Later stages of a run that exists: what passed is in its journal. */
function addRunCommands(program: Command, done: Done): void {
  const later: readonly (readonly [Stage, string])[] = [
    ['time', 'time what passed in a run'],
    ['select', 'choose the variants to ship from the times of a run'],
  ];
  for (const [stage, description] of later) {
    const command = program
      .command(stage)
      .description(description)
      .argument('[run]', 'id or folder of a run (default: the newest)');
    const wanted: Stage[] = ['build', stage];
    if (stage === 'time') withMatrix(command);
    else withChoice(command);
    withMachine(withOutput(command)).action(async (run: string | undefined, options: Options) =>
      done(await (await modules.run()).runLater(wanted, run, options)),
    );
  }
  const emit = program
    .command('emit')
    .description('select variants and write the library of these runs; its other operations stay')
    .argument(
      '[run...]',
      'ids or folders of runs, or families for their newest run (default: the newest run)',
    );
  withPackages(withPrefix(withChoice(withMachine(withOutput(emit))))).action(
    async (runs: string[], options: Options) => done(await (await modules.emit()).emitRuns(runs, options)),
  );
  addReport(program, done);
}

/** Measures the gate itself. */
function addMutate(program: Command, done: Done): void {
  const command = subjectCommand(program, 'mutate', 'gate mutants: kernels with one planted defect each');
  withMutants(withDepth(withMachine(withSpace(withOutput(command))))).action(
    async (first: string, second: string | undefined, options: MutateOptions) =>
      done(await (await modules.mutate()).mutate(first, second, options)),
  );
}

function addReport(program: Command, done: Done): void {
  program
    .command('report')
    .description('write a run as an evidence file, and runs or evidence files as a Markdown page')
    .argument('[run]', 'id or folder of a run (default: the newest)')
    .option('--evidence <file>', 'write all measurements of the run and its environment as JSON')
    .option('--markdown <file>', 'write the page, and a picture beside it (default: the page on stdout)')
    .option(
      '--wisdom <file>',
      'write the fastest variant of each workload over all runs, in the format of templates/kernels/<family>/wisdom/<arch>.json',
    )
    .option(
      '--timings <file>',
      'add all times to a file, in the format of templates/kernels/<family>/wisdom/timings/<arch>.json',
    )
    .option(
      '--costs <file>',
      "fit the family's cost model to all times of what ships, in the format of templates/kernels/<family>/wisdom/costs/<arch>.json",
    )
    .option(
      '--siblings',
      "print each of the family's comparisons beside its sibling, the smallest share first",
    )
    .option('--from <file...>', 'report on evidence files instead of a run')
    .option(
      '--mutants <file...>',
      'report on results of gen mutate instead: a page for each family, a table of all',
    )
    .option('--table <file>', 'with --mutants: write one line for each mutant, separated by tabs')
    .option('--rival <file...>', 'times of other systems, by bench/compare.py')
    .option('--out <folder>', 'folder for everything generated (default: generated)')
    .option('--config <file>', 'a gen.config.ts (default: the nearest upwards)')
    .action(async (run: string | undefined, options: ReportOptions) =>
      done(await (await modules.report()).report(run, options)),
    );
}

function addInspectCommands(program: Command, done: Done): void {
  const checking = program
    .command('check')
    .description('check a family in seconds: types, contract, lint, goldens, and that its C++ compiles')
    .argument('<family>', 'a kernel family; see `gen list`')
    .option('--update', 'rewrite the goldens');
  withAnswer(checking).action(async (family: string, options: Options) =>
    done(await (await modules.check()).check(family, options)),
  );
  const listing = program
    .command('list')
    .description('list the kernel families, or the variants of one')
    .argument('[family]');
  withSpace(withAnswer(listing)).action(async (family: string | undefined, options: Options) =>
    done(await (await modules.inspect()).list(family, options)),
  );
  const showing = program
    .command('show')
    .description('show the parameters and constraints of a family, or one variant')
    .argument('<family>', 'a kernel family, or the id of one variant')
    .argument('[variant]', 'id of a variant');
  withAnswer(showing).action(async (first: string, second: string | undefined, options: Options) =>
    done(
      await (await modules.inspect()).show(...(await modules.subject()).subjectOf(first, second), options),
    ),
  );
  const making = program
    .command('problem')
    .description('write or list the operands of workloads, as the gate and the timer use them')
    .argument('<family>', 'a kernel family; see `gen list`')
    .argument('[workload...]', 'ids of its workloads; see `gen show <family>`')
    .option('--to <folder>', 'write each tensor to <folder>/<workload>/<tensor>.npy (bf16 as f4)')
    .option('--tensors <name...>', 'only these');
  withMatrix(withAnswer(making)).action(
    async (family: string, workloads: string[], options: ProblemOptions) =>
      done(await (await modules.problem()).problem(family, workloads, options)),
  );
  const serving = program
    .command('cells')
    .description('list kinds of calls, and the variants on tensor cores that a library has for each')
    .argument('<family>', 'a kernel family; see `gen list`')
    .option('--markdown <file>', 'put the table into this page, in the place of an earlier one');
  withSpace(withAnswer(serving)).action(async (family: string, options: CellsOptions) =>
    done(await (await modules.cells()).cells(family, options)),
  );
  const asking = program
    .command('why')
    .description('name the constraints that a point violates')
    .argument('<family>', 'a kernel family, or the id of one variant')
    .argument('[point...]', 'a variant id, or block=64 tileN=128 ...');
  withAnswer(asking)
    .option('--arch <name>', archHelp)
    .action(async (first: string, point: string[], options: Options) => {
      const { subjectOf } = await modules.subject();
      const [family, text] = subjectOf(first, point.length > 0 ? point.join(' ') : undefined);
      done(await (await modules.inspect()).why(family, text, options));
    });
}

function addMachineCommands(program: Command, done: Done): void {
  withAnswer(program.command('doctor').description('report what this machine has and lacks')).action(
    async (options: Options) => done(await (await modules.doctor()).doctor(options)),
  );
  program
    .command('toolchain')
    .description('the CUDA toolkit that this package installs for itself')
    .command('install')
    .description("install CUDA's compiler if there is none, and the tools named by --with")
    .addOption(new Option('--with <part...>', 'further parts').choices(partNames.slice(1)))
    .option('--quiet', 'print nothing if nothing is installed')
    .action(async (options: { with?: Exclude<PartName, 'compile'>[]; quiet?: boolean }) => {
      done(await (await modules.setup()).installToolchain(options.with ?? [], options.quiet ?? false));
    });
  program
    .command('new')
    .description('start a kernel family of your own')
    .command('kernel')
    .description('copy a complete kernel family to templates/kernels/<name>')
    .argument('<name>', 'lower case, with dashes')
    .option('--like <family>', 'a family of this package (default: a small one, y = alpha * x + y)')
    .action(async (name: string, { like }: { readonly like?: string }) => {
      done((await modules.setup()).newFamily(name, like));
    });
}
