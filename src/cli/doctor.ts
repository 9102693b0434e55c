import { localExecutor } from '../exec/local.ts';
import { fold } from '../report/format.ts';
import { foldAt, paintFor } from '../report/style.ts';
import { diagnose } from '../toolchain/doctor.ts';
import { asCalled } from './called.ts';
import { exitCode } from './exit.ts';
import type { Options } from './options.ts';
import { printLine } from './output.ts';
import { configOf } from './prepare.ts';

const words = { ok: 'OK', missing: 'MISSING', optional: '-' } as const;
const tones = { ok: 'good', missing: 'bad', optional: 'faint' } as const;

/** `gen doctor`: 0 where everything needed is there, 1 where something is missing. */
export async function doctor(options: Options): Promise<number> {
  const { out } = await configOf(options);
  const checks = await diagnose(localExecutor, process.env, out);
  if (options.json) for (const check of checks) printLine(JSON.stringify({ event: 'doctor', ...check }));
  const paint = paintFor(process.stdout);
  const width = foldAt(process.stdout);
  for (const { name, state, found, advice } of options.json ? [] : checks) {
    const line = `${paint(tones[state], words[state].padEnd(8))} ${name.padEnd(13)} ${found}`;
    printLine(fold(line, width, 23));
    if (advice) printLine(paint('faint', fold(' '.repeat(23) + asCalled(advice), width, 23)));
  }
  return checks.some(({ state }) => state === 'missing') ? exitCode.no : exitCode.done;
}
