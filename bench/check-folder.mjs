// Number of kernels of a folder of .cu files that `validate` checks unchanged, without any description: counts by verdict,
// and why the others are not checked. Fetches nothing.
//
//   node bench/check-folder.mjs <folder> [more flags of validate]
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [folder, ...flags] = process.argv.slice(2);
if (!folder) {
  console.error('usage: node bench/check-folder.mjs <folder of .cu files> [flags of validate]');
  process.exit(2);
}
const validate = join(dirname(fileURLToPath(import.meta.url)), '../dist/validate.js');
const counts = new Map();
const count = (word) => counts.set(word, (counts.get(word) ?? 0) + 1);
const sources = readdirSync(folder, { recursive: true })
  .filter((name) => name.endsWith('.cu'))
  .sort();

for (const name of sources) {
  const argv = [validate, join(folder, name), '--json', '--quiet', '--depth', 'quick', ...flags];
  const { stdout } = spawnSync(process.execPath, argv, { encoding: 'utf8', maxBuffer: 1 << 28 });
  for (const line of stdout.split('\n').filter(Boolean)) {
    const event = JSON.parse(line);
    const word = event.event === 'verdict' ? event.verdict : 'not checked';
    const message = event.evidence?.message ?? event.message;
    const noKernel = /defines no kernel/.test(message);
    if (!noKernel) count(word);
    console.log(
      `${event.variant ?? name}\t${noKernel ? 'no kernel' : word}\t${message.replaceAll('\n', ' ')}`,
    );
  }
}
const all = [...counts.values()].reduce((a, b) => a + b, 0);
const unchecked = counts.get('not checked') ?? 0;
console.log(`\n${all} kernels in ${sources.length} files, ${all - unchecked} compiled and gated`);
console.log([...counts].map(([word, n]) => `${n} ${word}`).join(', '));
