import { localExecutor } from '../exec/local.ts';
import { paintFor, widthOf } from '../report/style.ts';
import { diagnose } from '../toolchain/doctor.ts';
import { asCalled } from './called.ts';
import { exitCode } from './exit.ts';
import type { Flags } from './options.ts';
import { configOf } from './prepare.ts';

const words = { ok: 'OK', missing: 'MISSING', optional: '-' } as const;
const tones = { ok: 'good', missing: 'bad', optional: 'faint' } as const;

/** `gen doctor`: 0 where everything needed is there, 1 where something is missing. */
export async function doctor(flags: Flags): Promise<number> {
  const { out } = await configOf(flags);
  const checks = await diagnose(localExecutor, process.env, out);
  if (flags.json) for (const check of checks) console.log(JSON.stringify({ event: 'doctor', ...check }));
  const paint = paintFor(process.stdout);
  const room = widthOf(process.stdout) - 24;
  for (const { name, state, found, advice } of flags.json ? [] : checks) {
    console.log(`${paint(tones[state], words[state].padEnd(8))} ${name.padEnd(13)} ${found}`);
    for (const line of advice ? wrap(asCalled(advice), room) : [])
      console.log(`${' '.repeat(23)}${paint('faint', line)}`);
  }
  return checks.some(({ state }) => state === 'missing') ? exitCode.no : exitCode.done;
}

function wrap(text: string, width: number): string[] {
  return (
    text.match(new RegExp(`.{1,${Math.max(20, width)}}(?:\\s|$)|\\S+`, 'g'))?.map((line) => line.trim()) ?? [
      text,
    ]
  );
}
