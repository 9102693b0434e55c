import { type Command, CommanderError } from 'commander';
import { EnvironmentError, UsageError } from '../errors.ts';
import { fold } from '../report/format.ts';
import { foldAt, paintFor } from '../report/style.ts';
import { asCalled } from './called.ts';
import { exitCode } from './exit.ts';

/** Parses the command line, runs the command and ends the process with its exit code. */
export async function main(
  programOf: (done: (code: number) => void) => Command,
  argv: readonly string[],
): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCode.done); // `gen list | head`
    throw error;
  });
  let code: number = exitCode.done;
  try {
    const program = programOf((result) => {
      code = result;
    });
    exitByThrowing(program);
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    code = report(error, argv.includes('--json'));
  }
  await flush();
  process.exit(code);
}

function exitByThrowing(command: Command): void {
  command.exitOverride();
  command.showHelpAfterError('(--help lists what there is)');
  for (const child of command.commands) exitByThrowing(child);
}

/** Says what went wrong. A user's or a machine's fault is a message; anything else is a bug and keeps its stack. */
function report(error: unknown, json: boolean): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.done : exitCode.couldNotRun;
  const kind =
    error instanceof UsageError ? 'usage' : error instanceof EnvironmentError ? 'environment' : undefined;
  const message = error instanceof Error ? error.message : String(error);
  if (json && kind) process.stdout.write(`${JSON.stringify({ event: 'error', kind, message })}\n`);
  const paint = paintFor(process.stderr);
  const text = kind
    ? message
    : `this is a bug of tilewright: ${error instanceof Error ? error.stack : message}`;
  const lines = `${paint('bad', 'error:')} ${asCalled(text)}`.split('\n');
  const shown = kind ? lines.map((line) => fold(line, foldAt(process.stderr), 2)) : lines;
  process.stderr.write(`${shown.join('\n')}\n`);
  return exitCode.couldNotRun;
}

/** Waits until pipes have taken what was written. */
async function flush(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise<void>((resolve) => stream.write('', () => resolve()));
  }
}
