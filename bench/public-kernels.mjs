// Number of kernels of public repositories that `validate` checks unchanged: each with a description of ours (bench/public-kernels)
// that says what it is given and what it should compute. The repositories are fetched by whoever runs this; nothing of them is
// kept here. A kernel that is refused, or has no description, counts as not checked.
//
//   node bench/public-kernels.mjs <name>=<checkout>... [--jobs 2] [--only <pattern>] [--device cuda [--sanitize racecheck]] [--json out.json]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { checkoutsOf, subjectsOf } from './public-kernels/subjects.mjs';
import { verdictsOn } from './public-kernels/verdict.mjs';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    jobs: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
    device: { type: 'string' },
    sanitize: { type: 'string' },
    json: { type: 'string' },
  },
});
const here = dirname(fileURLToPath(import.meta.url));
const checkouts = checkoutsOf(positionals);
if (typeof checkouts === 'string') {
  console.error(
    `${checkouts}\nusage: node bench/public-kernels.mjs <name>=<checkout>... [--jobs 2] [--only <pattern>] [--device cuda [--sanitize racecheck]] [--json out.json]`,
  );
  process.exit(2);
}
const ask = (program, ...argv) => {
  try {
    return execFileSync(program, argv, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
};
/** A file for results may lie anywhere. */
const withoutFolder = (given) => (given === flags.json ? basename(given) : given);
const evidence = {
  command: ['node bench/public-kernels.mjs', ...process.argv.slice(2).map(withoutFolder)].join(' '),
  date: new Date().toISOString().slice(0, 10),
  commit: process.env.TILEWRIGHT_COMMIT ?? ask('git', '-C', here, 'rev-parse', 'HEAD'),
  checkouts: Object.fromEntries(checkouts.map(({ name, commit }) => [name, commit])),
  ...(flags.device?.startsWith('cuda') && {
    gpu: ask('nvidia-smi', '--query-gpu=name,driver_version', '--format=csv,noheader')?.split('\n')[0],
  }),
};
const scratch = mkdtempSync(join(tmpdir(), 'tilewright-public-'));

async function check(subject, number) {
  const device = flags.device ? ['--device', flags.device] : [];
  if (flags.sanitize) device.push('--sanitize', flags.sanitize);
  const { verdicts, seconds } = await verdictsOn(subject, join(scratch, `${number}.json`), device);
  const [first, second] = verdicts;
  return { label: subject.label, ...first, seconds, ...(second && { gpu: second }) };
}

const { waiting, unseen } = await subjectsOf(checkouts);
const wanted = waiting.filter(({ label }) => new RegExp(flags.only).test(label));
const results = [];
let next = 0;

const count = (word) => results.filter((one) => one.word === word).length;
/** Written as results come: a run may be cut short. */
function record() {
  if (!flags.json) return;
  const sorted = results.toSorted((a, b) => a.label.localeCompare(b.label));
  const checked = sorted.length - count('refused');
  const text = {
    ...evidence,
    kernels: wanted.length,
    run: sorted.length,
    checked,
    leftOut: unseen,
    results: sorted,
  };
  writeFileSync(flags.json, `${JSON.stringify(text, null, 1)}\n`);
}
await Promise.all(
  Array.from({ length: Number(flags.jobs) }, async () => {
    while (next < wanted.length) {
      const number = next++;
      const { label, description } = wanted[number];
      const one = description
        ? await check(wanted[number], number)
        : { label, word: 'refused', message: 'no description' };
      results.push(one);
      record();
      const said = ({ word, message }) => (word === 'passed' ? word : `${word}: ${message}`);
      console.log(
        [label, said(one), one.gpu ? said(one.gpu) : '', one.seconds ? `${one.seconds} s` : ''].join('\t'),
      );
    }
  }),
);
rmSync(scratch, { recursive: true, force: true });
const checked = results.length - count('refused');
const words = [...new Set(results.map(({ word }) => word))];
console.log(
  `\n${results.length} kernels, ${checked} checked as they are: ${words.map((word) => `${count(word)} ${word}`).join(', ')}`,
);
const both = results.filter(({ gpu }) => gpu);
if (both.length > 0) {
  const passed = both.filter(({ word }) => word === 'passed');
  console.log(
    `of ${passed.length} that pass here ${passed.filter(({ gpu }) => gpu.word === 'passed').length} pass on the GPU`,
  );
}
