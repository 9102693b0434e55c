// The kernels of a folder of described .cu files on the emulated device and on a GPU: what each says of them, and whether a
// kernel that passes here passes there too.
//
//   node bench/check-on-gpu.mjs <folder> [--jobs 8] [--sanitize <tool>] [--only <text>] [--json out.json]
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { verdictsIn } from './public-kernels/verdict.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    jobs: { type: 'string', default: '8' },
    sanitize: { type: 'string' },
    only: { type: 'string', default: '' },
    json: { type: 'string' },
  },
});
const [folder] = positionals;
if (!folder) {
  console.error(
    'usage: node bench/check-on-gpu.mjs <folder> [--jobs 8] [--sanitize <tool>] [--only <text>] [--json out.json]',
  );
  process.exit(2);
}
const run = promisify(execFile);
const validate = join(dirname(fileURLToPath(import.meta.url)), '../dist/validate.js');

/** The kernels that a file's descriptions name, or the one that it has. */
function kernelsOf(file) {
  const text = readFileSync(join(folder, file), 'utf8');
  const names = [...text.matchAll(/^[ */-]*\{? *kernel: *'?([^,\n}']+)/gm)].map(([, name]) => name.trim());
  return names.length > 0
    ? names
    : [/__global__ void (?:__launch_bounds__\([^)]*\) )?(\w+)/.exec(text)?.[1] ?? ''];
}

async function check({ file, kernel }) {
  const sanitize = values.sanitize === undefined ? [] : ['--sanitize', values.sanitize];
  const argv = [validate, join(folder, file), kernel, '--device', 'cuda', '--json', '--quiet', ...sanitize];
  const { stdout, stderr } = await run(process.execPath, argv, {
    maxBuffer: 1 << 28,
    timeout: 120_000,
  }).catch((error) => ({ stdout: error.stdout ?? '', stderr: error.stderr ?? String(error) }));
  const [here, there] = verdictsIn(stdout);
  return { file, kernel, here: here ?? { word: 'nothing', message: stderr.split('\n')[0] }, there };
}

const waiting = readdirSync(folder)
  .filter((name) => name.endsWith('.cu'))
  .flatMap((file) => kernelsOf(file).map((kernel) => ({ file, kernel })))
  .filter(({ file, kernel }) => `${file}:${kernel}`.includes(values.only));
const results = [];
const [first] = waiting;
if (first) results.push(await check(waiting.shift())); // builds the runners
await Promise.all(
  Array.from({ length: Number(values.jobs) }, async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results.push(await check(next));
  }),
);
results.sort((a, b) => `${a.file}:${a.kernel}`.localeCompare(`${b.file}:${b.kernel}`));

const passed = (one) => one?.word === 'passed';
for (const { file, kernel, here, there } of results)
  console.log(
    [
      `${file}:${kernel}`,
      here.word,
      there?.word ?? '-',
      passed(here) && !passed(there) ? `DIFFERS: ${there?.message}` : '',
    ].join('\t'),
  );
const both = results.filter(({ here, there }) => passed(here) && passed(there)).length;
const here = results.filter(({ here: one }) => passed(one)).length;
const judged = results.filter(({ there }) => there && there.word !== 'refused').length;
console.log(
  `\n${results.length} kernels, ${judged} ran on the GPU; of ${here} that pass here ${both} pass there`,
);
if (values.json) writeFileSync(values.json, `${JSON.stringify({ folder, results }, null, 1)}\n`);
