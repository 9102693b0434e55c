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
