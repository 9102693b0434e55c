import { backends } from './backends/index.ts';
import type { Variant } from './model/variant.ts';
import type { Verdict } from './model/verdict.ts';
import type { Request } from './request.ts';
import { flagText, quoted } from './util/shell.ts';

/** As what a variant was judged. */
export type Judging = Request['gate'] & {
  /** The file that stood for the variant, where one did. */
  readonly file?: string | undefined;
  readonly settings: Request['settings'];
};

/** One command that shows a verdict again, alone. One settled before any device was asked needs none of their flags. */
export function reproduction(
  { family, id }: Pick<Variant, 'family' | 'id'>,
  { device, gpu, evidence }: Pick<Verdict, 'device' | 'gpu' | 'evidence'>,
  { depth, file, settings, ...asked }: Judging,
): string {
  const { watchdog, ...others } = settings;
  const command = `npx validate ${family} ${file === undefined ? id : `${quoted(file)} --as ${id}`}`;
  if (device === 'none') return command + flagText(others);
  const seed = typeof evidence.seed === 'number' ? evidence.seed : asked.seed;
  const flags = {
    device: gpu ?? device,
    case: evidence.case ?? asked.case,
    seed: backends[device].seeded ? seed : undefined,
    depth: depth === 'full' ? depth : undefined,
    watchdog,
  };
  return command + flagText({ ...flags, ...others });
}
