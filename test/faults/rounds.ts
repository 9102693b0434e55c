/**
 * How often a fault is provoked: a sample, or TILEWRIGHT_FAULTS times (`TILEWRIGHT_FAULTS=100 npm run test:faults`).
 */
export function rounds(sample: number): number {
  return Number(process.env.TILEWRIGHT_FAULTS ?? sample);
}
