import { Command, Option } from 'commander';
import { UsageError } from '../errors.ts';
import { localExecutor } from '../exec/local.ts';
import { type Stage, stages } from '../model/event.ts';
import { shortPath } from '../report/format.ts';
import { type PartName, partNames } from '../toolchain/parts.ts';
import { ensureToolchain } from '../toolchain/toolchain.ts';
import { packageVersion } from '../util/package-version.ts';
import { asCalled } from './called.ts';
import { doctor } from './doctor.ts';
import { list, show, why } from './inspect.ts';
import { check, describeSource, isOwnSource } from './kernel-file.ts';
import {
  type Flags,
  withAnswer,
  withCheck,
  withDepth,
  withGatePart,
  withMachine,
  withOutput,
  withPrefix,
  withResume,
  withSpace,
} from './options.ts';
import { prepareExisting, prepareNew } from './prepare.ts';
import { type ReportFlags, report } from './report.ts';
import { execute } from './run.ts';
import { subjectOf } from './subject.ts';

/** Told the exit code of the command that ran. */
type Done = (code: number) => void;

const footer = `
Exit codes: 0 done; 1 nothing passed, or the gate said no; 2 could not run
(wrong argument, missing compiler, full disk); 130 stopped with Ctrl-C (the run
is kept, the last line says how to go on).`;

/** All commands. Each calls one function, whose number is the exit code. */
export function programOf(done: Done): Command {
  const program = new Command('gen')
    .description('Turns a search space of CUDA kernels into gated, timed variants and a library.')
    .version(packageVersion())
    .addHelpText('after', footer)
    .configureHelp({ showGlobalOptions: true, minWidthToWrap: 30 });
  addLineCommands(program, done);
  addRunCommands(program, done);
  addInspectCommands(program, done);
  addMachineCommands(program, done);
  return program;
}

function addLineCommands(program: Command, done: Done): void {
  const sweep = program
    .command('sweep')
    .argument('[family]', 'a kernel family; see `gen list`')
    .description('enumerate, render, compile, gate, time, select and emit the library');
  withResume(withDepth(withMachine(withSpace(withOutput(sweep))))).action(
    async (family: string | undefined, flags: Flags) => done(await sweepFamily(family, flags)),
  );
  const render = subjectCommand(program, 'render', 'write the rendered sources');
  withSpace(withOutput(render)).action(upTo('render', done));
  const build = subjectCommand(program, 'build', 'render and compile');
  withMachine(withSpace(withOutput(build))).action(upTo('build', done));
  addValidate(program, 'validate', done);
  addDescribe(program, done);
}

/** `gen validate`; the program `validate` is the same. */
function addValidate(program: Command, name: string, done: Done): void {
  const command = subjectCommand(
    program,
    name,
    'put variants, one variant or an edited .cu of one through the gate; or the kernels of any .cu',
  );
  const gate = upTo('gate', done);
  withCheck(withGatePart(withDepth(withMachine(withSpace(withOutput(command))))))
    .option('--as <variant id>', 'which variant a file stands for (default: what its first line says)')
    .action(async (first: string, second: string | undefined, flags: Flags) =>
      isOwnSource(first, flags) ? done(await check(first, second, flags)) : gate(first, second, flags),
    );
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
    .action(async (file: string | undefined, kernel: string | undefined, flags: Flags) =>
      done(await describeSource(file, kernel, flags)),
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
  return async (first: string, second: string | undefined, flags: Flags) => {
    const [family, variant] = subjectOf(first, second, flags.as);
    const prepared = await prepareNew(family, wanted, { ...flags, install: flags.install ?? true }, variant);
    done(await execute(prepared, flags));
  };
}

async function sweepFamily(family: string | undefined, flags: Flags): Promise<number> {
  if (flags.resume === undefined && family === undefined) {
    throw new UsageError('gen sweep needs a kernel family, or --resume; `npx gen list` shows the families');
  }
  const prepared =
    flags.resume === undefined
      ? await prepareNew(family ?? '', stages, flags)
      : await prepareExisting(flags.resume === true ? undefined : flags.resume, family, stages, flags);
  return execute(prepared, flags);
}

/** Later stages of a run that exists: what passed is in its journal. */
function addRunCommands(program: Command, done: Done): void {
  const later: readonly (readonly [Stage, string])[] = [
    ['time', 'time what passed in a run'],
    ['select', 'choose the variants to ship from the times of a run'],
    ['emit', 'choose, and write the library of a run'],
  ];
  for (const [stage, description] of later) {
    const command = program
      .command(stage)
      .description(description)
      .argument('[run]', 'id or folder of a run (default: the newest)');
    const wanted: Stage[] = ['build', ...(stage === 'time' ? [] : (['select'] as const)), stage];
    if (stage === 'emit') withPrefix(command);
    withMachine(withOutput(command)).action(async (run: string | undefined, flags: Flags) =>
      done(await execute(await prepareExisting(run, undefined, wanted, flags), flags)),
    );
  }
  addReport(program, done);
}

function addReport(program: Command, done: Done): void {
  program
    .command('report')
    .description('a run as an evidence file, and runs or evidence files as a page of Markdown')
    .argument('[run]', 'id or folder of a run (default: the newest)')
    .option('--evidence <file>', 'write everything that the run measured, and where, as JSON')
    .option('--markdown <file>', 'write the page, and a picture beside it (default: the page on stdout)')
    .option('--wisdom <file>', 'write the winners as templates/kernels/<family>/wisdom/<arch>.json is')
    .option('--from <file...>', 'report on evidence files instead of a run')
    .option('--rival <file...>', 'times of other systems, by bench/compare.py')
    .option('--out <folder>', 'folder for everything generated (default: generated)')
    .option('--config <file>', 'a gen.config.ts (default: the nearest upwards)')
    .action(async (run: string | undefined, flags: ReportFlags) => done(await report(run, flags)));
}

function addInspectCommands(program: Command, done: Done): void {
  const listing = program
    .command('list')
    .description('the kernel families, or the variants of one')
    .argument('[family]');
  withSpace(withAnswer(listing)).action(async (family: string | undefined, flags: Flags) =>
    done(await list(family, flags)),
  );
  const showing = program
    .command('show')
    .description('parameters and constraints of a family, or one variant')
    .argument('<family>', 'a kernel family, or the id of one variant')
    .argument('[variant]', 'id of a variant');
  withAnswer(showing).action(async (first: string, second: string | undefined, flags: Flags) =>
    done(await show(...subjectOf(first, second), flags)),
  );
  const asking = program
    .command('why')
    .description('which constraint rules a point out')
    .argument('<family>', 'a kernel family, or the id of one variant')
    .argument('[point...]', 'a variant id, or block=64 tileN=128 ...');
  withAnswer(asking)
    .option('--arch <name>', "sm_80, sm_90a (default: the GPU's, else sm_90a)")
    .action(async (first: string, point: string[], flags: Flags) => {
      const [family, text] = subjectOf(first, point.length > 0 ? point.join(' ') : undefined);
      done(await why(family, text, flags));
    });
}

function addMachineCommands(program: Command, done: Done): void {
  withAnswer(program.command('doctor').description('what this machine has and what it lacks')).action(
    async (flags: Flags) => done(await doctor(flags)),
  );
  program
    .command('toolchain')
    .description('the CUDA toolkit that this package installs for itself')
    .command('install')
    .description("install CUDA's compiler where there is none, and what is named with --with")
    .addOption(new Option('--with <part...>', 'further parts').choices(partNames.slice(1)))
    .option('--quiet', 'say nothing when nothing is installed')
    .action(async (flags: { with?: Exclude<PartName, 'compile'>[]; quiet?: boolean }) => {
      await installToolchain(flags.with ?? [], flags.quiet ?? false);
      done(0);
    });
  program
    .command('new')
    .description('begin something of your own')
    .command('kernel')
    .description('copy a small complete kernel family to templates/kernels/<name>')
    .argument('<name>', 'lower case, with dashes')
    .action(async (name: string) => {
      const { newKernel } = await import('../scaffold.ts');
      console.log(shortPath(newKernel(name)));
      console.error(asCalled(`it passes as it stands; gate it with: npx gen sweep ${name} --preset quick`));
      done(0);
    });
}

async function installToolchain(
  wanted: readonly Exclude<PartName, 'compile'>[],
  quiet: boolean,
): Promise<void> {
  const progress = (line: string) => console.error(line);
  const toolchain = await ensureToolchain({ executor: localExecutor, install: true, with: wanted, progress });
  if (!quiet) console.log(`CUDA ${toolchain.nvccVersion} (${toolchain.origin}) in ${toolchain.cudaHome}`);
}
