// Speed-up of the gate with two GPUs: the same variants on each choice of GPUs in turns, kernels and runner from the cache.
// Run: npm run build && node --import jiti/register bench/gpus.ts [family] [preset] [repeats] [choice...]
//      (default: bsr-spmm default 3 cuda:0 cuda:0,1)
import { join } from 'node:path';
import { localExecutor } from '../src/exec/local.ts';
import { type Event, eventSchema } from '../src/model/event.ts';
import { commitOf } from '../src/setup.ts';
import { packageRoot } from '../src/util/package-root.ts';
import { median } from '../src/util/stats.ts';

const [family = 'bsr-spmm', preset = 'default', repeats = '3', ...named] = process.argv.slice(2);
const nvidiaSmi = ['nvidia-smi', '--query-gpu=name,driver_version', '--format=csv,noheader'];
const choices = named.length > 0 ? named : ['cuda:0', 'cuda:0,1'];

async function gen(...args: string[]): Promise<readonly Event[]> {
  const argv = [
    process.execPath,
    join(packageRoot, 'dist/cli.js'),
    ...args,
    '--preset',
    preset,
    '--json',
    '--quiet',
  ];
  const { stdout, stderr, exitCode } = await localExecutor.run(argv, { cwd: packageRoot });
  if (exitCode === 2) throw new Error(`${args.join(' ')}: ${stderr}${stdout.trimEnd().split('\n').at(-1)}`);
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => eventSchema.parse(JSON.parse(line)));
}

/** Seconds in which at least one variant was at the gate, and what was said of each. */
async function gate(device: string): Promise<{ seconds: number; verdicts: string; variants: number }> {
  const events = await gen('validate', family, '--device', device);
  const summary = events.find((one) => one.event === 'summary');
  const judged = events.flatMap((one) => (one.event === 'verdict' ? [`${one.variant} ${one.verdict}`] : []));
  return {
    seconds: summary?.seconds.gate ?? Number.NaN,
    verdicts: judged.toSorted().join('\n'),
    variants: judged.length,
  };
}

await gen('build', family, '--device', choices[0] ?? 'cuda');
for (const choice of choices) await gate(choice); // warm-up: drivers, file caches
const times = new Map<string, number[]>(choices.map((choice) => [choice, []]));
const said = new Set<string>();
for (let round = 0; round < Number(repeats); round++) {
  for (const choice of choices) {
    const { seconds, verdicts, variants } = await gate(choice);
    if (variants === 0) throw new Error(`${choice}: no variant was gated`);
    times.get(choice)?.push(seconds);
    said.add(verdicts);
    console.log(`${choice.padEnd(10)} ${variants} variants gated in ${seconds.toFixed(2)} s`);
  }
}
const seconds = Object.fromEntries([...times].map(([choice, all]) => [choice, median(all)]));
const first = seconds[choices[0] ?? ''] ?? Number.NaN;
const record = {
  date: new Date().toISOString(),
  command: ['bench/gpus.ts', family, preset, repeats, ...choices].join(' '),
  commit: await commitOf(localExecutor, join(packageRoot, 'templates/kernels', family)),
  gpus: (await localExecutor.run(nvidiaSmi, {})).stdout.trim().split('\n'),
  secondsAtTheGate: seconds,
  speedUp: Object.fromEntries(choices.map((choice) => [choice, first / (seconds[choice] ?? Number.NaN)])),
  verdictsAgree: said.size === 1,
};
console.log(JSON.stringify(record));
process.exit(said.size === 1 ? 0 : 1);
