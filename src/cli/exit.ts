/** Exit codes of the commands; documented in `gen --help`. */
export const exitCode = {
  done: 0,
  /** The answer is no: nothing passed, or the variant in question did not. */
  no: 1,
  /** It could not run: a wrong argument, a missing compiler, a full disk. */
  couldNotRun: 2,
  /** Ctrl-C: what was done is kept, and the last line says how to go on. */
  interrupted: 130,
} as const;

const exit = process.exit.bind(process);

/** Ends the process. */
export function endProcess(code: number): never {
  return exit(code);
}

/** Makes `process.exit()` an error: a family that calls it would end a command as if all were done. */
export function refuseExits(): void {
  process.exit = () => {
    throw new Error('it calls process.exit(), which would end the whole command');
  };
}
