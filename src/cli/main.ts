import { join } from 'node:path';
import { type Command, CommanderError } from 'commander';
import { EnvironmentError, messageOf, UsageError } from '../errors.ts';
import type { ErrorEvent } from '../model/event.ts';
import { fold } from '../report/format.ts';
import { foldAt, paintFor } from '../report/style.ts';
import { packageRoot } from '../util/package-root.ts';
import { printable } from '../util/printable.ts';
import { asCalled } from './called.ts';
import { endProcess, exitCode, refuseExits } from './exit.ts';
import { guardStreams, print, printLine, remark, unprinted } from './output.ts';

/** All commands, made to tell `done` the exit code of the one that runs. */
type ProgramOf = (done: (code: number) => void) => Command;

/** Runs a command line and ends the process with its exit code. */
export async function main(programOf: ProgramOf, argv: readonly string[]): Promise<void> {
  guardStreams();
  refuseExits();
  const json = argv.includes('--json');
  process.on('uncaughtException', (error) => endProcess(report(blamed(error), json)));
  endProcess(await answer(programOf, argv));
}

/** Parses the command line, runs the command, says what went wrong, and gives the exit code. */
export async function answer(programOf: ProgramOf, argv: readonly string[]): Promise<number> {
  let code: number = exitCode.done;
  try {
    mustStandSomewhere();
    const program = programOf((result) => {
      code = result;
    });
    exitByThrowing(program);
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    code = report(error, argv.includes('--json'));
  }
  const lost = await unprinted();
  if (lost && code !== exitCode.interrupted) {
    tell(lost, errorEvent(lost));
    if (code !== exitCode.couldNotRun) remark('the work was done, but its output is lost');
    code = exitCode.couldNotRun;
  }
  return code;
}

/** An error that nobody waited for, of a timer or a promise: the family's, where its stack names a file of one, or ours. */
function blamed(error: unknown): unknown {
  const files = /(?:file:\/\/)?(\/[^\n()]*\.[cm]?ts:\d+):\d+\)?$/gm;
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const ours = ['src', 'dist', 'node_modules'].map((name) => join(packageRoot, name, '/'));
  const place = [...stack.matchAll(files)]
    .map(([, found = '']) => found)
    .find((found) => !ours.some((folder) => found.startsWith(folder)));
  if (place === undefined) return error;
  return new UsageError(`${place}: it threw while nobody waited for it: ${messageOf(error)}`);
}

/** Throws where the working directory has been removed: relative paths mean nothing there. */
function mustStandSomewhere(): void {
  try {
    process.cwd();
  } catch {
    throw new EnvironmentError('the folder that this was started in is gone: go to another one with `cd`');
  }
}

function exitByThrowing(command: Command): void {
  command.exitOverride();
  command.configureOutput({ writeOut: print });
  command.showHelpAfterError('(--help lists what there is)');
  for (const child of command.commands) exitByThrowing(child);
}

/** Says what went wrong: to a program as the last event, to people on stderr. */
function report(error: unknown, json: boolean): number {
  const byCommander = error instanceof CommanderError;
  if (byCommander && error.exitCode === 0) return exitCode.done; // --help, --version
  const event = errorEvent(error);
  if (json) printLine(JSON.stringify(event));
  if (!byCommander) tell(error, event); // commander has told it
  return exitCode.couldNotRun;
}

function errorEvent(error: unknown): ErrorEvent {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof CommanderError)
    return { event: 'error', kind: 'usage', message: message.replace(/^error: /, '') };
  if (error instanceof UsageError) return { event: 'error', kind: 'usage', message };
  if (error instanceof EnvironmentError) return { event: 'error', kind: 'environment', message };
  return { event: 'error', kind: 'internal', message: `this is a bug of tilewright: ${message}` };
}

/** A user's or a machine's fault is a message; a bug keeps its stack. */
function tell(error: unknown, { kind, message }: ErrorEvent): void {
  const bug = kind === 'internal';
  const text = bug && error instanceof Error ? `this is a bug of tilewright: ${error.stack}` : message;
  const lines = `${paintFor(process.stderr)('bad', 'error:')} ${asCalled(printable(text))}`.split('\n');
  const shown = bug ? lines : lines.map((line) => fold(line, foldAt(process.stderr), 2));
  process.stderr.write(`${shown.join('\n')}\n`);
}
