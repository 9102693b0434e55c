import type { DeviceName } from '../model/artifact.ts';

/** One command that shows a verdict again, alone. */
export function reproduction(
  family: string,
  variant: string,
  device: DeviceName,
  where: {
    readonly case?: string | undefined;
    readonly seed?: number | undefined;
    readonly depth?: 'quick' | 'full';
  },
): string {
  return [
    `npx validate ${family} ${variant} --device ${device}`,
    where.case === undefined ? '' : ` --case ${where.case}`,
    device === 'emulated' && where.seed !== undefined ? ` --seed ${where.seed}` : '',
    where.depth === 'full' ? ' --depth full' : '',
  ].join('');
}
