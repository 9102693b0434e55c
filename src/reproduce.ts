import type { Variant } from './model/variant.ts';
import type { Verdict } from './model/verdict.ts';

/** As what a variant was judged. */
export interface Judging {
  readonly depth: 'quick' | 'full';
  /** The file that stood for the variant, where one did. */
  readonly file?: string | undefined;
}

/** One command that shows a verdict again, alone. One settled before any device was asked needs none of their flags. */
export function reproduction(
  { family, id }: Pick<Variant, 'family' | 'id'>,
  { device, evidence }: Pick<Verdict, 'device' | 'evidence'>,
  { depth, file }: Judging,
): string {
  const command = `npx validate ${family} ${file === undefined ? id : `${file} --as ${id}`}`;
  if (device === 'none') return command;
  return [
    `${command} --device ${device}`,
    evidence.case === undefined ? '' : ` --case ${evidence.case}`,
    device === 'emulated' && typeof evidence.seed === 'number' ? ` --seed ${evidence.seed}` : '',
    depth === 'full' ? ' --depth full' : '',
  ].join('');
}
