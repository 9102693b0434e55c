import { fstatSync } from 'node:fs';
import { diskError, errorCode, writeAll } from '../util/disk.ts';
import { printable } from '../util/printable.ts';
import { asCalled } from './called.ts';

/** The first failure to write to stdout. */
let failure: unknown;

const stdout = 1;

/** Files take what is written at once, perhaps in parts; Node's own stream does not notice when they take but a part. */
const isStream = process.stdout.isTTY || isPipe();

function isPipe(): boolean {
  const found = fstatSync(stdout);
  return found.isFIFO() || found.isSocket();
}

/** Prints on stdout. What cannot be printed is dropped, and stops no work: `unprinted` tells of it at the end. */
export function print(text: string): void {
  if (failure !== undefined) return;
  try {
    if (isStream) process.stdout.write(text);
    else writeAll(stdout, Buffer.from(text));
  } catch (error) {
    failure ??= error;
  }
}

/** Prints a line on stdout. */
export function printLine(line: string): void {
  print(`${line}\n`);
}

/** A line on stderr, in words that a terminal can show. */
export function remark(line: string): void {
  process.stderr.write(`${asCalled(printable(line))}\n`);
}

/** Keeps errors of the streams from ending the process. */
export function guardStreams(): void {
  process.stdout.on('error', (error) => {
    failure ??= error;
  });
  process.stderr.on('error', () => {});
}

/**
 * Waits until pipes have taken what was printed; gives the error where they, or a file, did not. A reader who has seen enough
 * (`gen list | head`) is none.
 */
export async function unprinted(): Promise<Error | undefined> {
  for (const stream of [process.stdout, process.stderr]) {
    const error = await new Promise<Error | null | undefined>((resolve) => stream.write('', resolve));
    if (stream === process.stdout) failure ??= error ?? undefined;
  }
  if (failure === undefined || errorCode(failure) === 'EPIPE') return undefined;
  const error = diskError(failure, 'write to stdout', 'send it to another file');
  return error instanceof Error ? error : new Error(String(error));
}
