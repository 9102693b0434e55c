/**
 * Number of times that a fault is provoked: a sample, or TILEWRIGHT_FAULTS (`TILEWRIGHT_FAULTS=100 npm run test:faults`).
 */
export function rounds(sample: number): number {
  return Number(process.env.TILEWRIGHT_FAULTS ?? sample);
}

/** Processes that work on one thing at once: a sample, or TILEWRIGHT_PROCESSES. */
export function processes(sample: number): number {
  return Number(process.env.TILEWRIGHT_PROCESSES ?? sample);
}

/** Tells how often what happened: the suite's result beside that it passed. */
export function count(what: string, times: number): void {
  console.log(`faults: ${times} ${what}`);
}
